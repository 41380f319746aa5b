// How calls may end, as a model that is independent of the implementation. Events before the plane has its turn are a
// race: each of the events that raced may be the end. For tests of this package only.
import type { ErrorCode, RetryMetadata } from '@portico/contracts';

/** `asked` is an interim answer: questions that the caller is to come back with the answers to. */
export type End = 'ok' | 'asked' | ErrorCode;

/** The end as a caller has seen it. */
export interface Seen {
  readonly end: End;
  readonly state: RetryMetadata['upstream_execution_state'];
}

/** One request of a caller. */
export interface Request {
  readonly id: number;
  readonly requestId: string | null;
  readonly run: Run;
  /** Whether it answers questions while its call runs, rather than by another request. */
  readonly isLive: boolean;
  /** Begun after the service began to stop: how far that has come decides how it ends. */
  readonly isLate: boolean;
  /** Begun since the plane had its turn. */
  isNew: boolean;
  readonly causes: Set<End>;
  /** Its deadline, and what is left of it while a person is waited for. */
  dueMs: number;
  leftMs: number | undefined;
  /** Whether its deadline has stood still: it has a timer of its own from then on. */
  hasPaused: boolean;
  end: End | undefined;
  /** Records of the end of a call whose caller did not come back, beyond the one that each request leaves. */
  abandoned: { min: 0 | 1; max: 0 | 1 };
}

/** One execution: of a call without a key, or of all requests under one key. */
export interface Run {
  readonly name: string;
  readonly isKeyed: boolean;
  status: 'free' | 'running' | 'parked' | 'over';
  /** The request that drives it; none while it is parked. */
  holder: Request | undefined;
  /** The requests that the upstream has got: one at most. */
  readonly arrived: Request[];
  /** Other requests under its key that wait for its end. */
  waiting: Request[];
  /** Causes of its end that do not depend on one request. */
  readonly causes: Set<End>;
  /** How it may have ended; one when a request has seen it. */
  ends: ReadonlySet<End>;
  /** The request that saw it end first; none if its caller did not come back. */
  endedBy: Request | undefined;
  /** The holder answers questions while its call runs, and has one. */
  isAsking: boolean;
  /** The request that was given the question, and until when its answer is waited for. */
  parkedBy: Request | undefined;
  parkedUntilMs: number;
}

export interface Model {
  readonly timeoutMs: number;
  nowMs: number;
  isDown: boolean;
  /** Since when the service stops, and until when it lets calls run. */
  graceEndsMs: number | undefined;
  readonly runs: Map<string, Run>;
  readonly requests: Request[];
}

/** How long a parked call waits for its caller. */
export const parkedMs = 300_000;

export function createModel(timeoutMs: number): Model {
  return { timeoutMs, nowMs: 0, isDown: false, graceEndsMs: undefined, runs: new Map(), requests: [] };
}

export function runOf(model: Model, name: string, isKeyed: boolean): Run {
  const known = model.runs.get(name);
  if (known !== undefined) return known;
  const run: Run = {
    name,
    isKeyed,
    status: 'free',
    holder: undefined,
    arrived: [],
    waiting: [],
    causes: new Set(),
    ends: new Set(),
    isAsking: false,
    endedBy: undefined,
    parkedBy: undefined,
    parkedUntilMs: 0,
  };
  model.runs.set(name, run);
  return run;
}

/** A first request, or one more under a key. */
export function begin(model: Model, run: Run, requestId: string | null, isLive: boolean): Request {
  const request = newRequest(model, { run, requestId, isLive });
  if (run.status === 'free') {
    Object.assign(run, { status: 'running', holder: request });
    if (model.isDown) run.causes.add('SERVER_UNREACHABLE');
    return request;
  }
  run.waiting.push(request);
  if (run.status === 'parked') request.causes.add('asked');
  if (run.status === 'over') addAll(request.causes, run.ends);
  return request;
}

/** A request that brings the answer to the question of a parked call. */
export function resume(model: Model, run: Run, requestId: string | null): Request {
  const request = newRequest(model, { run, requestId, isLive: false });
  if (run.status === 'over') {
    run.waiting.push(request);
    addAll(request.causes, run.isKeyed ? run.ends : ['INVALID_ARGS']);
    return request;
  }
  addAll(run.causes, run.ends); // it had ended, and only this request receives that
  Object.assign(run, { status: 'running', holder: request });
  return request;
}

function newRequest(
  { nowMs, timeoutMs, graceEndsMs, requests }: Model,
  given: Pick<Request, 'run' | 'requestId' | 'isLive'>,
): Request {
  const request: Request = {
    ...given,
    id: requests.length,
    isLate: graceEndsMs !== undefined,
    isNew: true,
    causes: new Set(),
    dueMs: nowMs + timeoutMs,
    leftMs: undefined,
    hasPaused: false,
    end: undefined,
    abandoned: { min: 0, max: 0 },
  };
  requests.push(request);
  return request;
}

/** Ends what its principal has under a request id: requests in flight, and calls that are parked. */
export function cancel(model: Model, requestId: string): void {
  for (const request of open(model)) if (request.requestId === requestId) request.causes.add('OPERATION_CANCELLED');
  for (const run of model.runs.values())
    if (run.status === 'parked' && run.parkedBy?.requestId === requestId) run.causes.add('OPERATION_CANCELLED');
}

/** The caller goes away, which ends only what no key protects. */
export function leave(request: Request): void {
  if (!request.run.isKeyed) request.causes.add('OPERATION_CANCELLED');
}

/** The upstream answers, or ends with an error. Once the run is over that is too late. */
export function answer(run: Run, end: 'ok' | 'UPSTREAM_ERROR'): void {
  if (run.status !== 'over' && run.ends.size === 0) run.causes.add(end);
}

/** The upstream asks: the deadline stands still for a caller that answers at once, any other gets an interim answer. */
export function ask(model: Model, run: Run): void {
  const { holder } = run;
  if (holder?.isLive !== true) return void run.causes.add('asked');
  run.isAsking = true;
  Object.assign(holder, { leftMs: holder.dueMs - model.nowMs, dueMs: Number.POSITIVE_INFINITY, hasPaused: true });
}

export function reply(model: Model, run: Run): void {
  run.isAsking = false;
  if (run.holder?.leftMs === undefined) return;
  Object.assign(run.holder, { dueMs: model.nowMs + run.holder.leftMs, leftMs: undefined });
}

/** The connection is lost, and with it every request that is on its way or queues. */
export function drop(model: Model): void {
  model.isDown = true;
  for (const run of model.runs.values()) {
    if (run.status === 'running' || (run.status === 'parked' && run.ends.size === 0))
      run.causes.add('SERVER_UNREACHABLE');
  }
}

/** The service stops: what waits for people ends at once, the rest when the grace is over. */
export function stop(model: Model, graceMs: number): void {
  model.graceEndsMs = model.nowMs + graceMs;
  for (const run of model.runs.values()) if (run.isAsking || run.status === 'parked') giveUp(run);
}

/** When time brings about the next end. */
export function nextDueMs(model: Model): number {
  const parked = [...model.runs.values()].filter(({ status }) => status === 'parked');
  const times = [...open(model).map(({ dueMs }) => dueMs), ...parked.map(({ parkedUntilMs }) => parkedUntilMs)];
  return Math.min(
    ...times,
    hasStopped(model) ? Number.POSITIVE_INFINITY : (model.graceEndsMs ?? Number.POSITIVE_INFINITY),
  );
}

export function hasStopped({ nowMs, graceEndsMs }: Model): boolean {
  return graceEndsMs !== undefined && nowMs >= graceEndsMs;
}

export function passTo(model: Model, nowMs: number): void {
  model.nowMs = nowMs;
  for (const request of open(model)) {
    if (request.dueMs <= nowMs) request.causes.add('UPSTREAM_TIMEOUT');
    if (hasStopped(model)) request.causes.add('OPERATION_CANCELLED');
  }
  for (const run of model.runs.values())
    if (run.status === 'parked' && (run.parkedUntilMs <= nowMs || hasStopped(model))) giveUp(run);
}

/** A call that waits for a person ends permanently: its caller can no longer answer. */
function giveUp(run: Run): void {
  if (run.isAsking) run.causes.add('OPERATION_CANCELLED');
  else settleParked(run, run.ends.size === 0 ? new Set(['OPERATION_CANCELLED']) : run.ends, true);
}

/** Requests that have no end yet. */
export function open({ requests }: Model): readonly Request[] {
  return requests.filter(({ end }) => end === undefined);
}

/** How many calls the upstream works on, and how many wait for a place there. A question gives its place to others. */
export function queueOf({ runs }: Model): { readonly running: number; readonly queued: number } {
  const inFlight = [...runs.values()].filter(({ status }) => status === 'running');
  const running = inFlight.filter(({ arrived, isAsking }) => arrived.length > 0 && !isAsking).length;
  return { running, queued: inFlight.filter(({ arrived }) => arrived.length === 0).length };
}

/** Holds what callers have seen against what may have been, and goes on from there. @throws Error if they differ */
export function settle(model: Model, seen: (request: Request) => Seen | undefined): void {
  for (const run of model.runs.values()) {
    const raced = new Set(run.causes);
    run.causes.clear();
    const { holder, arrived } = run;
    if (arrived.length > 1) throw new Error(`"${run.name}" was sent ${arrived.length} times`);
    const isJustResumed = holder?.isNew === true && run.parkedBy !== undefined;
    if (holder !== undefined) settleHolder(model, run, holder, raced, seen(holder));
    else if (run.status === 'parked' && raced.size > 0) settleParked(run, raced, run.isKeyed);
    const ended = holder?.end === undefined ? [] : [holder.end];
    const isOpen = run.status === 'running' || !run.isKeyed;
    settleWaiting(run, { ends: isOpen ? ended : [...ended, ...run.ends, ...raced], isJustResumed }, seen);
  }
  for (const request of model.requests) request.isNew = false;
}

/** How many timers run: of the deadlines of calls that wait for no person, most of which share one, and of parked calls. */
export function timersOf(model: Model): number {
  const parked = [...model.runs.values()].filter(({ status }) => status === 'parked');
  const timed = open(model).filter(({ leftMs }) => leftMs === undefined);
  const own = timed.filter(({ hasPaused }) => hasPaused);
  return Math.min(1, timed.length - own.length) + own.length + parked.length;
}

function settleHolder(model: Model, run: Run, holder: Request, raced: ReadonlySet<End>, seen: Seen | undefined): void {
  const allowed = new Set([...raced, ...holder.causes]);
  const isResumed = run.parkedBy !== undefined;
  const isKept = isResumed || run.arrived[0] === holder;
  see(holder, seen, allowed, allowed.size > 0, isKept ? ['unknown'] : ['not_started']);
  if (seen === undefined) return;
  // The cause of its end may have come before the request that resumes it.
  const isRaced = holder.isNew && isResumed;
  if (isRaced && run.parkedBy !== undefined) run.parkedBy.abandoned.max = 1;
  Object.assign(run, { holder: undefined, isAsking: false });
  if (seen.end !== 'asked') {
    Object.assign(
      run,
      isKept
        ? { status: 'over', ends: new Set([seen.end]), endedBy: isRaced ? undefined : holder }
        : { status: 'free' },
    );
    return;
  }
  Object.assign(run, { status: 'parked', ends: new Set(), parkedBy: holder, parkedUntilMs: model.nowMs + parkedMs });
  allowed.delete('asked');
  if (allowed.size > 0) settleParked(run, allowed, run.isKeyed);
}

/** A parked call has ended. Without a key only the request that resumes it receives that, until its time is over. */
function settleParked(run: Run, ends: ReadonlySet<End>, isKnown: boolean): void {
  run.ends = new Set(ends);
  if (!isKnown) return;
  run.status = 'over';
  if (run.parkedBy !== undefined) run.parkedBy.abandoned = { min: 1, max: 1 };
}

interface RunEnds {
  readonly ends: readonly End[];
  /** A repeat that came in between may have been asked once more, and others with it. */
  readonly isJustResumed: boolean;
}

function settleWaiting(run: Run, { ends, isJustResumed }: RunEnds, seen: (request: Request) => Seen | undefined): void {
  const known = [...ends];
  for (const request of run.waiting) {
    const allowed = new Set([...request.causes, ...known]);
    const isAskedAgain = isJustResumed && request.isNew && seen(request)?.end === 'asked';
    if (isAskedAgain) allowed.add('asked');
    // An end before anything was sent is forgotten: a request that was begun since then may have run the call.
    const mayRun = request.isNew && run.status === 'free';
    see(request, seen(request), allowed, allowed.size > 0 && !mayRun, ['unknown', 'not_started']);
    if (!mayRun || request.end === undefined) continue;
    known.push(request.end);
    if (run.arrived[0] === request)
      Object.assign(run, { status: 'over', ends: new Set([request.end]), endedBy: request });
  }
  run.waiting = run.waiting.filter(({ end }) => end === undefined);
  if (run.status === 'free' && run.waiting.length > 0)
    Object.assign(run, { status: 'running', holder: run.waiting.shift() });
}

/** @param unanswered the states that are right where the upstream has not answered */
function see(
  request: Request,
  seen: Seen | undefined,
  allowed: ReadonlySet<End>,
  mustEnd: boolean,
  unanswered: readonly Seen['state'][],
): void {
  request.end = seen?.end;
  if (request.isLate && (seen !== undefined || !mustEnd)) return;
  const expected = mustEnd
    ? [...allowed].join(' or ')
    : `no end${allowed.size > 0 ? ` or ${[...allowed].join(' or ')}` : ''}`;
  const problem = `call ${request.id} ended with ${seen?.end ?? 'nothing'}, ${seen?.state}; expected is ${expected}`;
  if (seen === undefined ? mustEnd : !allowed.has(seen.end)) throw new Error(problem);
  if (seen === undefined) return;
  const isAnswered = seen.end === 'ok' || seen.end === 'UPSTREAM_ERROR';
  const states = isAnswered ? ['completed'] : seen.end === 'asked' ? ['unknown'] : unanswered;
  if (!states.includes(seen.state)) throw new Error(`${problem}, and ${states.join(' or ')}`);
}

function addAll(causes: Set<End>, ends: Iterable<End>): void {
  for (const end of ends) causes.add(end);
}
