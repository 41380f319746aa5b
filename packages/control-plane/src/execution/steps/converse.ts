// Step 7: sends the request, and lets the upstream ask its caller before it answers: at once if the caller listens,
// else by an interim answer that the caller resumes.
import type { AbortSignalLike, Settle } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type {
  Clock,
  ProgressListener,
  SendDeadline,
  SendOutcome,
  ServerRequest,
  ServerRequestHandler,
  UpstreamPool,
  UpstreamRequest,
} from '@portico/upstream-pool';
import { CallFailure } from '../../call/call.js';
import type { CallClient } from '../../call/client.js';
import { asFailure } from '../../call/failures.js';
import { isInterim } from '../../call/interim.js';
import type { Operation } from '../../call/operations.js';
import type { Target } from '../../call/target.js';
import type { Inspecting } from '../../inspect/frame-owners.js';
import { anythingGoes, withConfiguredRoots } from '../../interaction/answerable.js';
import { noteRefused } from '../../interaction/note-refused.js';
import type { ParkedRequest } from '../../interaction/parked-calls.js';
import { PendingQuestions, type Questions } from '../../interaction/pending-questions.js';
import { answersIn, passLogMessages, withTasks } from '../../interaction/questioning.js';
import type { Tracing } from '../../observability/tracing/spans.js';
import { type Asked, type Asking, answerServerRequest } from '../../sampling/answer-server-request.js';
import type { Sampling } from '../../sampling/sampling.js';
import type { PlaneState } from '../../state/plane-state.js';
import { retryOf, withheldBy } from '../../state/target.js';
import { withRoots } from './answer-roots.js';
import type { Attempt } from './classify.js';
import { continueParked } from './continue-parked.js';
import { followTaskOf, taskIn, type UpstreamTask } from './follow-task.js';
import { type ParkDeps, parkTurn } from './park-turn.js';
import { methods, toRequest } from './prepare.js';
import { answerRounds, maxRounds, sentBefore, withTurn } from './rounds.js';
import { failureOf } from './send-failure.js';
import { failNotRunning, upstreamOf } from './server-of-target.js';
import type { TurnAnswer } from './turn-answer.js';

export interface ConverseDeps extends ParkDeps<PendingRequest>, Pick<Tracing, 'randomHex'> {
  readonly clock: Clock;
  readonly pool: UpstreamPool;
  readonly sampling: Sampling;
  readonly inspecting: Inspecting;
}

/**
 * Resolves with the answer, with the questions before it, or with a failure: one of `failureOf`, INVALID_ARGS for an
 * invalid state or invalid answers, or INTERNAL_ERROR when too many calls wait. Rejects, or throws, only for a defect.
 * @param isFirst whether nothing has been sent under the key before
 */
export function converse(on: ConverseDeps, attempt: Attempt, isFirst: boolean): Promise<TurnAnswer | CallFailure> {
  const { run, target, claim, prepared } = attempt;
  const { client, inputResponses, requestState } = run.call;
  run.trace?.enterInvoke(target.server, methods[target.kind]);
  try {
    const mayWait = requestState !== undefined || claim !== null;
    const continued = mayWait ? continueParked(on.parked, attempt, isFirst) : undefined;
    if (continued !== undefined) return continued;
    const request = toRequest(on.randomHex, run, target, prepared);
    const isFurther = inputResponses !== undefined || requestState !== undefined;
    const pending = send(on, attempt, isFurther ? withTurn(request, upstreamOf(on.pool, target), run.call) : request);
    if (client === undefined) return pending.next();
    return answerRounds(on.pool, attempt, client, { pending, request, send: sendFor(on, attempt) }).catch(asFailure);
  } catch (error) {
    return Promise.resolve(asFailure(error)); // nothing was sent
  }
}

function sendFor(on: ConverseDeps, attempt: Attempt): (request: UpstreamRequest) => PendingRequest {
  return (request) => {
    noteAnswered(attempt.run);
    return send(on, attempt, request);
  };
}

/** A further round follows the answer to the one before: the call was sent, and has to go on. */
function noteAnswered({ entry, granted }: Attempt['run']): void {
  if (entry.kind === 'ticket') entry.answered();
  granted?.answered();
}

/** @throws CallFailure SERVER_UNREACHABLE */
function send(on: ConverseDeps, attempt: Attempt, request: UpstreamRequest): PendingRequest {
  const { run, target } = attempt;
  const upstream = on.pool.get(target.server) ?? failNotRunning(target.server);
  const own = on.state().lock.isEnforced ? withLock(on.state, target, request) : request;
  const pending = new PendingRequest(on, attempt, own);
  on.inspecting.owners?.add(own.params, run.call.caller);
  upstream.dispatch(own, pending, pending, pending);
  if (run.call.task?.isPreferred === true) pending.becomeTask();
  return pending;
}

/** A definition that was held while the call waited for its place is not sent. */
function withLock(state: () => PlaneState, target: Target, request: UpstreamRequest): UpstreamRequest {
  const withhold = () => {
    const reason = request.withhold?.();
    if (reason !== undefined) return reason;
    return withheldBy(state(), target);
  };
  return { ...request, withhold };
}

/** One request at an upstream, and its caller's side. A parked request continues while its caller is away. */
export class PendingRequest
  implements Settle<SendOutcome>, SendDeadline, ServerRequestHandler, ProgressListener, Asked, ParkedRequest
{
  /** Aborts when the request is cancelled at the upstream; its reason says why. */
  readonly signal: AbortSignalLike;
  readonly capabilities: JsonObject;
  readonly logLevel: ServerRequestHandler['logLevel'];
  /** Any server may report progress of its call, whether its caller wants to receive it or not. */
  readonly progress: ProgressListener = this;
  readonly onLogMessage: ServerRequestHandler['onLogMessage'];
  requestId: string | null;
  sentAtMs: number | undefined = undefined;
  readonly #beganMs: number;
  readonly #on: ConverseDeps;
  readonly #request: UpstreamRequest;
  /** The attempt that sent it: its signal also ends a request that outlives its operation. */
  readonly #first: Attempt;
  /** The attempt whose caller it reaches now. */
  #attempt: Attempt;
  /** The upstream has made a task of the call, which has its own time limit. */
  #isTask = false;
  #questions: PendingQuestions | undefined;
  /** How often roots were answered in place of the caller. */
  #rootRounds = 0;
  #outcome: SendOutcome | undefined;
  #defect: { readonly error: unknown } | undefined;
  #resolve: ((answer: TurnAnswer | CallFailure) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #stopFollowing: (() => void) | undefined;
  #onEnd: (() => void) | undefined;
  #ended: Promise<void> | undefined;

  constructor(on: ConverseDeps, attempt: Attempt, request: UpstreamRequest) {
    const { call, operation } = attempt.run;
    const { client, task } = call;
    const capabilities = client === undefined ? anythingGoes : withConfiguredRoots(client.capabilities);
    this.#on = on;
    this.#beganMs = on.clock.now();
    this.#request = request;
    this.#first = attempt;
    this.#attempt = attempt;
    this.signal = operation.signal;
    this.requestId = call.correlation.requestId;
    this.capabilities = task === undefined ? capabilities : withTasks(capabilities);
    if (client === undefined) return;
    this.logLevel = client.logLevel;
    if (client.onLogMessage !== undefined) this.onLogMessage = passLogMessages(this);
  }

  get atMs(): number {
    return this.operation.atMs;
  }

  get principal(): string | undefined {
    return this.operation.principal;
  }

  get client(): CallClient | undefined {
    return this.#attempt.run.call.client;
  }

  get operation(): Operation {
    return this.#attempt.run.operation;
  }

  get asking(): Asking {
    const { sampling, state } = this.#on;
    const serverId = this.#first.target.server;
    const { correlation, caller } = this.#first.run.call;
    const { client, acceptsRoots } = this.#attempt.run.call; // the question goes to the caller that it reaches now
    const call = {
      correlation,
      caller,
      ...(client === undefined ? {} : { client }),
      ...(acceptsRoots === undefined ? {} : { acceptsRoots }),
    };
    return {
      sampling,
      serverId,
      call,
      config: state().config,
      onRefused: (...refused) => this.#noteRefused(...refused),
    };
  }

  onServerRequest(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
    return answerServerRequest(this, question, signal);
  }

  /** Progress extends the deadline, and is passed on to the current caller. */
  onProgress(progress: JsonObject): void {
    const { call, operation, state } = this.#attempt.run;
    const { toolTimeoutMs, maxToolTimeoutMs } = state.config;
    operation.extend({ byMs: toolTimeoutMs, upToMs: maxToolTimeoutMs, setting: 'maxToolTimeoutMs' });
    call.client?.onProgress?.(progress);
  }

  park(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
    return this.#askLater(question, undefined, signal);
  }

  #askLater(question: ServerRequest, name: string | undefined, signal = this.signal): Promise<JsonObject> {
    this.#questions ??= new PendingQuestions(() => this.#wake());
    return this.#questions.ask(question, signal, name);
  }

  open(): Questions {
    return this.#questions?.open() ?? new Map();
  }

  /** Ends the request, or follows the task that the upstream has made of it until that ends. */
  resolve(outcome: SendOutcome): void {
    if (outcome.kind === 'answered') {
      const { result } = outcome;
      const { task: isWanted } = this.#request.params; // a task of 2025-11-25 is made only upon request
      const task = result.resultType === 'task' || isWanted ? taskIn(result, this.#request) : undefined;
      if (task !== undefined) {
        this.#follow(task);
        return;
      }
      if (result.resultType === 'input_required' && this.#answerRoots(outcome)) return;
    }
    this.#outcome = outcome;
    const { run } = this.#attempt;
    const { sentAtMs } = this;
    if (sentAtMs !== undefined) {
      run.queueMs = sentAtMs - this.#beganMs;
      run.upstreamMs = this.#on.clock.now() - sentAtMs;
    }
    this.#wake();
  }

  #end(outcome: SendOutcome): void {
    this.#outcome = outcome;
    this.#wake();
  }

  reject(error: unknown): void {
    this.#defect = { error };
    this.#wake();
  }

  /**
   * Waits for the answer, or for the questions before it, within the operation of the current attempt, whose deadline
   * and cancel apply to the upstream. A failure of the call is a value; rejects for a defect.
   */
  next(): Promise<TurnAnswer | CallFailure> {
    const { signal } = this.#attempt.run.operation;
    if (signal !== this.signal) this.#followSignal(signal);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#wake();
    });
  }

  /** A further request of the caller passes its answers on, and waits for the next turn. */
  resume(attempt: Attempt): Promise<TurnAnswer | CallFailure> {
    const { task, inputResponses, correlation } = attempt.run.call;
    this.#attempt = attempt;
    this.requestId ??= correlation.requestId;
    if (this.#isTask || task?.isPreferred === true) this.becomeTask();
    this.#questions?.answer(answersIn(inputResponses));
    return this.next();
  }

  answered(): Promise<void> {
    return this.#questions?.noneOpen() ?? Promise.resolve();
  }

  end(reason: unknown): void {
    this.#first.run.operation.abort(reason);
  }

  ended(): Promise<void> {
    this.#ended ??= new Promise((resolve) => {
      this.#onEnd = resolve;
      this.#wake();
    });
    return this.#ended;
  }

  /** The answer to the caller that it reaches at its end. Rejects with CallFailure, or with a defect. */
  async answerAtEnd(): Promise<TurnAnswer> {
    await this.ended();
    return this.#answer();
  }

  /** Notifies waiters of its end, or of questions. */
  #wake(): void {
    const hasEnded = this.#outcome !== undefined || this.#defect !== undefined;
    const resolve = this.#resolve;
    if (resolve !== undefined && (hasEnded || (this.#questions !== undefined && this.#questions.size > 0))) {
      this.#resolve = undefined;
      this.#stopFollowing?.();
      try {
        resolve(this.#answer());
      } catch (error) {
        if (error instanceof CallFailure) resolve(this.#rootRounds === 0 ? error : sentBefore(this.#attempt, error));
        else this.#reject?.(error);
      }
    }
    if (hasEnded) this.#onEnd?.();
  }

  #answer(): TurnAnswer {
    if (this.#defect !== undefined) throw this.#defect.error;
    const { target, claim } = this.#attempt;
    if (this.#outcome === undefined) return parkTurn(this.#on, this.#attempt, this);
    return answerOf(target, this.#outcome, this.signal, claim !== null);
  }

  /**
   * Calls the server again with configured roots if it asks for roots that the caller cannot be asked for, after the caller
   * has answered the other questions. A caller that listens answers all at once.
   */
  #answerRoots(outcome: Extract<SendOutcome, { readonly kind: 'answered' }>): boolean {
    if (this.client?.ask !== undefined || this.#rootRounds >= maxRounds) return false;
    const round = withRoots(this.asking, this.#request, outcome.result);
    if (round === undefined) return false;
    this.#rootRounds += 1;
    const { rest, others, toRequest } = round;
    if (others === undefined) {
      this.#end({ ...outcome, result: rest });
      return true;
    }
    const answers = others.map(async ([name, question]) => [name, await this.#askLater(question, name)] as const);
    Promise.all(answers)
      .then((given) => {
        const { server } = this.#first.target;
        const upstream = this.#on.pool.get(server) ?? failNotRunning(server);
        noteAnswered(this.#first.run);
        upstream.dispatch(toRequest(Object.fromEntries(given)), this, this, this);
      })
      .catch((error: unknown) => {
        if (this.signal.aborted) this.#end({ kind: 'aborted', sent: true });
        else this.reject(error);
      });
    return true;
  }

  #noteRefused(...[question, reason]: Parameters<Asking['onRefused']>): void {
    noteRefused(this.#on, this.#first.target.server, question, reason, this.#attempt.run);
  }

  #follow(task: UpstreamTask): void {
    this.#isTask = true;
    this.becomeTask();
    const followed = followTaskOf(this.#on, this.#first.target, task, this);
    followed.then(
      (outcome) => this.#end(outcome),
      (error: unknown) => this.reject(error),
    );
  }

  /** A caller that takes tasks does not wait: a task has more time. */
  becomeTask(): void {
    const { call, operation, state } = this.#attempt.run;
    if (call.task === undefined) return;
    const { taskTimeoutMs: upToMs } = state.config;
    operation.extend({ byMs: upToMs, upToMs, setting: 'taskTimeoutMs' });
    call.task.become();
  }

  /** Also ends the request with the signal of a later operation. */
  #followSignal(signal: AbortSignalLike): void {
    const abort = () => this.end(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#stopFollowing = () => signal.removeEventListener('abort', abort);
  }
}

/** @param signal of the request; its reason says why it was aborted @throws CallFailure */
export function answerOf(target: Target, outcome: SendOutcome, signal: AbortSignalLike, isKeyed: boolean): TurnAnswer {
  if (outcome.kind !== 'answered') throw failureOf(target, outcome, signal, isKeyed);
  const data = outcome.result;
  const isOver = data.resultType === undefined || !isInterim(data);
  const retry = retryOf(target, isKeyed, isOver ? 'completed' : 'unknown');
  return { data, dataText: isOver ? outcome.resultText : undefined, retry, isPaused: false };
}
