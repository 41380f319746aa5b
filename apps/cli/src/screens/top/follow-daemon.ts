// Keeps the state of `top` up to date until the signal aborts. After a lost connection it asks the daemon again until
// it answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { UpdateMessage } from '@portico/client';
import { sayFailure } from '../failure.js';
import type { Store } from '../shell/store.js';
import { addCall, addChange, type Change, type TopState } from './state.js';
import { type TopClient, takeCalls, takeSample } from './take-sample.js';
import { addSample } from './traffic.js';

export interface Following {
  readonly client: TopClient;
  readonly store: Store<TopState>;
  readonly signal: AbortSignal;
  readonly intervalMs: number;
  /** The newest call that is shown; undefined if none may be read. */
  readonly cursor: string | undefined;
}

export async function followDaemon(following: Following): Promise<void> {
  await Promise.all([followSamples(following), followChanges(following), followCalls(following)]).catch(
    (error: unknown) => {
      if (!following.signal.aborted) throw error;
    },
  );
}

async function followSamples({ client, store, signal, intervalMs }: Following): Promise<void> {
  for (;;) {
    await sleep(intervalMs, undefined, { signal });
    try {
      const next = await takeSample(client, () => performance.now(), signal);
      store.update((state) => ({ ...state, samples: addSample(state.samples, next), lost: null, nowMs: Date.now() }));
      await followLog(client, store, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      store.update((state) => ({ ...state, lost: sayFailure(error), nowMs: Date.now() }));
    }
  }
}

/** Calls as they end. Where the stream breaks, the last ones are read again: it may be another daemon. */
async function followCalls({ client, store, signal, intervalMs, cursor }: Following): Promise<void> {
  let lastEventId = cursor;
  while (lastEventId !== undefined) {
    try {
      for await (const message of client.streamActivity({}, { signal, lastEventId }))
        if (message.event === 'call') store.update((state) => addCall(state, message.data));
    } catch (error) {
      if (signal.aborted) throw error;
    }
    lastEventId = await readCalls(client, store, signal, intervalMs);
  }
}

/** Until the daemon answers. Gives the cursor. */
async function readCalls(client: TopClient, store: Store<TopState>, signal: AbortSignal, intervalMs: number) {
  for (;;) {
    await sleep(intervalMs, undefined, { signal });
    try {
      const answer = await takeCalls(client, signal);
      store.update((state) => ({ ...state, calls: answer?.calls ?? null }));
      return answer?.cursor;
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }
}

/** The log that is being looked at, where one is. */
export async function followLog(client: TopClient, store: Store<TopState>, signal?: AbortSignal): Promise<void> {
  const { view } = store.get();
  if (view.kind !== 'logs') return;
  const { lines } = await client.getServerLogs(view.server, { signal });
  store.update((state) => {
    if (state.view.kind !== 'logs' || state.view.server !== view.server) return state;
    return { ...state, view: { ...state.view, lines } };
  });
}

async function followChanges({ client, store, signal, intervalMs }: Following): Promise<void> {
  let lastEventId: string | undefined;
  for (;;) {
    try {
      for await (const message of client.streamUpdates({ signal, lastEventId })) {
        lastEventId = message.id ?? lastEventId;
        store.update((state) => addChange(state, toChange(message, new Date())));
      }
    } catch (error) {
      if (signal.aborted) throw error; // else the daemon has ended, which the samples show
    }
    await sleep(intervalMs, undefined, { signal });
  }
}

/** The data of a message is the daemon's, whose shapes grow: what is not known is not shown. */
export function toChange({ event, data }: Pick<UpdateMessage, 'event' | 'data'>, now: Date): Change {
  const at = now.toTimeString().slice(0, 8);
  const fields: Readonly<Record<string, unknown>> = typeof data === 'object' && data !== null ? { ...data } : {};
  if (event === 'resource_updated') return { at, text: `resource updated: ${fields.server} ${fields.uri}` };
  const servers = Array.isArray(fields.servers) ? fields.servers.join(', ') : '';
  return { at, text: event === 'catalog_changed' ? `catalog changed: ${servers}` : event };
}
