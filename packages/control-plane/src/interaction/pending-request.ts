// One request at an upstream that may ask something before it answers. It goes on while its caller is away to think;
// its holder says how long that may last.
import type { AbortSignalLike, Settle } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { SendDeadline, SendOutcome, ServerRequest } from '@portico/upstream-pool';
import type { Operation } from '../call/operations.js';

/** Questions by the keys that their answers come back under. */
export type Questions = ReadonlyMap<string, ServerRequest>;

export type Turn =
  | { readonly kind: 'asked'; readonly questions: Questions }
  | { readonly kind: 'ended'; readonly outcome: SendOutcome };

interface Asked {
  readonly question: ServerRequest;
  readonly resolve: (answer: JsonObject) => void;
}

/** How the request ended: its outcome, or a defect. */
type End = { readonly outcome: SendOutcome } | { readonly error: unknown };

export interface PendingChannel {
  readonly operation: Pick<Operation, 'signal' | 'abort' | 'atMs' | 'principal'>;
}

/** Told of the end of what was sent, and until when it is worth sending. */
export class PendingRequest implements Settle<SendOutcome>, SendDeadline {
  /** Aborts when the request is cancelled at the upstream; its reason says why. */
  readonly signal: AbortSignalLike;
  readonly #first: Pick<Operation, 'abort'>;
  readonly #channel: PendingChannel;
  #asked: Map<string, Asked> | undefined;
  #count = 0;
  #end: End | undefined;
  #wake: (() => void) | undefined;
  #onEnd: (() => void) | undefined;
  #ended: Promise<SendOutcome> | undefined;

  /** Begun by the operation that is on the channel now: it ends with its signal, which goes on when that one is over. */
  constructor(channel: PendingChannel) {
    this.#channel = channel;
    this.#first = channel.operation;
    this.signal = channel.operation.signal;
  }

  /** Of the operation that is on the channel by then. */
  get atMs(): number {
    return this.#channel.operation.atMs;
  }

  get principal(): string | undefined {
    return this.#channel.operation.principal;
  }

  resolve(outcome: SendOutcome): void {
    this.#endWith({ outcome });
  }

  reject(error: unknown): void {
    this.#endWith({ error });
  }

  /** Puts a question to the caller for its next turn. */
  park(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      this.#asked ??= new Map();
      const asked = this.#asked;
      this.#count += 1;
      const key = `q${this.#count}`;
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
      void Promise.resolve().then(() => this.#wake?.()); // several that are asked at once are put together
    });
  }

  /**
   * Waits for the next turn as part of an operation, whose deadline and cancel apply to the upstream until then.
   * @param toAnswer what it means to the caller; it may throw
   */
  next<T>({ signal }: Pick<Operation, 'signal'>, toAnswer: (turn: Turn) => T): Promise<T> {
    const stopFollowing = signal === this.signal ? undefined : this.#followSignal(signal);
    return new Promise((resolve, reject) => {
      const look = () => {
        if (this.#end === undefined && !this.#hasOpen()) return;
        this.#wake = undefined;
        stopFollowing?.();
        try {
          resolve(toAnswer(this.#turn()));
        } catch (error) {
          reject(error);
        }
      };
      this.#wake = look;
      look();
    });
  }

  /** Hands in answers; those to nothing that is open are ignored. */
  answer(responses: Readonly<Record<string, JsonObject>>): void {
    for (const [key, answer] of Object.entries(responses)) this.#asked?.get(key)?.resolve(answer);
  }

  /** What is asked and not answered. */
  open(): Questions {
    return new Map([...(this.#asked ?? [])].map(([key, { question }]) => [key, question]));
  }

  #turn(): Turn {
    if (this.#end === undefined) return { kind: 'asked', questions: this.open() };
    return { kind: 'ended', outcome: outcomeOf(this.#end) };
  }

  #hasOpen(): boolean {
    return this.#asked !== undefined && this.#asked.size > 0;
  }

  /** How the request ended. Never rejects but for a defect. */
  ended(): Promise<SendOutcome> {
    this.#ended ??= this.#untilEnded();
    return this.#ended;
  }

  /** Tells the upstream to stop. */
  end(reason: unknown): void {
    this.#first.abort(reason);
  }

  #endWith(end: End): void {
    this.#end = end;
    this.#wake?.();
    this.#onEnd?.();
  }

  async #untilEnded(): Promise<SendOutcome> {
    if (this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#onEnd = resolve;
      });
    }
    return outcomeOf(this.#end as End); // it is there once `#onEnd` was called
  }

  /** Has the signal of a later operation end it as well. */
  #followSignal(signal: AbortSignalLike): () => void {
    const abort = () => this.#first.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  }
}

function outcomeOf(end: End): SendOutcome {
  if ('error' in end) throw end.error;
  return end.outcome;
}
