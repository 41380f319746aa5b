// The live screen of `portico approvals watch`.
import { ApiError } from '@portico/client';
import type { JsonObject } from '@portico/contracts';
import { sayFailure } from '../failure.js';
import type { Size } from '../shell/lines.js';
import { runScreen } from '../shell/run-screen.js';
import { createStore, type Store } from '../shell/store.js';
import { editArguments } from './edit-arguments.js';
import { followQueue, listPending, type QueueClient, sayOutcome } from './follow-queue.js';
import {
  addOutcome,
  type EditedArguments,
  press,
  type QueueStart,
  type QueueState,
  type QueueWish,
  startAt,
  startQueue,
  type Ticket,
  toQueue,
  without,
  withTickets,
} from './state.js';
import { linesBelow, toQueueLines } from './view.js';

export interface QueueOptions {
  readonly operator: string;
  /** Rings the terminal's bell when a ticket arrives. */
  readonly bell: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** A ticket that was chosen on another screen, and what is asked of it. */
  readonly start?: QueueStart;
}

type Left = QueueWish & { readonly kind: 'quit' | 'edit' };

const intervalMs = 1000;

/** Resolves when the operator leaves. @throws as the client does when there is no daemon at the start */
export async function showQueue(client: QueueClient, options: QueueOptions): Promise<void> {
  const { operator, bell, env, start } = options;
  const first = withTickets(startQueue(operator, Date.now()), await listPending({ client }), Date.now());
  const store = createStore(start === undefined ? first : startAt(first, start));
  const ours = new Set<string>();
  const end = new AbortController();
  const onArrival = () => {
    if (bell) process.stdout.write('\u0007');
  };
  const isOurs = (id: string) => ours.has(id);
  const following = followQueue({ client, store, signal: end.signal, intervalMs, onArrival, isOurs });
  try {
    for (;;) {
      const left = await Promise.race([show(client, store, ours), following]);
      if (left === undefined || left.kind === 'quit') return;
      await edit(store, left, env);
    }
  } finally {
    end.abort();
    await following;
  }
}

/** Shows the screen until the user leaves it, or until an editor needs the terminal. */
function show(client: QueueClient, store: Store<QueueState>, ours: Set<string>): Promise<Left> {
  let drawn: Size = { columns: 0, rows: 0 }; // how large the screen was that the keys answer
  return runScreen<QueueState, Left>({
    store,
    toLines(state, size) {
      drawn = size;
      return toQueueLines(state, size);
    },
    onKey(key, finish) {
      const isUnseen = key === 'y' && store.get().mode.kind === 'approve' && linesBelow(store.get(), drawn) > 0;
      const { state, wish } = press(store.get(), isUnseen ? 'page-down' : key);
      store.update(() => state);
      if (wish === undefined) return;
      if (wish.kind === 'quit' || wish.kind === 'edit')
        finish(wish as Left); // what its kind says
      else void decide(client, store, wish as Decision, ours);
    },
  });
}

type Decision = QueueWish & { readonly kind: 'approve' | 'reject' };

/** Another may have decided first, or the ticket may have expired: then its outcome is shown. */
async function decide(client: QueueClient, store: Store<QueueState>, wish: Decision, ours: Set<string>): Promise<void> {
  const { operator } = store.get();
  const say = (text: string) => store.update((state) => addOutcome(state, text));
  const sayOver = (text: string) => store.update((state) => addOutcome(without(state, wish.id), text));
  ours.add(wish.id);
  try {
    if (wish.kind === 'reject') {
      const reason = wish.reason === '' ? {} : { reason: wish.reason };
      sayOver(sayOutcome((await client.reject(wish.id, { operator, ...reason })).approval));
      return;
    }
    say(`approving: ${wish.id}`);
    const { approval, result } = await client.approve(wish.id, {
      operator,
      definition_digest: wish.definition,
      ...(wish.args === null ? {} : { modified_args: wish.args }),
    });
    sayOver(`${sayResult(result)}  ${approval.capability_id}  ${approval.id}`);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'APPROVAL_PENDING') {
      ours.delete(wish.id);
      say(`ASKED AGAIN, it changed: ${wish.id} (enter shows what changed)`);
      return;
    }
    if (!(error instanceof ApiError && error.status === 409)) {
      ours.delete(wish.id);
      say(`${wish.id} is not decided: ${sayFailure(error)}`);
      return;
    }
    const now = await client.getApproval(wish.id).then(
      ({ approval }) => sayOutcome(approval),
      () => wish.id,
    );
    sayOver(`NOT YOURS: ${error.message} (${now})`);
  }
}

function sayResult(result: JsonObject | null): string {
  if (result === null) return 'approved, still running';
  if (result.ok === true) return 'approved, done';
  const { error } = result;
  const reason = typeof error === 'object' && error !== null && 'message' in error ? error.message : 'no reason given';
  return `approved, failed: ${reason}`;
}

function toEdited({ id, view }: Ticket, edited: EditedArguments): QueueState['mode'] {
  return { kind: 'approve', id, edited, definition: view.definition_digest };
}

async function edit(store: Store<QueueState>, { ticket, text }: Left & { kind: 'edit' }, env: NodeJS.ProcessEnv) {
  const done = await editArguments(ticket.args, text, env);
  store.update((state) => {
    switch (done.kind) {
      case 'edited':
        return { ...state, scroll: 0, mode: toEdited(ticket, done.edited) };
      case 'unchanged':
        return addOutcome(toQueue(state), `left as it was: ${ticket.id}`);
      case 'unusable':
        return {
          ...state,
          scroll: 0,
          mode: { kind: 'unusable', id: ticket.id, text: done.text, problem: done.problem },
        };
    }
  });
}
