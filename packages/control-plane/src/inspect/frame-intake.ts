// Accepts messages while they pass. At that time only the head of a message is noted, with its text; it is redacted and
// kept in separate turns of the event loop, which end after some milliseconds. Messages beyond that rate are only
// counted.
import { utf8Length } from '@portico/canonical-json';
import type { FrameDirection, Inspect, WireFrame } from '@portico/contracts';
import type { Clock, FrameChannel, FrameRecorder } from '@portico/upstream-pool';
import type { PlanePolicy } from '../state/plane-policy.js';
import { BatchTexts, maxBatchLength, maxBatchMessages } from './batch-texts.js';
import { bodyOf, redactName } from './frame-body.js';
import { FrameOwners, traceIdIn, traceParentOf } from './frame-owners.js';
import type { KeptFrame } from './frame-ring.js';
import { type KnownRequest, KnownRequests } from './known-requests.js';
import { headOf, type RpcHead, type RpcId, rpcIdOf } from './rpc-head.js';
import { type Held, Shares } from './shares.js';

export interface FrameIntakeDeps {
  readonly clock: Pick<Clock, 'now' | 'epochMs' | 'after'>;
  readonly policy: () => PlanePolicy;
  readonly settings: Pick<Inspect, 'bodies' | 'maxBodyKb'>;
  /** Takes the messages of one turn, oldest first. */
  readonly onFrames: (frames: readonly Omit<KeptFrame, 'seq'>[]) => void;
  readonly onDropped: (count: number) => void;
}

export interface FrameIntake extends FrameRecorder {
  readonly owners: FrameOwners;
  /** Forgets what is not kept yet, and takes nothing more. */
  close(): void;
}

/** Characters of messages that wait to be redacted. One message may be longer. */
const maxWaiting = 8_000_000;
/** Weight of a waiting message beside its text: 20,000 wait at most. */
const fixedWeight = 400;
/** After which other work has its turn. */
const turnMs = 2;
/** Requests of Portico whose answers are known. */
const maxSent = 10_000;
/** Questions of a server, which chooses their ids and need not be answered. */
const maxReceived = 1_000;

interface Seen {
  readonly direction: FrameDirection;
  readonly kind: WireFrame['kind'];
  readonly about: Partial<KnownRequest>;
  readonly durationUs?: number;
}

interface Waiting extends Seen, Held {
  readonly shownId: RpcId | undefined;
  readonly isError: boolean;
  readonly text: string | BatchTexts;
  /** Among the messages of a batch. */
  readonly place: number;
  readonly epochMs: number;
  /** In force when the message passed. */
  readonly policy: PlanePolicy;
}

interface ChannelState {
  /** Requests of Portico. */
  readonly sent: KnownRequests;
  /** Questions of the server. */
  readonly received: KnownRequests;
}

export function createFrameIntake({ clock, policy, settings, onFrames, onDropped }: FrameIntakeDeps): FrameIntake {
  const channels = new WeakMap<FrameChannel, ChannelState>();
  const owners = new FrameOwners();
  const waiting = new Shares<Waiting>();
  let order = 0;
  let cancelTurn: (() => void) | undefined;
  let isClosed = false;

  const stateOf = (channel: FrameChannel): ChannelState => {
    const known = channels.get(channel) ?? {
      sent: new KnownRequests(maxSent),
      received: new KnownRequests(maxReceived),
    };
    channels.set(channel, known);
    return known;
  };

  /** A call waits, and what a server wrote must not end more than this. */
  const guarded = <T>(run: () => T): T | undefined => {
    try {
      return run();
    } catch {
      onDropped(1);
      return undefined;
    }
  };

  const take = (server: string, head: RpcHead, seen: Seen, text: Pick<Waiting, 'text' | 'place' | 'weight'>) => {
    if (isClosed) return;
    const { shownId, isError } = head;
    order += 1;
    waiting.add({ ...seen, ...text, server, order, shownId, isError, epochMs: clock.epochMs(), policy: policy() });
    while (waiting.weight > maxWaiting && waiting.count > 1) {
      waiting.giveUpLatest();
      onDropped(1);
    }
    cancelTurn ??= clock.after(0, keep);
  };

  const keep = () => {
    cancelTurn = undefined;
    const until = clock.now() + turnMs;
    const kept: Omit<KeptFrame, 'seq'>[] = [];
    do {
      const next = waiting.takeOldest();
      if (next === undefined) break;
      const frame = guarded(() => toFrame(next, settings, policy()));
      if (frame !== undefined) kept.push(frame);
    } while (clock.now() < until);
    if (waiting.count > 0) cancelTurn = clock.after(0, keep);
    if (kept.length > 0) guarded(() => onFrames(kept));
  };

  return {
    owners,
    sent(channel, message, text) {
      guarded(() => {
        const head = headOf(message);
        const seen = seenSent(stateOf(channel), head, owners, clock.now());
        take(channel.server, head, seen, { text, place: 0, weight: text.length + fixedWeight });
      });
    },
    received(channel, messages, text, related) {
      const isBatch = messages.length > 1;
      const kept = !isBatch ? messages.length : text.length > maxBatchLength ? 0 : maxBatchMessages;
      const own = isBatch ? new BatchTexts(text) : text;
      const weight = Math.ceil(text.length / Math.max(1, Math.min(kept, messages.length))) + fixedWeight;
      for (const [place, message] of messages.entries()) {
        guarded(() => {
          const head = headOf(message);
          const seen = seenReceived(stateOf(channel), head, related, clock.now());
          if (place < kept) take(channel.server, head, seen, { text: own, place, weight });
        });
      }
      if (messages.length > kept) onDropped(messages.length - kept);
    },
    close() {
      isClosed = true;
      waiting.clear();
      cancelTurn?.();
    },
  };
}

function seenSent(state: ChannelState, head: RpcHead, owners: FrameOwners, nowMs: number): Seen {
  const { id, hasId, method, params } = head;
  const direction = 'sent';
  if (method === undefined) return { direction, ...answerTo(state.received.take(id), nowMs) };
  if (!hasId) {
    const about = state.sent.get(rpcIdOf(params.requestId)); // of a cancellation
    return { direction, kind: 'notification', about: { method, traceId: about?.traceId, owner: about?.owner } };
  }
  const traceParent = traceParentOf(params);
  const request: KnownRequest = {
    method,
    atMs: nowMs,
    traceId: traceParent && traceIdIn(traceParent),
    owner: traceParent === undefined ? undefined : owners.get(traceParent),
  };
  state.sent.add(id, request);
  return { direction, kind: 'request', about: request };
}

function seenReceived(state: ChannelState, head: RpcHead, related: RpcId | null, nowMs: number): Seen {
  const { id, hasId, method, params } = head;
  const direction = 'received';
  if (method === undefined) return { direction, ...answerTo(state.sent.take(hasId ? id : related), nowMs) };
  if (hasId) {
    // A question of a server during a call may be for another user than its caller: it has no owner.
    const question = { method, atMs: nowMs, traceId: state.sent.get(related)?.traceId, owner: undefined };
    state.received.add(id, question);
    return { direction, kind: 'request', about: question };
  }
  if (method === 'notifications/cancelled') state.received.take(rpcIdOf(params.requestId));
  const progress = method === 'notifications/progress' ? state.sent.get(rpcIdOf(params.progressToken)) : undefined;
  const traceId = (progress ?? state.sent.get(related))?.traceId;
  return { direction, kind: 'notification', about: { method, traceId, owner: progress?.owner } };
}

function answerTo(request: KnownRequest | undefined, nowMs: number): Pick<Seen, 'kind' | 'about' | 'durationUs'> {
  if (request === undefined) return { kind: 'response', about: {} };
  return { kind: 'response', about: request, durationUs: Math.max(0, Math.round((nowMs - request.atMs) * 1000)) };
}

function toFrame(seen: Waiting, settings: FrameIntakeDeps['settings'], inForce: PlanePolicy): Omit<KeptFrame, 'seq'> {
  const { policy, about, server, direction, kind, epochMs, durationUs, shownId: id, isError } = seen;
  const text = typeof seen.text === 'string' ? seen.text : seen.text.at(seen.place);
  const policies = policy === inForce ? [policy] : [policy, inForce];
  const bytes = utf8Length(text);
  const { body, isCut } = bodyOf(text, bytes, settings.bodies, settings.maxBodyKb * 1024, policies);
  const rpcId = typeof id === 'string' ? redactName(policies, id) : id;
  return {
    epochMs,
    server,
    direction,
    kind,
    method: about.method === undefined ? undefined : redactName(policies, about.method),
    rpcId: rpcId === undefined ? undefined : JSON.stringify(rpcId),
    bytes,
    durationUs,
    isError: kind === 'response' && isError,
    traceId: about.traceId,
    owner: about.owner,
    body,
    isCut,
  };
}
