// Takes messages in while they pass. Then only what a message is about is noted, with its text; it is redacted and kept in
// turns of the event loop of its own, which end after some milliseconds. What comes faster than that is counted only.
import { utf8Length } from '@portico/canonical-json';
import type { FrameDirection, Inspect, WireFrame } from '@portico/contracts';
import type { Clock, FrameChannel, FrameMessage, FrameRecorder } from '@portico/upstream-pool';
import type { PlanePolicy } from '../state/plane-policy.js';
import { bodyOf } from './frame-body.js';
import { FrameOwners, traceIdIn, traceParentOf } from './frame-owners.js';
import type { FrameOwner, KeptFrame } from './frame-ring.js';
import { type KnownRequest, KnownRequests } from './known-requests.js';

export interface FrameIntakeDeps {
  readonly clock: Pick<Clock, 'now' | 'epochMs' | 'after'>;
  readonly policy: () => PlanePolicy;
  readonly settings: Pick<Inspect, 'bodies' | 'maxBodyKb'>;
  /** Takes the messages of one turn, oldest first. */
  readonly onFrames: (frames: readonly Omit<KeptFrame, 'seq'>[]) => void;
  readonly onDropped: () => void;
}

export interface FrameIntake extends FrameRecorder {
  readonly owners: FrameOwners;
  /** Forgets what is not kept yet, and takes nothing more. */
  close(): void;
}

/** Characters of messages that wait to be redacted. One message may be longer. */
const maxWaiting = 8_000_000;
/** Waiting messages, whatever their length. */
const maxWaitingCount = 20_000;
/** After which other work has its turn. */
const turnMs = 2;
/** A method is a name; what is longer is none. */
const maxNameLength = 200;

interface Seen {
  readonly direction: FrameDirection;
  readonly kind: WireFrame['kind'];
  readonly server: string;
  readonly about: Partial<KnownRequest>;
  readonly durationUs?: number;
}

interface Waiting extends Seen {
  readonly message: Pick<FrameMessage, 'id' | 'error'>;
  readonly text: string;
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

export function createFrameIntake(deps: FrameIntakeDeps): FrameIntake {
  const { clock, policy, settings, onFrames, onDropped } = deps;
  const channels = new WeakMap<FrameChannel, ChannelState>();
  const owners = new FrameOwners();
  let waiting: Waiting[] = [];
  let characters = 0;
  let cancelTurn: (() => void) | undefined;
  let isClosed = false;

  const stateOf = (channel: FrameChannel): ChannelState => {
    const known = channels.get(channel) ?? { sent: new KnownRequests(), received: new KnownRequests() };
    channels.set(channel, known);
    return known;
  };

  const take = (message: FrameMessage, text: string, seen: Seen) => {
    if (isClosed) return;
    if (waiting.length >= maxWaitingCount || (waiting.length > 0 && characters + text.length > maxWaiting)) {
      onDropped();
      return;
    }
    waiting.push({ ...seen, message, text, epochMs: clock.epochMs(), policy: policy() });
    characters += text.length;
    cancelTurn ??= clock.after(0, keep);
  };

  const keep = () => {
    cancelTurn = undefined;
    const until = clock.now() + turnMs;
    const kept: Omit<KeptFrame, 'seq'>[] = [];
    let at = 0;
    do {
      const next = waiting[at];
      if (next === undefined) break;
      at += 1;
      characters -= next.text.length;
      kept.push(toFrame(next, settings, policy()));
    } while (clock.now() < until);
    waiting = waiting.slice(at);
    if (waiting.length > 0) cancelTurn = clock.after(0, keep);
    if (kept.length > 0) onFrames(kept);
  };

  return {
    owners,
    sent(channel, message, text) {
      take(message, text, seenSent(stateOf(channel), channel.server, message, owners, clock.now()));
    },
    received(channel, messages, text, related) {
      const state = stateOf(channel);
      for (const message of messages) {
        const own = messages.length === 1 ? text : JSON.stringify(message); // of a batch
        take(message, own, seenReceived(state, channel.server, message, related, clock.now()));
      }
    },
    close() {
      isClosed = true;
      waiting = [];
      cancelTurn?.();
    },
  };
}

function seenSent(
  state: ChannelState,
  server: string,
  message: FrameMessage,
  owners: FrameOwners,
  nowMs: number,
): Seen {
  const { id, method, params = {} } = message;
  const common = { direction: 'sent', server } as const;
  if (method === undefined) return { ...common, ...answerTo(state.received.take(id), nowMs) };
  if (id === undefined) {
    const about = state.sent.get(params.requestId); // of a cancellation
    return { ...common, kind: 'notification', about: { method, traceId: about?.traceId, owner: about?.owner } };
  }
  const traceParent = traceParentOf(params);
  const request: KnownRequest = {
    method,
    atMs: nowMs,
    traceId: traceParent && traceIdIn(traceParent),
    owner: traceParent === undefined ? undefined : owners.get(traceParent),
  };
  state.sent.add(id, request);
  return { ...common, kind: 'request', about: request };
}

function seenReceived(
  state: ChannelState,
  server: string,
  message: FrameMessage,
  related: number | string | null,
  nowMs: number,
): Seen {
  const { id, method, params = {} } = message;
  const common = { direction: 'received', server } as const;
  if (method === undefined) return { ...common, ...answerTo(state.sent.take(id ?? related), nowMs) };
  if (id !== undefined) {
    // What a server asks during a call may be for somebody else than its caller: it has no owner.
    const question = { method, atMs: nowMs, traceId: state.sent.get(related)?.traceId, owner: undefined };
    state.received.add(id, question);
    return { ...common, kind: 'request', about: question };
  }
  const progress = method === 'notifications/progress' ? state.sent.get(params.progressToken) : undefined;
  const traceId = (progress ?? state.sent.get(related))?.traceId;
  return { ...common, kind: 'notification', about: { method, traceId, owner: progress?.owner } };
}

function answerTo(request: KnownRequest | undefined, nowMs: number): Pick<Seen, 'kind' | 'about' | 'durationUs'> {
  if (request === undefined) return { kind: 'response', about: {} };
  return { kind: 'response', about: request, durationUs: Math.max(0, Math.round((nowMs - request.atMs) * 1000)) };
}

function toFrame(seen: Waiting, settings: FrameIntakeDeps['settings'], inForce: PlanePolicy): Omit<KeptFrame, 'seq'> {
  const { text, policy, message, about, server, direction, kind, epochMs, durationUs } = seen;
  const policies = policy === inForce ? [policy] : [policy, inForce];
  const bytes = utf8Length(text);
  const { body, isCut } = bodyOf(text, bytes, settings.bodies, settings.maxBodyKb * 1024, policies);
  const shown = (name: string) =>
    policies.reduce((given, { logRedactor }) => logRedactor.redactText(given), name).slice(0, maxNameLength);
  const { id } = message;
  const owner: FrameOwner | undefined = about.owner;
  return {
    epochMs,
    server,
    direction,
    kind,
    method: about.method === undefined ? undefined : shown(String(about.method)),
    rpcId:
      id === undefined || id === null ? undefined : JSON.stringify(typeof id === 'number' ? id : shown(String(id))),
    bytes,
    durationUs,
    isError: kind === 'response' && message.error !== undefined,
    traceId: about.traceId,
    owner,
    body,
    isCut,
  };
}
