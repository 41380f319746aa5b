// Passes lines between a client and a service, and moves the client to the next service when one goes away. Lines leave
// unchanged, except the ids of a later service's requests: those are made new, so that no late answer fits the wrong
// one.
import type { Readable, Writable } from 'node:stream';
import { exactJson, type JsonObject } from '@portico/contracts';
import { createGatheredLines, readLines } from '@portico/mcp-facade';
import { createClientMemory, isSentAgain } from './client-memory.js';
import type { Leaving, Link } from './link.js';
import {
  answeredId,
  cancelledId,
  cancelling,
  idOf,
  isJson,
  listsChanged,
  listsChangedFor,
  lostRequest,
  methodOf,
  notification,
  parseExactMessage,
  parseMessage,
  type RpcId,
  subscriptionOf,
  tooLong,
  unreadable,
  unsentRequests,
} from './messages.js';

export interface RelayInput {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends it at once. */
  readonly stop: AbortSignal;
  /** Finds a service, or becomes one. Rejects when no service is available, or the signal aborts. */
  readonly connect: (signal: AbortSignal) => Promise<Link>;
  /** How long a client that says no more may wait for its answers. */
  readonly drainMs?: number;
}

const defaultDrainMs = 5000;
/** Room for the largest message of an upstream, 64 MiB, as text and as structured content of one result. */
const maxServiceLineBytes = 256 * 1024 * 1024;
/** Maximum lines of a client while there is no service. */
const maxWaitingLines = 1000;

/** Resolves when the client has disconnected and has its answers. Rejects when no service is available. */
export async function relay({ input, output, stop, connect, drainMs = defaultDrainMs }: RelayInput): Promise<void> {
  const gone = new AbortController();
  const client = createClient(input, output, gone, drainMs);
  stop.addEventListener('abort', () => gone.abort(stop.reason), { once: true });
  if (stop.aborted) gone.abort(stop.reason);
  let generation = 0;
  try {
    while (!gone.signal.aborted) {
      const link = await connect(gone.signal);
      try {
        await serve(client, link, generation, gone.signal);
      } finally {
        await link.close();
      }
      generation += 1;
    }
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    client.stop();
  }
}

type Client = ReturnType<typeof createClient>;

function createClient(input: Readable, output: Writable, gone: AbortController, drainMs: number) {
  const memory = createClientMemory();
  const waiting: string[] = [];
  let forward: ((line: string) => void) | undefined;
  let drain: NodeJS.Timeout | undefined;
  let endedAtMs = Number.NaN;
  let moreMs = 0;
  const leave = () => gone.abort(new Error('the client has gone'));
  const leaveInTime = () => {
    clearTimeout(drain);
    drain = setTimeout(leave, endedAtMs + drainMs + moreMs - performance.now());
  };
  const keep = (line: string) => {
    waiting.push(line);
    if (waiting.length >= maxWaitingLines) input.pause(); // until there is a service again
  };
  let service: Readable | undefined;
  const lines = createGatheredLines(output, () => {
    if (service !== undefined) holdUp(service, output);
  });
  let onIdle = () => {};
  /** A client that has sent its last request is done when it has its answers, to the last byte. */
  const settle = () => {
    if (memory.unanswered() === 0) onIdle();
    if (drain === undefined || waiting.length > 0 || memory.unanswered() > 0) return;
    lines.flush();
    output.write('', leave);
  };
  const sendMessage = (message: JsonObject) => lines.add(JSON.stringify(message));
  const reader = readLines(input, {
    onLine(line) {
      if (forward !== undefined) forward(line);
      else keep(line);
    },
    onTooLong: () => sendMessage(tooLong),
    onEnd() {
      endedAtMs = performance.now();
      leaveInTime();
      settle();
    },
  });
  output.on('error', leave);
  return {
    memory,
    input,
    lines,
    settle,
    stop() {
      reader.stop();
      for (const refusal of unsentRequests(waiting.splice(0))) sendMessage(refusal);
      lines.flush();
      clearTimeout(drain);
      onIdle(); // no request is left to wait for
    },
    sendMessage,
    /** The wait for a client that sends no more is extended by this time. */
    allow(ms: number) {
      moreMs = ms;
      if (drain !== undefined) leaveInTime();
    },
    /** Resolves when no request waits for its answer, or has waited long enough. */
    idle: () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainMs);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
        settle();
      }),
    /** Keeps a line for the next service. */
    keep,
    /** Sends what comes from now on that way. */
    divert(to: (line: string) => void) {
      forward = to;
    },
    /**
     * Sends pending lines and later ones that way; nothing without one.
     * @param from paused while the client does not read
     */
    direct(to: ((line: string) => void) | undefined, from?: Readable) {
      forward = to;
      service = from;
      if (to === undefined) return;
      if (drain !== undefined && waiting.length > 0) {
        endedAtMs = performance.now(); // they have not been waited for yet
        leaveInTime();
      }
      for (const line of waiting.splice(0)) to(line);
      settle();
    },
  };
}

/** Until the service or the client goes away. */
async function serve(client: Client, link: Link, generation: number, gone: AbortSignal): Promise<void> {
  const { memory, lines } = client;
  const toService = createGatheredLines(link.output, () => holdUp(client.input, link.output)).add;
  const questions = new Map<RpcId, RpcId>();
  const swallowed = new Set<RpcId>();
  const acknowledged = new Set<RpcId>();

  /** Under which id the client is asked what the service asks. */
  const askedId = (id: RpcId): RpcId => (generation === 0 ? id : `service-${generation}-${JSON.stringify(id)}`);

  const answer = (id: RpcId, line: string) => {
    memory.answered(id);
    lines.add(line);
    client.settle();
  };
  const fromService = (line: string) => {
    const answered = answeredId(line);
    if (answered !== undefined && !swallowed.has(answered) && !memory.isListening(answered))
      return answer(answered, line);
    const message = parseMessage(line);
    if (message === undefined) return;
    const id = idOf(message);
    const method = methodOf(message);
    if (method === undefined && id !== undefined) {
      if (swallowed.delete(id)) return;
      if (memory.isListening(id) && 'result' in message) return; // a service that stops ends it; the next one goes on
      return answer(id, line);
    } else if (method === 'notifications/subscriptions/acknowledged') {
      const subscription = subscriptionOf(message);
      if (subscription !== undefined && acknowledged.delete(subscription)) return;
      if (subscription !== undefined) memory.acknowledged(subscription);
    } else if (method === 'notifications/cancelled') {
      const cancelled = cancelledId(message);
      const asked = cancelled === undefined ? undefined : askedId(cancelled);
      if (asked !== undefined) questions.delete(asked);
      if (asked !== cancelled) return lines.add(JSON.stringify(cancelling(message, asked)));
    } else if (id !== undefined) {
      const asked = askedId(id);
      questions.set(asked, id);
      if (asked !== id) return lines.add(withId(line, asked));
    }
    lines.add(line);
  };
  const fromClient = (line: string) => {
    const message = parseMessage(line);
    if (message === undefined && !isJson(line)) return client.sendMessage(unreadable);
    const id = message && idOf(message);
    if (message === undefined || methodOf(message) !== undefined || id === undefined) {
      if (message !== undefined) memory.sent((isSentAgain(message) && parseExactMessage(line)) || message);
      return toService(line);
    }
    const asked = questions.get(id);
    questions.delete(id);
    if (asked !== undefined) toService(asked === id ? line : withId(line, asked));
  };

  const lost = new Promise<void>((resolve, reject) => {
    const events = {
      onLine: fromService,
      onTooLong() {
        reader.stop(); // its sender waits for it: as good as lost
        resolve();
      },
      onEnd: () => resolve(),
    };
    const reader = readLines(link.input, events, maxServiceLineBytes);
    gone.addEventListener('abort', () => resolve(), { once: true });
    if (gone.aborted) resolve();
    if (link.leaving !== undefined) leave(client, link.leaving, questions, fromClient).catch(reject);
  });
  client.allow(link.firstListWaitMs ?? 0);
  link.output.on('error', () => {}); // its input ends as well, and that is what counts
  if (generation > 0) restore(client, toService, swallowed, acknowledged);
  client.direct(fromClient, link.input);
  client.input.resume(); // the last service may have blocked it
  await lost;
  client.direct(undefined);
  if (gone.aborted) return;
  for (const id of memory.takeUnanswered().lost) client.sendMessage(lostRequest(id));
  for (const asked of questions.keys())
    client.sendMessage(notification('notifications/cancelled', { requestId: asked }));
  client.settle();
}

/** A message under another id; its numbers stay unchanged. */
function withId(line: string, id: RpcId): string {
  return exactJson({ ...parseExactMessage(line), id });
}

/** A service that is asked to end gets what belongs to requests that it has, and no new ones. */
async function leave(
  client: Client,
  { asked, finish }: Leaving,
  questions: ReadonlyMap<RpcId, RpcId>,
  send: (line: string) => void,
): Promise<void> {
  await asked;
  client.divert((line) => {
    const message = parseMessage(line);
    const id = message && idOf(message);
    const isAnswer = message !== undefined && methodOf(message) === undefined && id !== undefined && questions.has(id);
    const cancelled = message && cancelledId(message);
    if (!isAnswer && (cancelled === undefined || !client.memory.isUnanswered(cancelled))) return client.keep(line);
    send(line);
    client.settle(); // what is cancelled has no answer
  });
  await client.idle(); // a service that ends may still have answers on their way
  await finish();
}

/** Puts a new service into the state of the last one. Possible changes in between are reported as changes. */
function restore(
  { memory, sendMessage }: Client,
  send: (line: string) => void,
  swallowed: Set<RpcId>,
  acknowledged: Set<RpcId>,
) {
  for (const [index, message] of memory.replay().entries()) {
    const id = `replay-${index}`;
    const isRequest = idOf(message) !== undefined;
    if (isRequest) swallowed.add(id);
    send(exactJson(isRequest ? { ...message, id } : message));
  }
  for (const message of memory.takeUnanswered().repeated) send(exactJson(message));
  for (const { id, message, isAcknowledged } of memory.listens()) {
    if (isAcknowledged) acknowledged.add(id);
    send(exactJson(message));
    if (isAcknowledged) for (const changed of listsChangedFor(message)) sendMessage(changed);
  }
  if (memory.isInitialized()) for (const message of listsChanged()) sendMessage(message);
}

/** Until the other side takes more. */
function holdUp(from: Readable, to: Writable): void {
  if (from.isPaused()) return;
  from.pause();
  to.once('drain', () => from.resume());
}
