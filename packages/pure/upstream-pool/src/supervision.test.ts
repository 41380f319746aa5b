// The supervisor against a model of its state table, under any order of crashes, refused starts, failed checks and time.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { createMemoryConnector, type MemoryServerControl } from './memory-connector.js';
import { createUpstreamPool } from './pool.js';
import { configOf, quietListener } from './testing/one-server.js';
import type { Upstream } from './upstream.js';

/** The state table, written as a table: plain fields, no functions. */
interface Model {
  status: 'connected' | 'degraded' | 'reconnecting' | 'disabled';
  now: number;
  isRefusing: boolean;
  isSick: boolean;
  wasConnected: boolean;
  connectedAt: number;
  /** When it is tried again, or checked next. */
  dueAt: number;
  retry: number;
  attempts: number;
  restarts: number;
}

interface Real {
  readonly clock: ManualClock;
  readonly upstream: Upstream;
  readonly control: MemoryServerControl;
  readonly server: { isRefusing: boolean; isSick: boolean };
}

const maxRestarts = 4;
const checkEveryMs = 20_000;
const healthyMs = 60_000;

function begin(isRefusing: boolean): Model {
  const model: Model = {
    status: 'degraded',
    now: 0,
    isRefusing,
    isSick: false,
    wasConnected: false,
    connectedAt: 0,
    dueAt: 0,
    retry: 0,
    attempts: 0,
    restarts: 0,
  };
  attempt(model);
  return model;
}

function attempt(model: Model): void {
  model.attempts += 1;
  if (model.isRefusing) {
    lose(model, 0);
    return;
  }
  model.status = 'connected';
  model.wasConnected = true;
  model.connectedAt = model.now;
  model.dueAt = model.now + checkEveryMs;
}

/** @param ranMs how long it had been connected */
function lose(model: Model, ranMs: number): void {
  if (ranMs >= healthyMs) model.retry = 0;
  model.retry += 1;
  model.dueAt = model.now + Math.min(500 * 2 ** (model.retry - 1), 30_000);
  model.status = model.retry > maxRestarts ? 'disabled' : model.wasConnected ? 'reconnecting' : 'degraded';
}

function pass(model: Model, ms: number): void {
  const until = model.now + ms;
  while (model.status !== 'disabled' && model.dueAt <= until) {
    model.now = model.dueAt;
    if (model.status !== 'connected') {
      model.restarts += 1;
      attempt(model);
    } else if (model.isSick) lose(model, model.now - model.connectedAt);
    else model.dueAt = model.now + checkEveryMs;
  }
  model.now = until;
}

function expectSame(model: Model, { upstream, control }: Real): void {
  const { status, restarts } = upstream.info();
  const isUp = model.status === 'connected';
  expect({ status, restarts, attempts: control.connects(), sessions: control.sessions() }).toEqual({
    status: model.status,
    restarts: model.restarts,
    attempts: model.attempts,
    sessions: isUp ? 1 : 0,
  });
}

class Pass implements fc.AsyncCommand<Model, Real> {
  constructor(readonly ms: number) {}
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    await real.clock.advance(this.ms);
    pass(model, this.ms);
    expectSame(model, real);
  }
  toString = () => `pass(${this.ms})`;
}

class Crash implements fc.AsyncCommand<Model, Real> {
  check = ({ status }: Readonly<Model>) => status === 'connected';
  async run(model: Model, real: Real): Promise<void> {
    real.control.drop('crashed');
    await real.clock.advance(0);
    lose(model, model.now - model.connectedAt);
    expectSame(model, real);
  }
  toString = () => 'crash';
}

/** Whether starts are refused and checks fail from now on. */
class Become implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly what: 'isRefusing' | 'isSick',
    readonly value: boolean,
  ) {}
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    model[this.what] = this.value;
    real.server[this.what] = this.value;
  }
  toString = () => `${this.what}=${this.value}`;
}

async function start(isRefusing: boolean): Promise<Real> {
  const clock = createManualClock();
  const server = { isRefusing, isSick: false };
  const failIf = (fails: boolean) => {
    if (fails) throw new Error('not well');
  };
  const connector = createMemoryConnector({
    s: { onConnect: () => failIf(server.isRefusing), onHealthCheck: () => failIf(server.isSick) },
  });
  const resilience = { maxRestarts, healthCheckIntervalSecs: checkEveryMs / 1000 };
  const upstream = createUpstreamPool({ connector, clock }, quietListener).mount(
    's',
    configOf({ command: 'node', resilience }),
  );
  await clock.advance(0);
  return { clock, upstream, control: connector.server('s'), server };
}

it('a supervised child follows the state table under any order of crashes, refusals, checks and time', async () => {
  const commands = fc.commands(
    [
      fc.constant(new Crash()),
      fc.constantFrom(1, 499, 500, 1000, 4000, 19_999, 20_000, 59_999, 61_000).map((ms) => new Pass(ms)),
      fc.boolean().map((value) => new Become('isRefusing', value)),
      fc.boolean().map((value) => new Become('isSick', value)),
    ],
    { maxCommands: 60, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(fc.boolean(), commands, async (isRefusing, run) => {
      const real = await start(isRefusing);
      expectSame(begin(isRefusing), real);
      await fc.asyncModelRun(() => ({ model: begin(isRefusing), real }), run);
      await real.upstream.close();
      expect([real.control.sessions(), real.clock.sleeping()]).toEqual([0, 0]);
    }),
    { numRuns: 200 },
  );
});
