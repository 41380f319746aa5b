// Callers of one server of which one never answers: no other waits for it, and no question reaches another's caller.
// The questions of a 2025-11-25 server over a pipe do not name their calls.
import { describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { type Asking, asking, askingOverHttp } from './support/upstreams.js';
import { eventually, isAlive } from './support/wait.js';

interface Interim {
  readonly resultType: string;
  readonly inputRequests: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
  readonly requestState: string;
  readonly structuredContent: { readonly replies: readonly unknown[]; readonly pid: number };
}

const answer = { action: 'accept', content: { name: 'Ann' } };

/** Its question, recognized by the message. */
const asks = (message: string, more: object = {}) => ({
  params: { mode: 'form', message, requestedSchema: {} },
  ...more,
});

/** The requests to a caller. */
const asked = ({ inputRequests = {} }: Partial<Interim>) =>
  Object.values(inputRequests).map(({ params }) => params.message);

const turn = ({ inputRequests, requestState }: Interim) => ({
  request_state: requestState,
  input_responses: Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer])),
});

async function start(server: object = {}, config: object = {}) {
  const upstream = asking('legacy');
  const daemon = await startDaemon({ mcpServers: { s: { ...upstream.server, ...server } }, ...config });
  await daemon.connected();
  const call = async (name: string, args: object, rest: object = {}) =>
    (await daemon.call<Interim>(`s.${name}`, args, rest)).body;
  return { upstream, daemon, call };
}

/** Calls and answers at once. */
async function askAndAnswer(daemon: Daemon, id: string, args: object): Promise<Interim> {
  const { data } = (await daemon.call<Interim>(id, args)).body;
  return (await daemon.call<Interim>(id, args, turn(data))).body.data;
}

const pidsOf = (upstream: Asking, method: string) => [...new Set(upstream.received(method).map(({ pid }) => pid))];

/** Resolves when the server works on this many calls. */
const atServer = (upstream: Asking, calls: number) =>
  eventually(() => expect(upstream.received('tools/call')).toHaveLength(calls));

describe('beside a call that waits for its caller, over a pipe', () => {
  it('another call of the same tool is asked and answered', async () => {
    const { daemon, upstream, call } = await start();
    expect(asked((await call('ask', asks('first'))).data)).toEqual(['first']);
    const done = await askAndAnswer(daemon, 's.ask', asks('second'));
    expect(done.structuredContent.replies).toEqual([answer]);
    expect(pidsOf(upstream, 'tools/call')).toHaveLength(2);
    expect(await daemon.server('s')).toMatchObject({ processes: 2 });
  });

  it('the first call of another tool that asks is asked, and the circuit stays closed', async () => {
    const { daemon, upstream, call } = await start({ resilience: { failureThreshold: 1 } });
    await call('ask', asks('first'));
    expect(asked((await call('ask_too', asks('other'))).data)).toEqual(['other']);
    expect(pidsOf(upstream, 'tools/call')).toHaveLength(2); // in one process the first could have asked that too
    expect(await daemon.server('s')).toMatchObject({ circuit: { state: 'closed', consecutive_failures: 0 } });
  });

  it('calls that never ask go on in a further process, which they share', async () => {
    const { upstream, call } = await start();
    await call('ask', asks('first'));
    const held = ['a', 'b', 'c'].map((by) => call('hold', { by }));
    await atServer(upstream, 4);
    const pids = upstream.received('tools/call').map(({ pid }) => pid);
    expect([pids[1] === pids[0], pids[2] === pids[1], pids[3] === pids[1]]).toEqual([false, true, true]);
    for (const by of ['a', 'b', 'c']) upstream.release(by);
    expect(await Promise.all(held)).toMatchObject(Array(3).fill({ ok: true }));
  });
});

describe('a question over a pipe', () => {
  it('arrives beside the slow call of another caller', async () => {
    const { upstream, call } = await start();
    const { data } = await call('ask', asks('first'));
    await call('ask', asks('first'), turn(data));
    const slow = call('hold', { by: 'a' });
    await atServer(upstream, 2);
    expect(asked((await call('ask', asks('second'))).data)).toEqual(['second']);
    upstream.release('a');
    expect((await slow).ok).toBe(true);
  });

  it('that could be of several calls is shown to no caller, which the error says, and comes when it is repeated', async () => {
    const { daemon, upstream, call } = await start({ resilience: { failureThreshold: 1 } });
    const more = { isStrict: true, by: 'both' };
    const both = () => Promise.all([call('ask', asks('mine', more)), call('ask_too', asks('yours', more))]);
    const first = both();
    await atServer(upstream, 2);
    upstream.release('both');
    for (const { error, retry } of await first) {
      expect([error?.code, retry.upstream_execution_state]).toEqual(['INTERNAL_ERROR', 'unknown']);
      expect(error?.message).toContain('so no caller was asked');
      expect(error?.message).toContain('what it did before is not known');
    }
    expect(await daemon.server('s')).toMatchObject({ circuit: { state: 'closed', consecutive_failures: 0 } });
    const [mine, yours] = await both();
    expect([asked(mine.data), asked(yours.data)]).toEqual([['mine'], ['yours']]);
    expect(pidsOf(upstream, 'tools/call')).toHaveLength(2);
  });

  it('that waits for another call to end is no silence of the server', async () => {
    const settings = { toolTimeoutMs: 1500 };
    const { daemon, upstream, call } = await start({ resilience: { failureThreshold: 1 } }, settings);
    const slow = call('hold', { by: 'a' });
    await atServer(upstream, 1);
    // The slow one is given up; it may have been the one that asked.
    const asker = await call('ask', asks('mine', { isStrict: true }));
    for (const { error, retry } of [asker, await slow]) {
      expect(error?.message).toContain('so no caller was asked');
      expect(retry.upstream_execution_state).toBe('unknown');
    }
    expect([asker.error?.code, (await slow).error?.code]).toEqual(['INTERNAL_ERROR', 'UPSTREAM_TIMEOUT']);
    expect(await daemon.server('s')).toMatchObject({ circuit: { state: 'closed', consecutive_failures: 0 } });
    expect(asked((await call('ask', asks('mine'))).data)).toEqual(['mine']);
  });
});

describe('the processes of a server', () => {
  it('are no more than maxProcesses, which a call that got none names', async () => {
    const { daemon, upstream, call } = await start({ maxProcesses: 2 }, { toolTimeoutMs: 3000 });
    for (const message of ['first', 'second'])
      expect(asked((await call('ask', asks(message))).data)).toEqual([message]);
    const { status, body } = await daemon.call<Interim>('s.ask', asks('third'));
    expect([status, body.error?.code, body.retry.upstream_execution_state]).toEqual([
      504,
      'UPSTREAM_TIMEOUT',
      'not_started',
    ]);
    expect(body.error?.message).toContain('maxProcesses: 2');
    expect(pidsOf(upstream, 'tools/call')).toHaveLength(2);
    expect((await call('whoami', {})).ok).toBe(true); // a call without questions waits for no other
    expect(await daemon.server('s')).toMatchObject({ processes: 2, circuit: { state: 'closed' } });
  });

  it('end alone: a crash of a further one fails its own calls only', async () => {
    const { daemon, upstream, call } = await start();
    const first = (await call('ask', asks('first'))).data;
    await call('ask', asks('second'));
    const [, pid] = pidsOf(upstream, 'tools/call');
    process.kill(pid as number, 'SIGKILL');
    await eventually(async () => expect(await daemon.server('s')).not.toHaveProperty('processes'));
    const done = await call('ask', asks('first'), turn(first));
    expect(done.data.structuredContent.replies).toEqual([answer]);
    expect(await daemon.server('s')).toMatchObject({ status: 'connected', restarts: 0 });
    expect(asked((await call('ask', asks('third'))).data)).toEqual(['third']);
  });

  it('are started and asked for nothing but calls', async () => {
    const { daemon, upstream, call } = await start();
    await call('ask', asks('first'));
    await call('ask', asks('second'));
    const [, pid] = pidsOf(upstream, 'tools/call');
    const methods = upstream.received().filter((message) => message.pid === pid);
    expect(methods.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
      'ping',
      'ping',
    ]);
    expect(await daemon.ids('capabilities')).toHaveLength(8);
  });

  it('cannot always be started: the call says why, and others go on', async () => {
    const { upstream, call } = await start({}, { toolTimeoutMs: 3000 });
    await call('ask', asks('first'));
    upstream.keepAlone();
    const { error, retry } = await call('ask', asks('second'));
    expect(retry.upstream_execution_state).toBe('not_started');
    expect(error?.message).toContain('no further process of it could be started: the process exited with code 1');
    expect((await call('whoami', {})).ok).toBe(true);
  });

  const endings: readonly [string, (daemon: Daemon) => Promise<unknown>][] = [
    ['a restart', (daemon) => daemon.post('/v1/config/servers/s/restart', {})],
    ['its removal', (daemon) => daemon.send('/v1/config/servers/s', { method: 'DELETE' })],
    ['the end of the daemon', (daemon) => daemon.stop()],
  ];
  it.each(endings)('all end with %s', async (_what, end) => {
    const { daemon, upstream, call } = await start();
    await call('ask', asks('first'));
    await call('ask', asks('second'));
    const pids = pidsOf(upstream, 'tools/call');
    expect(pids.map(isAlive)).toEqual([true, true]);
    await end(daemon);
    await eventually(() => expect(pids.map(isAlive)).toEqual([false, false]));
  });

  it('do not outlive a daemon that is killed', async () => {
    const upstream = asking('legacy');
    const daemon = await startDaemonProcess({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    for (const message of ['first', 'second']) await daemon.call('s.ask', asks(message));
    const pids = pidsOf(upstream, 'tools/call');
    await daemon.stop('SIGKILL');
    expect(pids).toHaveLength(2);
    await eventually(() => expect(pids.map(isAlive)).toEqual([false, false]));
  });
});

describe('two agents of one server, of which one never answers', () => {
  const servers: readonly [string, () => Promise<object> | object][] = [
    ['2025-11-25 over a pipe', () => asking('legacy').server],
    ['2026-07-28 over a pipe', () => asking('modern').server],
    ['2025-11-25 over HTTP', () => askingOverHttp('legacy')],
    ['2026-07-28 over HTTP', () => askingOverHttp('modern')],
  ];
  /** For 240 requests one after the other, each of which waits for a core on a busy machine. */
  const timeout = 240_000;
  it.each(servers)('%s: the calls of the other take as long as alone', { timeout }, async (_what, server) => {
    const daemon = await startDaemon({ mcpServers: { alone: await server(), beside: await server() } });
    await daemon.connected();
    const away = asks('of one who is away');
    const { data } = (await daemon.call<Interim>('beside.ask', away)).body;
    const times = { alone: [] as number[], beside: [] as number[] };
    // By turns, so that what else the machine does falls on both.
    for (let round = 0; round < 60; round += 1) {
      for (const id of ['alone', 'beside'] as const) {
        const began = performance.now();
        await askAndAnswer(daemon, `${id}.ask`, asks(`of the other ${round}`));
        times[id].push(performance.now() - began);
      }
    }
    const [alone = 0, beside = 0] = [times.alone, times.beside].map((all) => all.sort((a, b) => a - b)[20]);
    expect(beside / alone).toBeLessThan(1.5);
    expect((await daemon.call<Interim>('beside.ask', away, turn(data))).body.ok).toBe(true);
  });
});
