// `portico top` as a person at a terminal sees it.
import { beforeAll, describe, expect, it } from 'vitest';
import { openTicket } from './support/approvals.js';
import { type DaemonProcess, startDaemonProcess } from './support/daemon-process.js';
import { cliMain } from './support/mcp.js';
import { keys, openProgram, openTerminal, runCli } from './support/terminal.js';
import { dead, scripted, tool } from './support/upstreams.js';
import { freePort } from './support/wait.js';

let daemon: DaemonProcess;
let ticketId: string;

beforeAll(async () => {
  const work = scripted({ tools: [tool('echo'), tool('gated'), tool('crash'), tool('complain')] });
  daemon = await startDaemonProcess({
    mcpServers: { work: work.server, broken: { ...dead, resilience: { autoRestart: false } } },
    policy: { requireApproval: ['work.gated'] },
  });
  await daemon.connected('work');
  ticketId = await openTicket(daemon, 'work.gated', { n: 1 });
});

const top = (...args: readonly string[]) => ['top', '--url', daemon.url, ...args];

describe('portico top', () => {
  it('shows servers, totals and a crash with its restart, and gives the terminal back', async () => {
    const { pid } = await daemon.server('work');
    const terminal = openTerminal(top());
    await terminal.shows('1 of 2 servers working');
    expect(await terminal.shows(/work +connected +closed/)).toContain(String(pid));
    await terminal.shows(/broken +(disabled|degraded|reconnecting)/);
    expect(terminal.isOnOtherScreen()).toBe(true);
    await daemon.call('work.crash');
    await terminal.shows(/work +connected +closed +\d+ +0 +0 +1 /);
    await terminal.shows(/catalog changed: .*work/);
    await terminal.shows(/0\.1 calls\/s/);
    terminal.press('q');
    expect(await terminal.exited).toBe(0);
    expect(terminal.isOnOtherScreen()).toBe(false);
    const written = terminal.written();
    expect(written.lastIndexOf('\u001b[?25h')).toBeGreaterThan(written.lastIndexOf('\u001b[?25l'));
    expect(terminal.written()).not.toContain('\u001b[3J');
  });

  it('restarts the selected server when asked twice, and shows its log without obeying it', async () => {
    const terminal = openTerminal(top());
    await terminal.shows(/> broken.*last error: /s);
    terminal.press(keys.down);
    await terminal.shows(/> work/);
    terminal.press('k');
    await terminal.shows(/> broken/);
    terminal.press('j');
    await terminal.shows(/> work/);
    const before = await daemon.server('work');
    terminal.press('r');
    await terminal.shows('restart work? y/n');
    terminal.press('n');
    await terminal.hides('restart work? y/n');
    terminal.press('r');
    await terminal.shows('restart work? y/n');
    terminal.press('y');
    await terminal.shows('restarted work: connected');
    expect((await daemon.server('work')).pid).not.toBe(before.pid);
    await daemon.call('work.complain', { text: '\u001b]0;owned\u0007' });
    terminal.press('l');
    await terminal.shows('log of work');
    await terminal.shows('text=␛]0;owned␇');
    terminal.press('q');
    await terminal.shows(/> work/);
    terminal.press('?');
    await terminal.shows('any key goes back');
    terminal.press('x', keys.interrupt);
    expect(await terminal.exited).toBe(0);
  });

  it('goes to the approvals and comes back', async () => {
    const terminal = openTerminal(top('--operator', 'ada'));
    await terminal.shows('1 waiting for approval');
    terminal.press('a');
    await terminal.shows('1 pending, deciding as ada');
    terminal.press('q');
    await terminal.shows('1 of 2 servers working');
  });

  it('fits a terminal of 40 columns and 10 rows, and follows a new size', async () => {
    const terminal = openTerminal(top(), { columns: 40, rows: 10 });
    terminal.press('j');
    expect(await terminal.shows(/> work +connected/)).not.toContain('P95');
    terminal.resize(120, 12);
    await terminal.shows('P95');
    terminal.resize(40, 10);
    await terminal.hides('P95');
    expect(await terminal.shows(/work +connected/)).toContain('q quit');
  });

  it('uses no colour where NO_COLOR asks for none, and words say the same', async () => {
    const plain = openTerminal(top(), { env: { NO_COLOR: '1' } });
    await plain.shows(/work +connected/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: looks for escapes
    const colour = /\u001b\[(3[0-8]|[1-9]|9\d)[;m]/;
    expect(plain.written()).not.toMatch(colour);
    const coloured = openTerminal(top());
    await coloured.shows(/work +connected/);
    expect(coloured.written()).toMatch(colour);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('gives the terminal back when it is ended by %s', async (signal, code) => {
    const terminal = openTerminal(top());
    await terminal.shows(/work +connected/);
    terminal.signal(signal);
    expect(await terminal.exited).toBe(code);
    expect(terminal.isOnOtherScreen()).toBe(false);
    expect(terminal.screen().join('')).toBe('');
    expect(terminal.written()).toContain('\u001b[?25h');
  });

  it('gives the terminal back when it crashes, and says why on the screen that stays', async () => {
    const crash = `data:text/javascript,process.on('SIGUSR2',()=>{throw%20new%20Error('crashed%20on%20purpose')})`;
    const terminal = openTerminal(top(), { env: { NODE_OPTIONS: `--import=${crash}` } });
    await terminal.shows(/work +connected/);
    terminal.signal('SIGUSR2');
    expect(await terminal.exited).toBe(1);
    expect(terminal.isOnOtherScreen()).toBe(false);
    await terminal.shows('crashed on purpose');
  });

  it('leaves the shell with keys that are echoed again', async () => {
    const terminal = openProgram(['/bin/sh', '-c', `"${process.execPath}" "${cliMain}" ${top().join(' ')}; stty -a`]);
    await terminal.shows(/work +connected/);
    terminal.press('q');
    await terminal.exited;
    expect(terminal.screen().join('\n')).toMatch(/ icanon.* echo /s);
  });

  it('says that the daemon has stopped, and goes on when it is back', async () => {
    const config = { mcpServers: { w: scripted({ tools: [tool('echo')] }).server } };
    const args = ['--port', String(await freePort())];
    const first = await startDaemonProcess(config, { args });
    await first.connected();
    const terminal = openTerminal(['top', '--url', first.url]);
    await terminal.shows('1 of 1 servers working');
    await first.stop('SIGKILL');
    await terminal.shows('NO DAEMON, trying again');
    const second = await startDaemonProcess(config, { args });
    await second.connected();
    await terminal.hides('NO DAEMON');
    await terminal.shows('1 of 1 servers working');
  });

  it('prints one sample into a pipe, and JSON lines where asked', async () => {
    const table = await runCli(top());
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(/^portico top http.*\n1 of 2 servers working {2}1 waiting for approval/);
    expect(table.stdout).toMatch(
      /\nNEEDS YOU[\s\S]*\nACTIVITY[\s\S]*\nSERVERS: 1 of 2 working\n {2}SERVER +STATUS +CIRCUIT/,
    );
    expect(table.stdout).toMatch(/\n {2}work +connected +closed/);
    const { code, stdout } = await runCli(top('--json'));
    expect(code).toBe(0);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    const ids = (kind: string) => records.filter((record) => record.kind === kind).map(({ id }) => id);
    expect([records[0].kind, ids('server'), ids('need')]).toEqual(['total', ['work', 'broken'], [ticketId]]);
    expect(ids('call')).toHaveLength(records.length - 4);
    expect(records[0]).toMatchObject({ approvals_pending: 1, calls_per_second: 0 });
  });

  it('without a daemon says so, and what to do next, and ends with 3', async () => {
    const { code, stderr } = await runCli(['top', '--url', 'http://127.0.0.1:9']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('portico init')]);
  });
});
