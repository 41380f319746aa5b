// Schemas, patterns and queries that are written to hold the event loop, against the real daemon: each call is answered,
// other callers are answered at the same time, and the server that the call was for receives nothing that was refused.
import { maxNesting } from '@portico/contracts';
import {
  blocks,
  blockTree,
  largeButLegal,
  nested,
  overBudget,
  times,
  unchecked,
} from '@portico-tools/fixtures/hostile-schemas';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { refusalOf } from './support/daemon.js';
import { type DaemonProcess, type DaemonProcessOptions, startDaemonProcess } from './support/daemon-process.js';
import { connectClient } from './support/mcp.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually, isAlive } from './support/wait.js';

/**
 * For a broken product: without a budget other calls wait for minutes, or without end. It measures nothing of one that
 * works.
 */
const longestWaitMs = 10_000;

const nestedResult = JSON.stringify(
  times(400, (at) => ({ at, list: times(50, (item) => ({ item, text: 'ab'.repeat(20) })) })),
);
const queries = ['$..[?(@..[?(@..text)])]', "$..[?search(@.text, '(?:a?b?){400}x')]", '$..*..*..*..*'];

let upstream: Scripted;
let other: Scripted;
let daemon: DaemonProcess;

beforeAll(async () => {
  const abuses = Object.entries(overBudget).map(([name, { schema }]) => tool(name, { inputSchema: schema }));
  const others = Object.entries(unchecked).map(([name, schema]) =>
    tool(name, { inputSchema: { type: 'object', ...schema } }),
  );
  const legal = Object.entries(largeButLegal).map(([name, { schema }]) => tool(name, { inputSchema: schema }));
  const trees = [
    tool('tree', { inputSchema: blockTree }),
    tool('plain', { outputSchema: overBudget.doubling_60?.schema }),
  ];
  upstream = scripted({ tools: [...abuses, ...others, ...legal, ...trees] });
  other = scripted({ tools: [tool('plain')] });
  daemon = await startDaemonProcess({
    mcpServers: { s: upstream.server, other: other.server },
    mcpHttpServer: { port: 0 },
  });
  await daemon.connected();
});

/** Runs something while another caller calls, one call after the other. Says how long that one had to wait at most. */
async function longestWaitDuring<T>(work: () => Promise<T>): Promise<{ result: T; calls: number; waitedMs: number }> {
  let isOver = false;
  const begun = work().finally(() => {
    isOver = true;
  });
  let waitedMs = 0;
  let calls = 0;
  while (!isOver) {
    const startedAtMs = performance.now();
    expect((await daemon.call('other.plain', {})).status).toBe(200);
    waitedMs = Math.max(waitedMs, performance.now() - startedAtMs);
    calls += 1;
  }
  return { result: await begun, calls, waitedMs };
}

const overBudgetMessage =
  'args: cannot be checked against the input schema of this tool in 2500000 steps (limits.validationSteps); send fewer or less deeply nested values, or raise the limit';

describe('arguments that take more than their budget to check', () => {
  it.each(Object.entries(overBudget))(
    'are refused while other callers are answered, and reach no server: %s',
    async (name, { args }) => {
      const { result, calls, waitedMs } = await longestWaitDuring(() => daemon.call(`s.${name}`, args));
      expect(result.status).toBe(400);
      expect(result.body.error).toEqual({
        code: 'INVALID_ARGS',
        message: overBudgetMessage,
        retryable: false,
        hint: expect.stringContaining('capability_describe'),
      });
      expect(result.body.retry.upstream_execution_state).toBe('not_started');
      expect(calls).toBeGreaterThan(0);
      expect(waitedMs).toBeLessThan(longestWaitMs);
      expect(upstream.received('tools/call').filter(({ params }) => params.name === name)).toEqual([]);
    },
  );

  it('are refused to an MCP client in the same words', async () => {
    const client = await connectClient('v1', { kind: 'http', url: daemon.mcpUrl() });
    const { result, waitedMs } = await longestWaitDuring(() =>
      client.request('tools/call', {
        name: 'capability_call',
        arguments: { capability_id: 's.doubling_60', args: nested(60) },
      }),
    );
    expect(JSON.stringify(result)).toContain('limits.validationSteps');
    expect(waitedMs).toBeLessThan(longestWaitMs);
    expect(upstream.received('tools/call').filter(({ params }) => params.name === 'doubling_60')).toEqual([]);
  });

  it('of ten callers at once are refused to each, with others answered between them', async () => {
    const abuse = () => Promise.all(times(10, () => daemon.call('s.doubling_60', nested(60))));
    const { result, waitedMs } = await longestWaitDuring(abuse);
    expect(result.map(({ status }) => status)).toEqual(times(10, () => 400));
    expect(waitedMs).toBeLessThan(longestWaitMs);
  });

  it('are accepted where they are a tree that the same schema describes, of usual depth', async () => {
    expect((await daemon.call('s.tree', blocks(9))).status).toBe(200);
    expect((await daemon.call('s.tree', { root: { type: 'video' } })).body.error).toMatchObject({
      code: 'INVALID_ARGS',
    });
  });

  it('are accepted where they are many, and an ordinary schema describes them', async () => {
    for (const [name, { args }] of Object.entries(largeButLegal)) {
      expect([name, (await daemon.call(`s.${name}`, args)).status]).toEqual([name, 200]);
    }
  });

  it('pass where the configuration allows more steps, and fail where it allows fewer', async () => {
    const statusesWith = async (validationSteps: number) => {
      const server = scripted({ tools: [tool('tree', { inputSchema: blockTree })] });
      const configured = await startDaemonProcess({ mcpServers: { s: server.server }, limits: { validationSteps } });
      await configured.connected();
      return Promise.all([4, 12].map(async (depth) => (await configured.call('s.tree', blocks(depth))).status));
    };
    expect(await statusesWith(3_000)).toEqual([200, 400]);
    expect(await statusesWith(50_000_000)).toEqual([200, 200]);
  });
});

describe('schemas that explode when they are compiled', () => {
  it.each(Object.keys(unchecked))(
    'are not checked, which the log says, while other callers are answered: %s',
    async (name) => {
      const before = daemon.logText().length;
      const { result, waitedMs } = await longestWaitDuring(() => daemon.call(`s.${name}`, { a: 'b' }));
      expect(result.status).toBe(200);
      expect(waitedMs).toBeLessThan(longestWaitMs);
      await eventually(() =>
        expect(daemon.logText().slice(before)).toMatch(/input schema is not checked|pattern .* is not checked/),
      );
    },
  );

  it('do nothing as the schema of a result, which is passed on as it is', async () => {
    const { result, waitedMs } = await longestWaitDuring(() => daemon.call('s.plain', nested(maxNesting - 20)));
    expect(result.status).toBe(200);
    expect(waitedMs).toBeLessThan(longestWaitMs);
  });
});

describe('queries and redaction', () => {
  it.each(queries)('that go over a result again and again end in the budget of a query: %s', async (_jsonpath) => {
    const ask = () => daemon.call('s.plain', { text: nestedResult, parsed: JSON.parse(nestedResult), _jsonpath });
    const { result, waitedMs } = await longestWaitDuring(ask);
    expect(result.body.error).toMatchObject({ code: 'INVALID_ARGS', message: expect.stringContaining('_jsonpath') });
    expect(waitedMs).toBeLessThan(longestWaitMs);
  });

  it.each([
    ['keys without values', 'password='.repeat(200_000)],
    ['quotes without end', '"token":"\\"'.repeat(100_000)],
    [
      'JSON in JSON',
      times(14, () => 0).reduce((text) => JSON.stringify({ token: 'x', text }).slice(0, 1_500_000), 'x'),
    ],
    ['bearers', 'bearer '.repeat(200_000)],
  ])('take one pass over what is redacted: %s', async (_what, text) => {
    const { result, waitedMs } = await longestWaitDuring(() => daemon.call('s.plain', { text }));
    expect(result.status).toBe(200);
    expect(waitedMs).toBeLessThan(longestWaitMs);
  });
});

describe('SIGTERM', () => {
  it('ends the daemon with 0 while abuses come in', async () => {
    const server = scripted({ tools: [tool('n', { inputSchema: overBudget.doubling_60?.schema })] });
    const stopped = await startDaemonProcess({ mcpServers: { s: server.server } });
    await stopped.connected();
    let hasEnded = false;
    const abuse = async () => {
      while (!hasEnded) await stopped.call('s.n', nested(60)).catch(() => {});
    };
    const abusing = Promise.all(times(4, abuse));
    expect((await stopped.call('s.n', nested(60))).status).toBe(400);
    const { code } = await stopped.stop();
    hasEnded = true;
    await abusing;
    expect(code).toBe(0);
    expect(server.received('tools/call')).toEqual([]);
  });
});

describe('the watchdog', () => {
  /** A daemon that says when its watchdog, which starts with some delay, watches it. */
  async function startWatched(config: object, options: DaemonProcessOptions = {}): Promise<DaemonProcess> {
    const started = await startDaemonProcess(config, { ...options, logLevel: 'debug' });
    await started.connected();
    await eventually(() => expect(started.stderr()).toContain('the watchdog watches the event loop'));
    return started;
  }

  /** Resolves when nothing is answered any more. */
  const standsStill = (started: DaemonProcess, forMs = 500) =>
    eventually(() => expect(fetch(`${started.url}/healthz`, { signal: AbortSignal.timeout(forMs) })).rejects.toThrow());

  /** A budget that is no budget: what a defect is to the event loop. */
  const limits = { validationSteps: 10_000_000_000, maxStallMs: 2_000 };

  it('names the call that holds the loop, ends the process and its children, and leaves log and ledger whole', async () => {
    const stateDir = tempFolder();
    const server = scripted({ tools: [tool('n', { inputSchema: overBudget.doubling_60?.schema }), tool('once')] });
    const config = {
      mcpServers: { s: server.server },
      limits,
      audit: { filePath: `${tempFolder()}/audit.jsonl`, durability: 'strict' },
    };
    const stuck = await startWatched(config, { stateDir });
    const { pid } = await stuck.server('s');
    const once = () => ({ 'idempotency-key': 'k' });
    const first = await stuck.post('/v1/tools/call', { capability_id: 's.once', args: {} }, once());
    const records = await auditOf(stuck).events();
    stuck.call('s.n', nested(60)).catch(() => {});
    const { code, stderr } = await stuck.exited;
    expect(code).toBe(null); // by SIGKILL
    const lines = stderr.split('\n').filter((line) => line.includes('event loop stands still'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'warn', stage: 'checking arguments', capability_id: 's.n' }),
      expect.objectContaining({ level: 'error', stage: 'checking arguments', capability_id: 's.n', limit_ms: 2_000 }),
    ]);
    await eventually(() => expect(isAlive(pid)).toBe(false));

    const again = await startDaemonProcess(config, { stateDir });
    await again.connected();
    expect(await auditOf(again).report()).toMatchObject({ is_valid: true });
    expect((await auditOf(again).events()).map(({ id }) => id)).toEqual(
      expect.arrayContaining(records.map(({ id }) => id)),
    );
    expect((await again.post('/v1/tools/call', { capability_id: 's.once', args: {} }, once())).body).toEqual(
      first.body,
    );
    expect(server.received('tools/call').map(({ params }) => params.name)).toEqual(['once']);
  });

  const seesSignals = process.platform === 'linux';

  it.runIf(seesSignals).each(['SIGTERM', 'SIGINT'] as const)(
    'ends a process whose loop stands still within the grace of %s, however long it may stand still otherwise',
    async (signal) => {
      const stateDir = tempFolder();
      const server = scripted({ tools: [tool('n', { inputSchema: overBudget.doubling_60?.schema })] });
      const config = {
        mcpServers: { s: server.server },
        limits: { ...limits, maxStallMs: 3_600_000 },
        audit: { filePath: `${tempFolder()}/audit.jsonl`, durability: 'strict' },
      };
      const stuck = await startWatched(config, { stateDir });
      const { pid } = await stuck.server('s');
      const records = await auditOf(stuck).events();
      stuck.call('s.n', nested(60)).catch(() => {});
      await standsStill(stuck);
      const { code, stderr } = await stuck.stop(signal);
      expect(code).toBe(null); // by SIGKILL
      const [line] = stderr.split('\n').filter((line) => line.includes('the process is to stop'));
      expect(JSON.parse(line ?? '')).toMatchObject({ level: 'error', capability_id: 's.n', limit_ms: 5_000 });
      await eventually(() => expect(isAlive(pid)).toBe(false));

      const again = await startDaemonProcess({ ...config, mcpServers: {} }, { stateDir });
      expect(await auditOf(again).report()).toMatchObject({ is_valid: true });
      expect((await auditOf(again).events()).map(({ id }) => id)).toEqual(
        expect.arrayContaining(records.map(({ id }) => id)),
      );
      expect(server.received('tools/call')).toEqual([]);
    },
  );

  it.runIf(seesSignals)('leaves the signal to a loop that turns again within the grace', async () => {
    // A while of steps, far below the grace on any machine, and then a refusal.
    const server = scripted({ tools: [tool('n', { inputSchema: overBudget.doubling_60?.schema })] });
    const busy = await startWatched({ mcpServers: { s: server.server }, limits: { validationSteps: 25_000_000 } });
    const refused = busy.call('s.n', nested(60));
    await standsStill(busy, 100);
    const { code, stderr } = await busy.stop('SIGTERM');
    expect(stderr).not.toContain('the process is ended');
    expect(code).toBe(0);
    expect((await refused).status).toBe(400);
  });

  it.runIf(seesSignals)('takes no other signal for one that asks to stop', async () => {
    const server = scripted({ tools: [tool('n', { inputSchema: overBudget.doubling_60?.schema })] });
    const stuck = await startWatched({ mcpServers: { s: server.server }, limits: { ...limits, maxStallMs: 7_000 } });
    const { pid } = await stuck.server('s');
    stuck.call('s.n', nested(60)).catch(() => {});
    await standsStill(stuck);
    process.kill(stuck.pid, 'SIGWINCH');
    process.kill(pid, 'SIGKILL'); // SIGCHLD
    expect((await stuck.exited).stderr).toContain('longer than limits.maxStallMs');
    expect(stuck.stderr()).not.toContain('the process is to stop');
  });

  it('ends a process that a signal cannot stop at maxStallMs, where that is less than the grace', async () => {
    const server = scripted({ tools: [tool('n', { inputSchema: overBudget.doubling_60?.schema })] });
    const stuck = await startWatched({ mcpServers: { s: server.server }, limits });
    stuck.call('s.n', nested(60)).catch(() => {});
    await standsStill(stuck);
    const { code, stderr } = await stuck.stop('SIGTERM');
    expect(code).toBe(null);
    expect(stderr).toContain('the process is ended');
  });

  it('does not take a process that was suspended for one that stands still', async () => {
    const suspended = await startWatched({ mcpServers: {}, limits });
    process.kill(suspended.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, limits.maxStallMs + 500)); // nothing happens in it
    process.kill(suspended.pid, 'SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // the watchdog looks every 500 ms
    expect((await suspended.get('/healthz')).status).toBe(200);
    expect(suspended.stderr()).not.toContain('event loop stands still');
    expect((await suspended.stop()).code).toBe(0);
  });

  it.each([
    [{ maxStallMs: 100 }, 'limits.maxStallMs: must be 0, or at least 2000'],
    [{ maxStallMs: 3_600_001 }, 'limits.maxStallMs:'],
    [{ validationSteps: 999 }, 'limits.validationSteps:'],
    [{ validationSteps: 1.5 }, 'limits.validationSteps:'],
    ['none', 'limits:'],
  ])('and its limits are refused at the start where they make no sense: %j', async (wrong, problem) => {
    const { code, stderr } = await refusalOf({ mcpServers: {}, limits: wrong });
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});
