// The defaults in numbers. If one is long, the daemon's clock runs fast; the numbers it reports are its own.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { fixture, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

/** On its clock what is to succeed has 15 s, and what is to be seen of an open circuit has 30. */
const clockFactor = 10;

describe('without settings', () => {
  let daemon: Daemon;
  let upstream: Scripted;

  beforeAll(async () => {
    upstream = scripted({ tools: [tool('never'), tool('echo')] });
    daemon = await startDaemonProcess({ mcpServers: { s: upstream.server } }, { clockFactor });
    await daemon.connected();
  });

  const circuit = async () => (await daemon.server('s')).circuit;

  it('an operation may take 15000 ms [limit-tool-timeout-default]', async () => {
    const startedAt = performance.now();
    const { status, body } = await daemon.call('s.never');
    expect([status, body.error.message]).toEqual([504, 'server "s" did not answer within 15000 ms (toolTimeoutMs)']);
    expect((performance.now() - startedAt) * clockFactor).toBeGreaterThan(15_000 - clockFactor);
  });

  it('a circuit opens at the 3rd failure in a row, for 30000 ms, and closes after 2 probes [limit-failure-threshold] [limit-cooldown] [limit-consecutive-successes]', async () => {
    await daemon.call('s.echo');
    expect(await circuit()).toMatchObject({ state: 'closed', consecutive_failures: 0 });
    await Promise.all([daemon.call('s.never'), daemon.call('s.never')]);
    expect(await circuit()).toMatchObject({ state: 'closed', consecutive_failures: 2 });
    const calledAt = performance.now();
    await daemon.call('s.never');
    const openedAt = performance.now(); // or before
    const opened = await circuit();
    expect(opened).toMatchObject({ state: 'open', consecutive_failures: 3 });
    const passed = (performance.now() - calledAt) * clockFactor - 15_000; // at most, since the call had its 15 s
    expect(opened.remaining_ms).toBeLessThanOrEqual(30_000);
    expect(opened.remaining_ms).toBeGreaterThan(30_000 - passed - clockFactor);
    await eventually(async () => expect((await circuit()).state).toBe('half_open'));
    expect((performance.now() - openedAt) * clockFactor).toBeGreaterThan(opened.remaining_ms - clockFactor);
    await daemon.call('s.echo');
    expect((await circuit()).state).toBe('half_open');
    await daemon.call('s.echo');
    expect((await circuit()).state).toBe('closed');
  });
});

describe('a body', () => {
  it('of 4 MiB is accepted, and arrives [limit-body-size]', async () => {
    const daemon = await startDaemon({ mcpServers: { s: fixture() } });
    await daemon.connected();
    const body = (text: string) => JSON.stringify({ capability_id: 's.echo', args: { text } });
    const text = 'x'.repeat(4 * 1024 * 1024 - body('').length);
    const { status, body: answer } = await daemon.post<{ data: { content: { text: string }[] } }>(
      '/v1/tools/call',
      body(text),
    );
    expect([status, answer.data.content[0]?.text === text]).toEqual([200, true]);
  });
});
