// Finds whose call a server of 2025-11-25 means when it asks something: its requests do not say. It never guesses: a
// question that could be of several calls waits until all but one have been answered, or is refused. A call that is
// answered while its question waits has not asked it: servers also ask for themselves, of whoever happens to be there.
import { type AbortSignalLike, untilAborted } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import { type ServerRequestHandler, ServerRequestRefused } from '@portico/upstream-pool';
import { rpcErrors } from './wire.js';

/** A request of ours that the server works on, made for a caller that can be asked. */
export interface AskingCall {
  readonly handler: ServerRequestHandler;
  readonly method: string;
  readonly params: JsonObject;
}

/** What was called: calls of the same name are alike in whether they ask. */
function nameOf(method: string, { name, uri }: JsonObject): string {
  return `${method} ${name ?? uri}`;
}

export interface Askers {
  /**
   * A call is over. It need not be said where no question is open and nothing waits.
   * @param isAnswered whether the server has answered it: then no question that is open can be its own
   */
  end(call: AskingCall, isAnswered: boolean): void;
  /** The call that a question belongs to; null where none runs. @throws ServerRequestRefused when it cannot be told */
  find(method: string, signal: AbortSignalLike): Promise<AskingCall | null>;
  /** The names of calls that have asked, or may have. */
  readonly asking: ReadonlySet<string>;
  /** Whether a call of that name is among them: two such calls should not run side by side. */
  mayAsk(method: string, params: JsonObject): boolean;
  /** Resolves when no call runs that has asked, or may ask. Rejects with the signal's reason. */
  noneAsks(signal: AbortSignalLike): Promise<void>;
  /** Who waits for that. */
  readonly waiting: ReadonlySet<unknown>;
}

interface Held {
  /** Calls that ran when the question came, and still do. */
  readonly candidates: Set<AskingCall>;
  /** Whether the server has had the time to answer the calls that wait for nothing. */
  isDue: boolean;
  /** Whether it gets more time for that: questions that are due do not wait for this one. */
  readonly isPatient: boolean;
  readonly resolve: (call: AskingCall | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Names that are remembered; far more than a server has tools that ask. */
const maxNames = 1000;

/**
 * @param running the calls that run, in the order in which they began
 * @param caughtUp resolves when the server has had the time to answer what it has got so far; more of it where it asks
 *   what it hardly ever asks for a call
 */
export function createAskers(
  running: () => readonly AskingCall[],
  caughtUp: (isPatient: boolean) => Promise<void>,
): Askers {
  const held = new Set<Held>();
  const asking = new Set<string>();
  const waiting = new Set<() => void>();
  const asks = () => running().some(({ method, params }) => asking.has(nameOf(method, params)));

  const remember = ({ method, params }: AskingCall) => {
    if (asking.size < maxNames) asking.add(nameOf(method, params));
  };

  const refuse = (question: Held) => {
    held.delete(question);
    for (const call of question.candidates) remember(call);
    const message = 'several calls are in flight, and it cannot be told whose question this is; repeat them one by one';
    question.reject(new ServerRequestRefused(rpcErrors.internalError, message));
  };

  const assign = (question: Held, call: AskingCall | null) => {
    held.delete(question);
    if (call !== null) remember(call);
    question.resolve(call);
  };

  const settle = () => {
    for (const question of [...held]) {
      const [call] = question.candidates;
      if (call === undefined) assign(question, null);
      else if (question.isDue && question.candidates.size === 1) assign(question, call);
    }
    if ([...held].some(({ isDue, isPatient }) => !isDue && !isPatient)) return;
    const due = [...held].filter(({ isDue }) => isDue);
    // Each of the calls may wait for an answer, and then none will end by itself.
    if (due.some(({ candidates }) => candidates.size <= due.length)) for (const each of due) refuse(each);
  };

  return {
    asking,
    waiting,
    end(call, isAnswered) {
      for (const question of [...held]) {
        if (!question.candidates.has(call)) continue;
        if (!isAnswered)
          refuse(question); // it may have been its own
        else question.candidates.delete(call);
      }
      settle();
      if (!asks()) for (const tell of waiting) tell();
    },
    async find(method, signal) {
      const candidates = new Set(running());
      if (candidates.size === 0) return null;
      return new Promise((resolve, reject) => {
        // Servers ask for roots right after they start, for no call; unless a call runs that is known to ask.
        const isPatient = method === 'roots/list' && !asks();
        const question: Held = { candidates, isDue: false, isPatient, resolve, reject };
        held.add(question);
        const drop = () => {
          held.delete(question);
          reject(signal.reason); // nobody wants an answer any more
        };
        signal.addEventListener('abort', drop, { once: true });
        void caughtUp(isPatient).then(() => {
          question.isDue = true;
          settle();
        });
      });
    },
    mayAsk: (method, params) => asking.has(nameOf(method, params)),
    async noneAsks(signal) {
      if (!asks()) return;
      let tell = () => {};
      const quiet = new Promise<void>((resolve) => {
        tell = resolve;
        waiting.add(tell);
      });
      await untilAborted(quiet, signal).finally(() => waiting.delete(tell));
    },
  };
}
