// One request at an upstream that may ask something before it answers. It goes on while its caller is away to think;
// who holds it says how long that may last.
import type { JsonObject } from '@portico/contracts';
import type { Dialogue, Question, SendDeadline, SendOutcome } from '@portico/upstream-pool';
import type { Operation } from '../call/operations.js';

/** Questions by the keys that their answers come back under. */
export type Questions = ReadonlyMap<string, Question>;

export type Turn =
  | { readonly kind: 'asked'; readonly questions: Questions }
  | { readonly kind: 'ended'; readonly outcome: SendOutcome };

export interface Conversation {
  /** Waits for the next turn as part of an operation, whose deadline and cancel hold for the upstream meanwhile. */
  next(operation: Pick<Operation, 'signal'>): Promise<Turn>;
  /** Hands in answers; those to nothing that is open are ignored. */
  answer(responses: Readonly<Record<string, JsonObject>>): void;
  /** What is asked and not answered. */
  open(): Questions;
  /** How the request ended. Never rejects but for a defect. */
  readonly ended: Promise<SendOutcome>;
  /** Aborts when the upstream was told to stop; its reason says why. */
  readonly signal: AbortSignal;
  /** Tells the upstream to stop. */
  end(reason: unknown): void;
}

/** Sends the request. @param park puts a question to the caller for its next turn */
export type SendRequest = (deadline: SendDeadline, park: Dialogue['onQuestion']) => Promise<SendOutcome>;

interface Asked {
  readonly question: Question;
  readonly resolve: (answer: JsonObject) => void;
}

/**
 * @param first the operation that begins it: it ends with that one's signal, which goes on when that one is over
 * @param atMs when the time of whoever is on the line runs out, as it stands
 */
export function startConversation(
  send: SendRequest,
  first: Pick<Operation, 'signal' | 'abort'>,
  atMs: () => number,
): Conversation {
  const asked = new Map<string, Asked>();
  let count = 0;
  let wake = () => {};

  const ask: Dialogue['onQuestion'] = (question, signal) =>
    new Promise((resolve, reject) => {
      count += 1;
      const key = `q${count}`;
      const drop = () => {
        asked.delete(key);
        reject(signal.reason);
      };
      signal.addEventListener('abort', drop, { once: true });
      asked.set(key, {
        question,
        resolve(answer) {
          asked.delete(key);
          signal.removeEventListener('abort', drop);
          resolve(answer);
        },
      });
      wake();
    });

  const deadline: SendDeadline = {
    signal: first.signal,
    get atMs() {
      return atMs();
    },
  };
  /** Has the signal of a later operation end it as well. */
  const follow = (signal: AbortSignal) => {
    const abort = () => first.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  };
  const ended = send(deadline, ask);
  ended.catch(() => {}); // whoever waits for it hears of it
  const open = () => new Map([...asked].map(([key, { question }]) => [key, question]));

  return {
    open,
    ended,
    signal: first.signal,
    async next({ signal }) {
      const stopFollowing = signal === first.signal ? undefined : follow(signal);
      try {
        for (;;) {
          const question = new Promise<void>((resolve) => {
            wake = resolve;
            if (asked.size > 0) resolve();
          });
          const outcome = await Promise.race([ended, question]);
          if (outcome !== undefined) return { kind: 'ended', outcome };
          if (asked.size > 0) return { kind: 'asked', questions: open() }; // else it was taken back already
        }
      } finally {
        wake = () => {};
        stopFollowing?.();
      }
    },
    answer(responses) {
      for (const [key, answer] of Object.entries(responses)) asked.get(key)?.resolve(answer);
    },
    end: first.abort,
  };
}
