// Finds the call that a request of a 2025-11-25 server belongs to: such a request does not name it. The finder never
// guesses: a request goes to the only call that can have caused it. A request that could belong to several calls waits
// until all but one have been answered, or is refused. A call that waits for its caller may have asked twice at once,
// so it is ruled out only for calls that are known to ask. A call that is answered while its request waits did not send
// it: servers also ask on their own behalf, through any open connection.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import { type ServerRequestHandler, ServerRequestRefused, Unasked, UpstreamFailure } from '@portico/upstream-pool';
import type { AskingMemory } from './asking-memory.js';
import { rpcErrors } from './wire.js';

/** A request of ours that the server works on, made for a caller that can be asked. */
export interface AskingCall {
  readonly handler: ServerRequestHandler;
  readonly method: string;
  readonly params: JsonObject;
}

/** The calls that run, counted. */
export interface CallLoad {
  /** Those included that ask and were given up a short while ago: a server may go on with one, and ask. */
  readonly total: number;
  /** Without an open question: a question that comes is of one of these. */
  readonly unasked: number;
  /** That have asked something, or are known to do. */
  readonly askers: number;
  /** The same without those that ask for roots only. */
  readonly persons: number;
}

export interface AskersDeps {
  /** The calls that run, in the order in which they began. */
  readonly running: () => readonly AskingCall[];
  /** The calls that open questions are taken to be of. */
  readonly asked: () => Iterable<AskingCall | null | undefined>;
  /**
   * Resolves when the server has had the time to answer what it has got so far; more of it where it asks what it hardly
   * ever asks for a call.
   */
  readonly caughtUp: (isPatient: boolean) => Promise<void>;
  readonly memory: AskingMemory;
}

interface Held {
  readonly method: string;
  /** Calls that ran without a question when this one came, and still run. */
  readonly candidates: Set<AskingCall>;
  /**
   * Calls that were asked something already: where other calls are known to ask, a request belongs to one of these only
   * if to no other.
   */
  readonly asked: Set<AskingCall>;
  /** Whether the server has had the time to answer the calls that wait for nothing. */
  isDue: boolean;
  /** Whether it gets more time for that: questions that are due do not wait for this one. */
  readonly isPatient: boolean;
  readonly resolve: (call: AskingCall | null) => void;
  readonly reject: (error: unknown) => void;
}

/** How long after it was given up a call may still ask. */
const afterlifeMs = 60_000;

export class Askers {
  /** Called when a call ends, and when a call is asked something. */
  readonly watchers = new Set<() => void>();
  readonly #deps: AskersDeps;
  readonly #held = new Set<Held>();
  /** The reason why a request that may have belonged to this call reached no caller. */
  readonly #unasked = new WeakMap<AskingCall, string>();
  /** When calls that ask were given up, in milliseconds; the oldest first. */
  #givenUp: readonly number[] = [];

  constructor(deps: AskersDeps) {
    this.#deps = deps;
  }

  /**
   * The call that a question belongs to; null if none runs. @throws ServerRequestRefused when several calls are
   * possible
   */
  async find(method: string, signal: AbortSignalLike): Promise<AskingCall | null> {
    const { running, caughtUp, memory } = this.#deps;
    const calls = running();
    if (calls.length === 0) return null;
    const isAsked = this.#asked();
    const asked = new Set(calls.filter((call) => isAsked.has(call)));
    const others = calls.filter((call) => !asked.has(call));
    return new Promise((resolve, reject) => {
      // Servers ask for roots right after they start, for no call; unless a call runs that is known to ask.
      const isPatient = method === 'roots/list' && !calls.some((call) => memory.kindOf(call) !== undefined);
      const fresh = { method, isDue: false, isPatient, resolve, reject };
      const question: Held =
        others.length === 0
          ? { ...fresh, candidates: asked, asked: new Set() }
          : { ...fresh, candidates: new Set(others), asked };
      this.#held.add(question);
      const drop = () => {
        this.#held.delete(question);
        reject(signal.reason); // the answer is no longer wanted
      };
      signal.addEventListener('abort', drop, { once: true });
      void caughtUp(isPatient).then(() => {
        question.isDue = true;
        this.#settle();
      });
    });
  }

  /**
   * Ends a call. The call need not be ended here if it was answered while no request was open and no watcher was
   * registered.
   * @param isAnswered whether the server has answered it: then no open request can be its own
   */
  end(call: AskingCall, isAnswered: boolean): void {
    if (!isAnswered && this.#isOfPerson(call)) this.#givenUp = [...this.#livingOn(), performance.now()];
    for (const question of [...this.#held]) {
      const { candidates, asked } = question;
      if (!isAnswered && this.#mayBeOf(question).has(call))
        this.#refuse(question); // it may have been its own
      else if (!candidates.delete(call)) asked.delete(call);
    }
    this.#settle();
    this.#notify();
  }

  /** The failure of a call that is over: a refusal of ours is no error of the server, and its silence is explained by it. */
  explain(call: AskingCall, failure: unknown): unknown {
    const reason = this.#unasked.get(call);
    const kind = failure instanceof UpstreamFailure ? failure.detail.kind : undefined;
    return reason === undefined || kind === 'unreachable' ? failure : new Unasked(reason, kind === 'rejected');
  }

  load(): CallLoad {
    const { running, memory } = this.#deps;
    const asked = this.#asked();
    const load = { total: this.#livingOn().length, unasked: 0, askers: 0, persons: 0 };
    for (const call of running()) {
      const isAsked = asked.has(call);
      const kind = memory.kindOf(call);
      load.total += 1;
      if (!isAsked) load.unasked += 1;
      if (isAsked || kind !== undefined) load.askers += 1;
      if (kind === undefined ? isAsked : kind !== 'roots') load.persons += 1;
    }
    return load;
  }

  #isOfPerson(call: AskingCall): boolean {
    const kind = this.#deps.memory.kindOf(call);
    return kind !== undefined && kind !== 'roots';
  }

  #livingOn(): readonly number[] {
    return this.#givenUp.filter((atMs) => performance.now() - atMs < afterlifeMs);
  }

  /** Calls with an open question, and with one that can be of no other. */
  #asked(): ReadonlySet<unknown> {
    const asked = new Set<unknown>(this.#deps.asked());
    for (const question of this.#held) {
      const [call, ...more] = this.#mayBeOf(question);
      if (more.length === 0) asked.add(call);
    }
    return asked;
  }

  /** The calls that may have asked it. One of a tool not known to ask is no likelier than one that waits for its caller. */
  #mayBeOf({ method, candidates, asked }: Held): ReadonlySet<AskingCall> {
    if (candidates.size === 0) return asked;
    if (asked.size === 0 || [...candidates].every((call) => this.#isKnownToAsk(call, method))) return candidates;
    return new Set([...candidates, ...asked]);
  }

  #isKnownToAsk(call: AskingCall, method: string): boolean {
    const kind = this.#deps.memory.kindOf(call);
    return kind === 'person' || (kind === 'roots' && method === 'roots/list');
  }

  #settle(): void {
    for (const question of [...this.#held]) {
      const [call, ...more] = this.#mayBeOf(question);
      if (call === undefined) this.#assign(question, null);
      else if (question.isDue && more.length === 0) this.#assign(question, call);
    }
    const held = [...this.#held];
    if (held.some(({ isDue, isPatient }) => !isDue && !isPatient)) return;
    const due = held.filter(({ isDue }) => isDue);
    // Each of the calls may wait for an answer, and then none will end by itself. If one is left beside calls that wait
    // for their callers, it has its answer soon, or else theirs show it.
    if (due.some(({ candidates }) => candidates.size !== 1 && candidates.size <= due.length))
      for (const each of due) this.#refuse(each);
  }

  #assign(question: Held, call: AskingCall | null): void {
    this.#held.delete(question);
    if (call !== null) this.#deps.memory.note(call, question.method === 'roots/list' ? 'roots' : 'person');
    question.resolve(call);
    this.#notify();
  }

  #refuse(question: Held): void {
    this.#held.delete(question);
    const { method } = question;
    const several = this.#mayBeOf(question);
    const which = `${method} of the server could be of any of ${several.size} calls that ran in one process of it`;
    const reason = `${which}, so no caller was asked; such calls run apart from now on, so that a repeat can be asked`;
    for (const call of several) {
      this.#deps.memory.note(call, 'perhaps');
      this.#unasked.set(call, reason);
    }
    question.reject(new ServerRequestRefused(rpcErrors.internalError, reason));
  }

  #notify(): void {
    for (const notify of this.watchers) notify();
  }
}
