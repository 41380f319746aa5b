import { requestOf } from '@portico/upstream-pool';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ask,
  call,
  cleanUp,
  connect,
  fixture,
  forEver,
  isRunning,
  node,
  nullStdioPath,
  onCleanup,
  openConnector,
  patience,
  recordEvents,
  stdioServer,
  waitUntil,
} from './testing/kit.js';

afterEach(cleanUp);

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

describe('a session over stdio', () => {
  it('agrees on 2025-11-25 with a server that does not know server/discover', async () => {
    const { session } = await connect(fixture());

    expect(session.protocolVersion).toBe('2025-11-25');
    expect(isRunning(session.pid as number)).toBe(true);
    expect(await call(session, 'null_call')).toEqual(text('ok'));
    await session.checkHealth(patience());
  });

  it('agrees on 2026-07-28 with a server that does', async () => {
    const { session } = await connect(fixture('--modern'));

    expect(session.protocolVersion).toBe('2026-07-28');
    expect(await call(session, 'echo', { text: 'hi' })).toEqual(text('hi'));
    await session.checkHealth(patience());
  });

  it('runs many calls at once on one connection', async () => {
    const { session } = await connect(fixture());

    const texts = Array.from({ length: 100 }, (_, index) => `call ${index}`);
    const slow = call(session, 'sleep', { ms: 200 });
    const results = await Promise.all(texts.map((value) => call(session, 'echo', { text: value })));

    expect(results).toEqual(texts.map(text));
    expect(await slow).toEqual(text('slept'));
  });

  it('takes one signal for any number of requests without a warning', async () => {
    const { session } = await connect(fixture());
    const warnings: Error[] = [];
    const record = (warning: Error) => warnings.push(warning);
    process.on('warning', record);
    onCleanup(() => process.off('warning', record));

    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 50 }, () => call(session, 'null_call', {}, signal)));
    await new Promise(setImmediate); // warnings are emitted on a later tick

    expect(warnings).toEqual([]);
  });

  it('rejects with the JSON-RPC error of the server, data included', async () => {
    const { session } = await connect(fixture());

    await expect(call(session, 'fail')).rejects.toMatchObject({
      name: 'UpstreamFailure',
      message: 'failed on purpose',
      detail: {
        kind: 'rejected',
        error: { code: -32000, message: 'failed on purpose', data: { hint: 'data survives' } },
      },
    });
  });

  it('resolves with a result that has isError', async () => {
    const { session } = await connect(fixture());

    expect(await call(session, 'error_result')).toEqual({ ...text('it did not work'), isError: true });
  });

  it('hands results on as they were sent: unknown fields, order of keys, nulls, content of unknown types', async () => {
    const { session } = await connect(fixture());

    expect(JSON.stringify(await call(session, 'odd_result'))).toBe(
      '{"zeta":1,"structuredContent":[1,"two",null],"content":[{"type":"hologram","body":{}}],"alpha":{"constructor":"kept"},"_meta":null}',
    );
  });

  it('takes the 2026-07-28 wrapping off results and keeps the rest', async () => {
    const { session } = await connect(fixture('--modern'));

    expect(await call(session, 'odd_result')).toEqual({
      zeta: 1,
      structuredContent: [1, 'two', null],
      content: [{ type: 'hologram', body: {} }],
      alpha: { constructor: 'kept' },
    });
  });

  it('hands on an interim answer whole and resumes with what the caller gives', async () => {
    const { session } = await connect(fixture('--modern'));

    const interim = await call(session, 'confirm');
    expect(interim).toMatchObject({ resultType: 'input_required', requestState: 'state-1', vendorField: 'kept' });

    const params = { name: 'confirm', arguments: {}, inputResponses: { sure: { action: 'accept' } } };
    const final = await requestOf(
      session,
      { method: 'tools/call', params: { ...params, requestState: 'state-1' } },
      patience(),
    );
    expect(final).toEqual(text('confirmed with state-1'));
  });

  it.each(['legacy', 'modern'])('cancels a call when its signal aborts (%s)', async (era) => {
    const { session } = await connect(fixture(...(era === 'modern' ? ['--modern'] : [])));
    const caller = new AbortController();

    const running = call(session, 'sleep', { ms: 60_000 }, caller.signal);
    await call(session, 'null_call'); // the sleep has arrived before this
    caller.abort(new Error('the user left'));

    await expect(running).rejects.toThrow('the user left');
    const { requests } = await ask<{ requests: { reason: string }[] }>(session, 'last_cancelled');
    expect(requests).toEqual([{ id: expect.any(Number), reason: 'the user left' }]);
  });

  it('does not send a request whose signal has aborted already', async () => {
    const { session } = await connect(fixture());

    await expect(call(session, 'null_call', {}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    expect(await ask(session, 'contacts')).toEqual({ calls: 0 });
  });

  it('reads and writes messages of several megabytes', async () => {
    const { session } = await connect(fixture());
    const bytes = 8 * 1024 * 1024;

    const big = await call(session, 'big', { bytes });
    expect(big.content).toEqual([{ type: 'text', text: 'x'.repeat(bytes) }]);
    const echoed = await call(session, 'echo', { text: 'ü'.repeat(bytes / 2) });
    expect(echoed.content).toEqual([{ type: 'text', text: 'ü'.repeat(bytes / 2) }]);
  });

  it('reports changed lists, updated resources and log messages', async () => {
    const { session, events } = await connect(fixture());

    await call(session, 'add_tool', { name: 'late_tool' });
    await call(session, 'touch_resource', { uri: 'fixture://text' });
    await call(session, 'say', { level: 'warning', data: { disk: 'full' } });

    expect(events.listChanges()).toBe(1);
    expect(events.updated).toEqual(['fixture://text']);
    expect(events.logs).toEqual(['[warning] fixture: {"disk":"full"}']);
    const { tools } = await session.discover(patience());
    expect(tools.map(({ name }) => name)).toContain('late_tool');
  });

  it('subscribes to changes on a 2026-07-28 server', async () => {
    const { session, events } = await connect(fixture('--modern'));

    await call(session, 'add_tool', { name: 'late_tool' });
    await call(session, 'null_call');

    expect(events.listChanges()).toBe(1);
  });

  it('ignores stdout lines that are no JSON and passes stderr on line by line, long lines cut', async () => {
    const { session, events } = await connect(fixture('--noise'));

    expect(await call(session, 'null_call')).toEqual(text('ok'));
    await waitUntil(() => events.logs.length === 4, 'all lines are there');
    expect([...events.logs].sort()).toEqual([
      'first line',
      'second line',
      'stdout is no JSON, ignored: Welcome to the fixture!',
      'y'.repeat(8 * 1024),
    ]);
  });

  it('gives the child its configured variables and the harmless ones, and no other', async () => {
    const connector = openConnector({ PATH: '/usr/bin:/bin', HOME: '/home/me', LC_ALL: 'C', AWS_SECRET: 'no' });
    const { session } = await connect(stdioServer(node, [nullStdioPath, '--flag'], { API_KEY: 'mine' }), connector);

    const { env, argv } = await ask<{ env: object; argv: string[] }>(session, 'whoami');
    const marked =
      process.platform === 'linux' ? { PORTICO_PROCESS: expect.stringMatching(/^[\da-f]{32}\.1\.[\da-f]{32}$/) } : {};
    expect(env).toEqual({ PATH: '/usr/bin:/bin', HOME: '/home/me', LC_ALL: 'C', API_KEY: 'mine', ...marked });
    expect(argv).toEqual(['--flag']);
  });
});

describe('the end of a session over stdio', () => {
  it('rejects calls in flight at once when the child exits, and says so', async () => {
    const { session, events } = await connect(fixture());

    const slow = call(session, 'sleep', { ms: 10_000 });
    const crash = call(session, 'crash');

    const failure = {
      message: 'the process exited with code 1',
      detail: { kind: 'unreachable', sent: true },
    };
    await expect(crash).rejects.toMatchObject(failure);
    await expect(slow).rejects.toMatchObject(failure);
    expect(await events.closed).toBe('the process exited with code 1');
    await expect(call(session, 'null_call')).rejects.toMatchObject({ detail: { kind: 'unreachable', sent: false } });
  });

  it('notices a killed wrapper at once although its grandchild still holds the pipes, and ends the grandchild', async () => {
    const { session, events } = await connect(fixture('--grandchild', '--stubborn'));
    const { pid } = await ask<{ pid: number }>(session, 'whoami');
    expect(pid).not.toBe(session.pid);

    const slow = call(session, 'sleep', { ms: 600_000 }, forEver); // nothing but the end of the wrapper ends it
    process.kill(session.pid as number, 'SIGKILL');

    await expect(slow).rejects.toMatchObject({ message: 'the process was ended by SIGKILL' });
    expect(await events.closed).toBe('the process was ended by SIGKILL');
    await waitUntil(() => !isRunning(pid), 'the grandchild is gone');
  });

  it('closes by the end of stdin, and reports nothing', async () => {
    const { session, events } = await connect(fixture());
    const pid = session.pid as number;

    await session.close();
    await session.close();

    expect(isRunning(pid)).toBe(false);
    await expect(call(session, 'null_call')).rejects.toMatchObject({ detail: { kind: 'unreachable', sent: false } });
    expect(await Promise.race([events.closed, 'nothing'])).toBe('nothing');
  });

  it('ends a child that ignores SIGTERM and the end of stdin, wrapper and all', async () => {
    const { session } = await connect(fixture('--grandchild', '--stubborn'));
    const { pid } = await ask<{ pid: number }>(session, 'whoami');

    await session.close();

    expect(isRunning(session.pid as number)).toBe(false);
    await waitUntil(() => !isRunning(pid), 'the grandchild, which has been killed, is gone');
  });

  it('rejects calls in flight when it is closed', async () => {
    const { session } = await connect(fixture());
    const slow = call(session, 'sleep', { ms: 10_000 });

    await Promise.all([
      expect(slow).rejects.toMatchObject({ message: 'the session was closed', detail: { kind: 'unreachable' } }),
      session.close(),
    ]);
  });
});

describe('a child that writes without end', () => {
  /** A child that writes into a full pipe again and again. */
  const flood = (text: string, fd: 1 | 2) =>
    stdioServer(node, ['-e', `for (;;) try { require('node:fs').writeSync(${fd}, ${JSON.stringify(text)}) } catch {}`]);
  const chatter = 'y\n'.repeat(5_000);

  it.each([
    { what: 'text', text: chatter },
    { what: 'broken JSON', text: '{\n'.repeat(5_000) },
  ])('to stdout ($what) is ended with that reason, and others go on', async ({ text: flooded }) => {
    const { session } = await connect(fixture());
    const events = recordEvents();
    const connecting = openConnector().connect('chatty', flood(flooded, 1), events, patience());
    const refusal = connecting.catch((error) => error);
    await waitUntil(() => events.logs.length > 0, 'the flood has begun');

    for (let count = 0; count < 20; count += 1) expect(await call(session, 'null_call')).toEqual(text('ok'));
    expect((await refusal).message).toContain('floods its stdout with text that is no JSON');
    expect(events.logs.length).toBeLessThan(2_000);
    expect(events.logs).toContainEqual(expect.stringMatching(/^stdout: … \d+ more lines that are no JSON$/));
  });

  it('to stderr is throttled, and others go on', async () => {
    const { session } = await connect(fixture());
    const events = recordEvents();
    const leaving = new AbortController();
    const connecting = openConnector().connect('chatty', flood(chatter, 2), events, leaving.signal);
    const refusal = connecting.catch((error) => error);
    await waitUntil(() => events.logs.length > 0, 'the flood has begun');

    for (let count = 0; count < 20; count += 1) expect(await call(session, 'null_call')).toEqual(text('ok'));
    await waitUntil(() => events.logs.some((line) => /^stderr: … \d+ more lines$/.test(line)), 'the rest is counted');
    expect(events.logs.length).toBeLessThan(10_000);
    leaving.abort(new Error('seen enough'));
    expect((await refusal).message).toContain('seen enough');
  });
});

describe('a child that cannot be used', () => {
  const connectTo = (server: Parameters<typeof connect>[0], signal = patience()) =>
    openConnector().connect('upstream', server, recordEvents(), signal);

  it('names a command that does not exist', async () => {
    await expect(connectTo(stdioServer('no-such-command-here'))).rejects.toMatchObject({
      name: 'UpstreamFailure',
      message: 'cannot start "no-such-command-here": command not found',
      detail: { kind: 'unreachable' },
    });
  });

  it('says how a child ended that exits at once', async () => {
    await expect(connectTo(fixture('--exit-code', '3'))).rejects.toMatchObject({
      message: 'the process exited with code 3',
    });
  });

  it('leaves no process behind when connecting is aborted', async () => {
    const aborting = new AbortController();
    const events = recordEvents();
    const server = stdioServer(node, ['-e', 'console.error(process.pid); setInterval(() => {}, 1000)']);
    const connecting = openConnector().connect('upstream', server, events, aborting.signal);
    await waitUntil(() => events.logs.length > 0, 'the child has logged its pid');
    aborting.abort(new Error('no time left'));

    await expect(connecting).rejects.toMatchObject({
      name: 'UpstreamFailure',
      message: 'gave up connecting: no time left',
      detail: { kind: 'unreachable', sent: false },
    });
    expect(isRunning(Number(events.logs[0]))).toBe(false);
  });
});
