// How the daemon stops: what it still finishes, how long it takes, and that nothing it started is left behind.
import { describe, expect, it } from 'vitest';
import { startDaemonProcess } from './support/daemon-process.js';
import { fixture, scripted, tool } from './support/upstreams.js';
import { accepts, eventually, isAlive } from './support/wait.js';

describe('the daemon stops', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'upon %s with 0, accepting nothing more [daemon-sigterm-exit]',
    async (signal) => {
      const daemon = await startDaemonProcess({ mcpServers: { s: fixture() } });
      await daemon.connected();
      const { code } = await daemon.stop(signal);
      expect(code).toBe(0);
      expect(await accepts(daemon.port)).toBe(false);
    },
  );

  it('after the call in flight has got its answer, and takes no new connection until then [daemon-sigterm-drain] [daemon-sigterm-exit]', async () => {
    const upstream = scripted({ tools: [tool('slow')] });
    const daemon = await startDaemonProcess({ mcpServers: { s: upstream.server } });
    await daemon.connected();
    const running = daemon.call('s.slow', { ms: 1000 });
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    const stopped = daemon.stop();
    await eventually(async () => expect(await accepts(daemon.port)).toBe(false));
    const { status, body } = await running;
    expect([status, body.data]).toEqual([200, { content: [{ type: 'text', text: 'slow' }] }]);
    expect((await stopped).code).toBe(0);
  });

  it('5 s later though a call still runs, whose caller gets an error [daemon-sigterm-drain-limit]', async () => {
    const upstream = scripted({ tools: [tool('never')] });
    const daemon = await startDaemonProcess(
      { toolTimeoutMs: 600_000, mcpServers: { s: upstream.server } },
      { clockFactor: 10 },
    );
    await daemon.connected();
    const running = daemon.call('s.never');
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    const startedAt = performance.now();
    const stopped = daemon.stop();
    const { status, body } = await running;
    expect(performance.now() - startedAt).toBeGreaterThan(495); // 5 s on its clock
    expect([status, body.error.code]).toEqual([499, 'OPERATION_CANCELLED']);
    expect((await stopped).code).toBe(0);
  });

  /** A polite child, one that ignores SIGTERM and the end of its input, and a wrapper with each of them as its child. */
  const families = {
    polite: fixture(),
    stubborn: fixture('--stubborn'),
    wrapper: fixture('--grandchild'),
    stubborn_wrapper: fixture('--grandchild', '--stubborn'),
  };

  it.each([
    ['SIGTERM', '[daemon-sigterm-ends-children] [upstream-child-group-ends]'],
    ['SIGKILL', '[upstream-child-group-ends]'],
  ] as const)('by %s with every child and grandchild gone %s', async (signal, _) => {
    const daemon = await startDaemonProcess({ mcpServers: families });
    await daemon.connected();
    const pids: number[] = [];
    for (const id of Object.keys(families)) {
      const { pid } = await daemon.server(id);
      const { pid: serving } = (await daemon.call(`${id}.whoami`)).body.data.structuredContent;
      expect(pid === serving).toBe(!id.includes('wrapper'));
      pids.push(pid, serving);
    }
    expect(pids.filter(isAlive)).toEqual(pids);
    const { code } = await daemon.stop(signal);
    expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
    if (signal === 'SIGTERM') expect(pids.filter(isAlive)).toEqual([]);
    await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
  });
});
