// The breaker against a model of the state table, under any order of calls, reports and time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AdmittedCall, type Breaker, type BreakerSettings, createBreaker } from './breaker.js';
import { createManualClock, type ManualClock } from './manual-clock.js';

const settings: BreakerSettings = { failureThreshold: 3, cooldownMs: 1000, consecutiveSuccesses: 2 };

function openedBreaker() {
  const clock = createManualClock();
  const breaker = createBreaker(settings, clock.now);
  for (let i = 0; i < settings.failureThreshold; i++) admitted(breaker).fail();
  return { clock, breaker };
}

const newCall = (): AdmittedCall => ({ admission: 'plain' });

/** The reports of a call that was let through. */
const reportsOf = (breaker: Breaker, call: AdmittedCall) => ({
  succeed: () => breaker.succeed(call),
  fail: () => breaker.fail(call),
  failUnsent: () => breaker.fail(call, true),
  release: () => breaker.release(call),
});

function admitted(breaker: Breaker) {
  const call = newCall();
  if (breaker.admit(call) !== undefined) throw new Error('the breaker refused a call that this test needs');
  return reportsOf(breaker, call);
}

describe('createBreaker', () => {
  it('opens at the threshold of consecutive failures and says how long it stays open', async () => {
    const { breaker, clock } = openedBreaker();
    expect(breaker.state()).toEqual({ status: 'open', failures: 3, openedAt: 0 });
    await clock.advance(400);
    expect(breaker.admit(newCall())).toEqual({ failures: 3, remainingMs: 600 });
  });

  it('counts consecutive failures only: a success in between resets the count', () => {
    const breaker = createBreaker(settings, () => 0);
    for (const report of ['fail', 'fail', 'succeed', 'fail', 'fail'] as const) admitted(breaker)[report]();
    expect(breaker.state()).toEqual({ status: 'closed', failures: 2 });
  });

  it('admits one probe at a time once the cooldown has passed', async () => {
    const { breaker, clock } = openedBreaker();
    await clock.advance(1000);
    admitted(breaker);
    expect(breaker.admit(newCall())).toEqual({ failures: 3, remainingMs: 0 });
  });

  it('closes after the configured number of successful probes', async () => {
    const { breaker, clock } = openedBreaker();
    await clock.advance(1000);
    admitted(breaker).succeed();
    expect(breaker.state()).toEqual({ status: 'half_open', failures: 3, successes: 1, probing: false });
    admitted(breaker).succeed();
    expect(breaker.state()).toEqual({ status: 'closed', failures: 0 });
  });

  it('opens again for the full cooldown when a probe fails', async () => {
    const { breaker, clock } = openedBreaker();
    await clock.advance(1500);
    const probe = admitted(breaker);
    await clock.advance(200);
    probe.fail();
    expect(breaker.state()).toEqual({ status: 'open', failures: 4, openedAt: 1700 });
    expect(breaker.remainingMs()).toBe(1000);
  });

  it('frees the slot of a probe that is released without an outcome', async () => {
    const { breaker, clock } = openedBreaker();
    await clock.advance(1000);
    admitted(breaker).release();
    expect(breaker.state()).toEqual({ status: 'half_open', failures: 3, successes: 0, probing: false });
  });

  it('counts the first report of a call only', () => {
    const breaker = createBreaker(settings, () => 0);
    const admission = admitted(breaker);
    admission.fail();
    admission.fail();
    admission.succeed();
    expect(breaker.state()).toEqual({ status: 'closed', failures: 1 });
  });

  it('does not let a call from before the circuit opened decide anything while it is open', () => {
    const clock = createManualClock();
    const breaker = createBreaker(settings, clock.now);
    const late = [admitted(breaker), admitted(breaker)] as const;
    for (let i = 0; i < 3; i++) admitted(breaker).fail();
    late[0].succeed();
    late[1].fail();
    expect(breaker.state()).toEqual({ status: 'open', failures: 3, openedAt: 0 });
  });

  it('is half open once the process has started again, if calls that were not sent have opened it', async () => {
    const clock = createManualClock();
    const breaker = createBreaker(settings, clock.now);
    admitted(breaker).fail();
    for (let i = 0; i < 2; i++) admitted(breaker).failUnsent();
    expect(breaker.state().status).toBe('open');
    breaker.restarted();
    expect(breaker.state()).toEqual({ status: 'half_open', failures: 3, successes: 0, probing: false });
    admitted(breaker).fail();
    breaker.restarted();
    expect(breaker.state()).toEqual({ status: 'open', failures: 4, openedAt: 0 });
  });

  it('stays open after a start of the process if calls that were sent have opened it', () => {
    const { breaker } = openedBreaker();
    breaker.restarted();
    expect(breaker.state()).toEqual({ status: 'open', failures: 3, openedAt: 0 });
  });

  it('follows the state table under any order of calls, reports and time', async () => {
    const commands = fc.commands(
      [
        fc.constant(new Admit()),
        fc.tuple(fc.nat(3), fc.constantFrom(...verdicts)).map(([i, what]) => new Report(i, what)),
        fc.constant(new Report(0, 'fail')),
        fc.constant(new Report(0, 'failUnsent')),
        fc.constant(new Restart()),
        fc.constantFrom(1, 400, 999, 1000, 2500).map((ms) => new Advance(ms)),
      ],
      { maxCommands: 100, size: 'max' },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (run) => {
        const clock = createManualClock();
        const real: Real = { clock, breaker: createBreaker(settings, clock.now), admissions: [] };
        await fc.asyncModelRun(() => ({ model: newModel(), real }), run);
      }),
    );
  });
});

/** The state table, written as a table: plain fields, no functions. */
interface Model {
  status: 'closed' | 'open' | 'half_open';
  failures: number;
  unsent: number;
  successes: number;
  probing: boolean;
  openedAt: number;
  now: number;
  /** Calls that were admitted and have not reported yet, `done` once they have. */
  calls: ('plain' | 'probe' | 'done')[];
}

interface Real {
  readonly clock: ManualClock;
  readonly breaker: Breaker;
  readonly admissions: ReturnType<typeof reportsOf>[];
}

function newModel(): Model {
  return { status: 'closed', failures: 0, unsent: 0, successes: 0, probing: false, openedAt: 0, now: 0, calls: [] };
}

const verdicts = ['succeed', 'fail', 'failUnsent', 'release'] as const;
type Verdict = (typeof verdicts)[number];

class Admit implements fc.AsyncCommand<Model, Real> {
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const call = newCall();
    const isAdmitted = real.breaker.admit(call) === undefined;
    const isRefused = model.status === 'open' || (model.status === 'half_open' && model.probing);
    expect(isAdmitted).toBe(!isRefused);
    if (isAdmitted) {
      real.admissions.push(reportsOf(real.breaker, call));
      model.calls.push(model.status === 'half_open' ? 'probe' : 'plain');
      model.probing = model.status === 'half_open';
    }
    expectSame(model, real);
  }
  toString = () => 'admit';
}

/** One of the calls that have not reported yet, counted from the latest, reports. */
class Report implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly back: number,
    readonly what: Verdict,
  ) {}
  check = (model: Readonly<Model>) => pending(model)[this.back] !== undefined;
  async run(model: Model, real: Real): Promise<void> {
    const index = pending(model)[this.back] ?? 0;
    const call = model.calls[index];
    model.calls[index] = 'done';
    real.admissions[index]?.[this.what]();
    if (call === 'plain' && model.status === 'closed') reportPlain(model, this.what);
    if (call === 'probe') reportProbe(model, this.what);
    expectSame(model, real);
  }
  toString = () => `${this.what}(${this.back})`;
}

class Restart implements fc.AsyncCommand<Model, Real> {
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    real.breaker.restarted();
    const left = model.failures - model.unsent;
    if (model.unsent > 0 && left < settings.failureThreshold) {
      if (model.status === 'closed') model.failures = left;
      if (model.status === 'open') Object.assign(model, { status: 'half_open', successes: 0, probing: false });
      model.unsent = 0;
    }
    expectSame(model, real);
  }
  toString = () => 'restart';
}

function pending({ calls }: Readonly<Model>): readonly number[] {
  return calls.flatMap((call, index) => (call === 'done' ? [] : [index])).reverse();
}

class Advance implements fc.AsyncCommand<Model, Real> {
  constructor(readonly ms: number) {}
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    await real.clock.advance(this.ms);
    model.now += this.ms;
    if (model.status === 'open' && model.now >= model.openedAt + settings.cooldownMs) {
      Object.assign(model, { status: 'half_open', successes: 0, probing: false });
    }
    expectSame(model, real);
  }
  toString = () => `advance(${this.ms})`;
}

function reportPlain(model: Model, what: Verdict): void {
  if (what === 'succeed') Object.assign(model, { failures: 0, unsent: 0 });
  if (isFailure(what)) model.failures += 1;
  if (what === 'failUnsent') model.unsent += 1;
  if (model.failures === settings.failureThreshold) Object.assign(model, { status: 'open', openedAt: model.now });
}

function reportProbe(model: Model, what: Verdict): void {
  model.probing = false;
  if (what === 'succeed') model.successes += 1;
  if (what === 'failUnsent') model.unsent += 1;
  if (isFailure(what))
    Object.assign(model, { status: 'open', failures: model.failures + 1, openedAt: model.now, successes: 0 });
  if (model.successes === settings.consecutiveSuccesses)
    Object.assign(model, { status: 'closed', failures: 0, unsent: 0, successes: 0 });
}

const isFailure = (what: Verdict) => what === 'fail' || what === 'failUnsent';

function expectSame({ status, failures, successes, probing, openedAt, now }: Model, { breaker }: Real): void {
  const rows = {
    closed: { status, failures },
    open: { status, failures, openedAt },
    half_open: { status, failures, successes, probing },
  };
  expect(breaker.state()).toEqual(rows[status]);
  expect(breaker.isCalm).toBe(status === 'closed' && failures === 0);
  expect(breaker.remainingMs()).toBe(status === 'open' ? openedAt + settings.cooldownMs - now : 0);
}
