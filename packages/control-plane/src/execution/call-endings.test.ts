// How calls end, against a model: several at once, under keys and without, while their callers cancel, leave, answer
// questions and repeat, their upstream answers, fails, asks and is lost, and time passes and the service stops.
import { type AbortSignalLike, AbortSource } from '@portico/async';
import type { AuditRecord } from '@portico/audit-chain';
import { type Envelope, isQuestion, type JsonObject } from '@portico/contracts';
import {
  type ServerRequest,
  type ServerRequestHandler,
  UpstreamFailure,
  type UpstreamRequest,
} from '@portico/upstream-pool';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Outcome } from '../call/call.js';
import * as calls from '../testing/call-model.js';
import { type CallInput, idleTimers, startPlane, tool } from '../testing/start-plane.js';

/** How many schedules are tried: `PORTICO_CALL_SCHEDULES=100000` for the long run (docs/testing.md). */
const schedules = Number(process.env.PORTICO_CALL_SCHEDULES ?? 3000);

const timeoutMs = 1000;
const graceMs = 500;
const file = {
  toolTimeoutMs: timeoutMs,
  resilience: { failureThreshold: 1_000_000, maxRestarts: 1_000_000 }, // the circuit has a model of its own
};

/** Requests of one name are repeats: `r` by their request id, `k` by their key. Each `plain` call is one of its own. */
type Under = 'plain' | 'r' | 'k0' | 'k1';

type Act =
  | { readonly do: 'begin'; readonly under: Under; readonly id: number; readonly isLive: boolean }
  /** One of the requests, arrivals or questions, counted back from the newest. */
  | { readonly do: 'cancel' | 'leave' | 'answer' | 'fail' | 'ask' | 'reply'; readonly at: number }
  | { readonly do: 'drop' }
  | { readonly do: 'stop' }
  | { readonly do: 'pass'; readonly ms: number };

interface Step {
  readonly act: Act;
  /** How far promises proceed before the next step: a number of turns, or until all have settled. */
  readonly turns: number | 'all';
}

const at = fc.nat(2);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('begin'),
      under: fc.constantFrom('plain', 'plain', 'r', 'k0', 'k0', 'k1'),
      id: fc.nat(1),
      isLive: fc.boolean(),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('answer', 'answer', 'fail'), at }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constantFrom('cancel', 'leave', 'ask', 'reply'), at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.constantFrom(100, 500, 700, 1000) }) },
  { weight: 1, arbitrary: fc.constantFrom<Act>({ do: 'drop' }, { do: 'drop' }, { do: 'stop' }) },
  { weight: 1, arbitrary: fc.constant({ do: 'pass', ms: calls.parkedMs }) },
);
const turns = fc.constantFrom<Step['turns']>(0, 0, 1, 2, 3, 4, 6, 9, 14, 'all', 'all', 'all', 'all');
const steps = fc.array(fc.record({ act, turns }), { maxLength: 24, size: 'max' });

/** Calls that are begun before all others: with 64 at once, the next one has to queue. */
const crowd = fc.oneof(
  { weight: 15, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(62, 63, 64) },
);

it(
  'ends each call once, with an end that its events allow, and leaves one record of it and nothing else',
  async () => {
    await fc.assert(
      fc.asyncProperty(crowd, steps, async (crowded, schedule) => {
        const world = await World.start();
        for (let n = 0; n < crowded; n += 1) world.do({ do: 'begin', under: 'plain', id: 0, isLive: false });
        await world.settle();
        for (const step of schedule) await world.take(step);
        await world.finish();
      }),
      { numRuns: schedules },
    );
  },
  60_000 + schedules * 50, // only a limit: a busy machine takes ten times as long as an idle one
);

const question: ServerRequest = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } };
const answer: JsonObject = { action: 'accept', content: { name: 'Ann' } };
const refusal = new UpstreamFailure('no', { kind: 'rejected', error: { code: -32603, message: 'no' } });

const traceIdOf = ({ id }: calls.Request) => (id + 1).toString(16).padStart(32, '0');

/** The signal of a caller, which knows how many listen to it. */
class CallerSignal extends AbortSource {
  readonly #listening = new Set<() => void>();

  get listening(): number {
    return this.aborted ? 0 : this.#listening.size;
  }

  override addEventListener(type: 'abort', listener: () => void): void {
    this.#listening.add(listener);
    super.addEventListener(type, listener);
  }

  override removeEventListener(type: 'abort', listener: () => void): void {
    this.#listening.delete(listener);
    super.removeEventListener(type, listener);
  }
}

/** A request as its upstream has got it. */
interface Arrival {
  readonly by: calls.Request;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
  readonly ask: () => void;
  isAnswered: boolean;
}

/** The plane and the model side by side. */
class World {
  readonly #model = calls.createModel(timeoutMs);
  readonly #plane = startPlane(
    { s: { definitions: { tools: [tool('t')] }, handle: (...of) => this.#arrive(...of) } },
    file,
  );
  readonly #arrivals: Arrival[] = [];
  readonly #outcomes = new Map<calls.Request, Outcome>();
  readonly #callers = new Map<calls.Request, CallerSignal>();
  /** Questions to callers that answer while their call runs. */
  readonly #asked = new Map<calls.Run, (answer: JsonObject) => void>();
  #wasDown = false;
  #isClosed = false;

  static async start(): Promise<World> {
    const world = new World();
    await world.#plane.clock.advance(timeoutMs); // what follows a connection is over
    return world;
  }

  async take({ act, turns }: Step): Promise<void> {
    if (act.do === 'pass') await this.#pass(act.ms);
    else if (act.do === 'stop') await this.#stop();
    else this.do(act);
    if (turns === 'all') await this.settle();
    else for (let turn = 0; turn < turns; turn += 1) await undefined;
  }

  do(act: Exclude<Act, { readonly do: 'pass' } | { readonly do: 'stop' }>): void {
    if (act.do === 'begin') this.#begin(act);
    else if (act.do === 'drop') this.#drop();
    else if (act.do === 'cancel' || act.do === 'leave') this.#giveUp(act.do, this.#model.requests.at(-1 - act.at));
    else if (act.do === 'reply') this.#reply([...this.#model.runs.values()].filter(hasAsked).at(-1 - act.at));
    else this.#endArrival(act.do, this.#arrivals.at(-1 - act.at));
  }

  /** Lets promises settle, and compares. */
  async settle(): Promise<void> {
    await this.#plane.clock.advance(0);
    calls.settle(this.#model, (request) => {
      const envelope = this.#outcomes.get(request)?.envelope;
      return envelope && { end: endOf(envelope), state: envelope.retry.upstream_execution_state };
    });
    if (this.#model.graceEndsMs !== undefined) return;
    const [server] = this.#plane.plane.servers();
    if (server?.status === 'connected') this.#model.isDown = false;
    // A lost server has timers of its own, until its lists were read again.
    if (!this.#wasDown && this.#plane.clock.sleeping() !== idleTimers + calls.timersOf(this.#model))
      expect(this.#plane.clock.sleeping(), 'timers').toBe(idleTimers + calls.timersOf(this.#model));
    const { running, queued } = calls.queueOf(this.#model);
    if (server?.running !== running || server.queued !== queued) expect(server).toMatchObject({ running, queued });
  }

  /** Lets all calls come to their end: nothing is left of them but their records, and the answers under their keys. */
  async finish(): Promise<void> {
    await this.settle();
    for (const run of this.#model.runs.values()) if (run.isAsking) this.#reply(run);
    await this.#pass(timeoutMs);
    await this.#pass(calls.parkedMs);
    if (this.#model.graceEndsMs === undefined) {
      expect(calls.open(this.#model)).toEqual([]);
      expect(this.#plane.clock.sleeping()).toBe(idleTimers);
      await this.#repeatAll();
      await this.#stop();
    }
    expect([calls.open(this.#model), this.#isClosed]).toEqual([[], true]);
    expect([this.#plane.clock.sleeping(), this.#plane.server('s').sessions()]).toEqual([0, 0]);
    expect([...this.#callers.values()].filter(({ listening }) => listening > 0)).toEqual([]);
    this.#compareRecords();
  }

  #begin({ under, id, isLive }: Extract<Act, { readonly do: 'begin' }>): void {
    const isKeyed = under !== 'plain';
    const requestId = under === 'r' ? under : isKeyed ? `${under}.${id}` : null;
    const run = calls.runOf(this.#model, isKeyed ? under : `plain ${this.#model.requests.length}`, isKeyed);
    this.#execute(calls.begin(this.#model, run, requestId, isLive));
  }

  #execute(request: calls.Request, turn: Pick<CallInput, 'requestState' | 'inputResponses'> = {}): void {
    const { run, requestId, isLive } = request;
    const signal = new CallerSignal();
    this.#callers.set(request, signal);
    const ask = () => new Promise<JsonObject>((resolve) => this.#asked.set(run, resolve));
    const called = this.#plane.outcome({
      kind: 'tool',
      id: 's.t',
      args: { name: run.name },
      signal,
      ...turn,
      correlation: { requestId, traceId: traceIdOf(request) },
      idempotencyKey: run.isKeyed && run.name !== 'r' ? run.name : null,
      ...(isLive ? { client: { capabilities: { elicitation: {} }, ask } } : {}),
    });
    void called.then((outcome) => this.#outcomes.set(request, outcome));
  }

  #arrive(
    { params }: UpstreamRequest,
    signal: AbortSignalLike,
    handler: ServerRequestHandler | undefined,
  ): Promise<JsonObject> {
    const [, traceId = ''] = String((params._meta as JsonObject).traceparent).split('-'); // the plane sends one
    const by = this.#model.requests[Number.parseInt(traceId, 16) - 1];
    if (by === undefined) throw new Error(`no request has the trace id ${traceId}`);
    by.run.arrived.push(by);
    const ask = () => void handler?.onServerRequest(question, signal).catch(() => {}); // its call has ended
    return new Promise((resolve, reject) => this.#arrivals.push({ by, resolve, reject, ask, isAnswered: false }));
  }

  #giveUp(how: 'cancel' | 'leave', request: calls.Request | undefined): void {
    if (request === undefined) return;
    if (how === 'leave') {
      // Whether it still has a call that it can leave, or has its interim answer already, is not for the model to know.
      if (request.run.causes.has('asked')) return;
      calls.leave(request);
      this.#callers.get(request)?.abort(new Error('gone'));
    } else if (request.requestId !== null) {
      calls.cancel(this.#model, request.requestId);
      void this.#plane.plane.cancel('local', request.requestId);
    }
  }

  #endArrival(what: 'answer' | 'fail' | 'ask', arrival: Arrival | undefined): void {
    if (arrival === undefined || arrival.isAnswered) return;
    const { run } = arrival.by;
    if (what === 'ask') {
      const isItsTurn = run.holder === arrival.by || run.parkedBy !== undefined;
      if (run.status !== 'running' || !isItsTurn || run.isAsking || run.causes.has('asked')) return;
      calls.ask(this.#model, run);
      arrival.ask();
      return;
    }
    arrival.isAnswered = true;
    calls.answer(run, what === 'fail' ? 'UPSTREAM_ERROR' : 'ok');
    if (what === 'fail') arrival.reject(refusal);
    else arrival.resolve({ content: [], structuredContent: { to: run.name } });
  }

  /** The caller answers: while its call runs, or by another request, which may come too late. */
  #reply(run: calls.Run | undefined): void {
    if (run === undefined) return;
    if (run.isAsking) {
      const give = this.#asked.get(run);
      if (give === undefined) return;
      this.#asked.delete(run);
      calls.reply(this.#model, run);
      give(answer);
    } else if (run.status !== 'running' && run.parkedBy !== undefined) {
      const asked = this.#outcomes.get(run.parkedBy)?.envelope.data;
      const { requestState, inputRequests } = asked as JsonObject; // its interim answer
      const inputResponses = Object.fromEntries(Object.keys(inputRequests as JsonObject).map((key) => [key, answer]));
      const request = calls.resume(this.#model, run, run.parkedBy.requestId);
      this.#execute(request, { requestState: String(requestState), inputResponses });
    }
  }

  #drop(): void {
    if (this.#plane.server('s').sessions() === 0) return;
    calls.drop(this.#model);
    this.#wasDown = true;
    this.#plane.server('s').drop('crashed');
  }

  /** Time stands still at each moment that ends something, for a comparison. */
  async #pass(ms: number): Promise<void> {
    await this.settle();
    const untilMs = this.#model.nowMs + ms;
    while (this.#model.nowMs < untilMs) {
      const nextMs = Math.min(calls.nextDueMs(this.#model), untilMs);
      await this.#plane.clock.advance(nextMs - this.#model.nowMs);
      calls.passTo(this.#model, nextMs);
      await this.settle();
    }
  }

  async #stop(): Promise<void> {
    if (this.#model.graceEndsMs !== undefined) return;
    await this.settle();
    calls.stop(this.#model, graceMs);
    void this.#plane.plane.close(graceMs).then(() => {
      this.#isClosed = true;
    });
    await this.settle();
  }

  /** Each key gives the answer that was kept, and nothing is sent. */
  async #repeatAll(): Promise<void> {
    for (const run of this.#model.runs.values()) {
      if (!run.isKeyed || run.status !== 'over') continue;
      const { endedBy } = run;
      const repeat = calls.begin(this.#model, run, run.name === 'r' ? 'r' : null, false);
      this.#execute(repeat);
      await this.settle();
      const { kind, envelope } = this.#outcomes.get(repeat) ?? {};
      expect(kind).toBe('replayed');
      if (endedBy !== undefined) expect(envelope).toEqual(this.#outcomes.get(endedBy)?.envelope);
    }
  }

  /** One for each request, with its end, and one for each parked call that ended without its caller. */
  #compareRecords(): void {
    const records = new Map<string | undefined, AuditRecord[]>();
    for (const record of this.#plane.audit.kept())
      records.set(record.trace_id, [...(records.get(record.trace_id) ?? []), record]);
    for (const request of this.#model.requests) {
      const { kind, envelope } = this.#outcomes.get(request) ?? {};
      const own = records.get(traceIdOf(request)) ?? [];
      const { min, max } = request.abandoned;
      const hasItsEnd = own.some(
        ({ error_code, is_replay }) => error_code === envelope?.error?.code && is_replay === (kind === 'replayed'),
      );
      if (!hasItsEnd || own.length < 1 + min || own.length > 1 + max)
        throw new Error(
          `call ${request.id} left ${own.length} records, and ${hasItsEnd ? 'one' : 'none'} with its end`,
        );
    }
    expect(records.size).toBe(this.#model.requests.length);
  }
}

function hasAsked({ isAsking, parkedBy }: calls.Run): boolean {
  return isAsking || parkedBy !== undefined;
}

function endOf({ data, error }: Envelope): calls.End {
  if (error !== null) return error.code;
  return isQuestion(data) ? 'asked' : 'ok';
}
