// `portico approvals watch` as the person sees it who decides: tickets come, are edited, approved, rejected, and lost.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Approvals, approvalsOf, contacts, openTicket } from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { keys, openTerminal, runCli, type TerminalOptions } from './support/terminal.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';

let daemon: Daemon;
let upstream: Scripted;
let approvals: Approvals;

beforeAll(async () => {
  upstream = scripted({ tools: [tool('echo'), tool('fail')] });
  daemon = await startDaemon({ mcpServers: { s: upstream.server }, policy: { requireApproval: ['*'] } });
  await daemon.connected();
  approvals = approvalsOf(daemon);
});

/** A script in place of a person at an editor: it puts the texts there one after another, a run each. */
function editorThatTypes(...texts: readonly string[]): string {
  const folder = tempFolder();
  for (const [at, text] of texts.entries()) writeFileSync(join(folder, `text-${at}`), text);
  const script = join(folder, 'editor.mjs');
  const source = `import { copyFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
const [file] = process.argv.slice(2);
const at = [...Array(9).keys()].find((n) => existsSync('${folder}/text-' + n));
writeFileSync('${folder}/seen-' + at, (statSync(file).mode & 0o777).toString(8) + ' ' + readFileSync(file, 'utf8'));
copyFileSync('${folder}/text-' + at, file);
renameSync('${folder}/text-' + at, '${folder}/done-' + at);
`;
  writeFileSync(script, source);
  return `"${process.execPath}" "${script}"`;
}

const watch = (operator: string, options: TerminalOptions = {}) =>
  openTerminal(['approvals', 'watch', '--url', daemon.url, '--operator', operator], options);

describe('portico approvals watch', () => {
  it('shows a ticket as it arrives, and runs the call with the arguments as they were edited', async () => {
    const temporary = tempFolder();
    const EDITOR = editorThatTypes('{"n": 2,', '{"n": 2}');
    const terminal = watch('ada', { env: { EDITOR, TMPDIR: temporary } });
    await terminal.shows('nothing waits for a decision');
    const id = await openTicket(daemon, 's.echo', { n: 1, password: 'needed' });
    expect(await terminal.shows(/> [45]:\d\d +\S+ wants to run s\.echo/)).not.toContain('needed');
    terminal.press(keys.enter);
    await terminal.shows(`${id}  expires in `);
    terminal.press('e');
    await terminal.shows('not usable: ');
    terminal.press('e');
    const shown = await terminal.shows('approve and run it with these changes? y/n');
    expect(shown).toContain('-  "n": 1,');
    expect(shown).toContain('+  "n": 2');
    terminal.press('y');
    await terminal.shows('approved, done  s.echo');
    expect(contacts(upstream).at(-1)).toEqual({ n: 2 });
    expect((await approvals.get(id)).status).toMatchObject({
      status: 'approved',
      operator: 'ada',
      modified_args: { n: 2 },
    });
    expect(readdirSync(temporary)).toEqual([]);
    terminal.press('q');
    expect(await terminal.exited).toBe(0);
    expect(terminal.isOnOtherScreen()).toBe(false);
  });

  it('leaves no arguments behind when it is ended while they are edited', async () => {
    const temporary = tempFolder();
    const terminal = watch('ada', { env: { EDITOR: 'echo editing; sleep 100 #', TMPDIR: temporary } });
    await terminal.shows('nothing waits for a decision');
    const id = await openTicket(daemon, 's.echo', { password: 'needed' });
    await terminal.shows(/> [45]:\d\d +\S+ wants to run s\.echo/);
    terminal.press('e');
    await terminal.shows('editing');
    expect(readdirSync(temporary)).toHaveLength(1);
    terminal.signal('SIGTERM');
    expect(await terminal.exited).toBe(143);
    expect(readdirSync(temporary)).toEqual([]);
    await approvals.reject(id, { operator: 'ada' });
  });

  it('rejects with a typed reason, and shows the state of tickets that others decided', async () => {
    const terminal = watch('ada');
    const id = await openTicket(daemon, 's.echo', { text: '\u001b[2J' });
    await terminal.shows(/> .*text: "\\u001b\[2J"/);
    terminal.press('r');
    await terminal.shows('reason (may be empty): _');
    terminal.press('too', ' riskyx', '\u007f');
    await terminal.shows('reason (may be empty): too risky_');
    terminal.press(keys.enter);
    await terminal.shows('rejected by ada: too risky');
    expect((await approvals.get(id)).status).toMatchObject({ status: 'rejected', reason: 'too risky' });
    const other = await openTicket(daemon, 's.echo', { theirs: true });
    await terminal.shows('theirs: true');
    await approvals.reject(other, { operator: 'bob', reason: 'mine' });
    await terminal.shows('rejected by bob: mine');
  });

  it('says to the second of two who decide on the same ticket that it was not theirs', async () => {
    const id = await openTicket(daemon, 's.echo', { n: 3 });
    const [first, second] = [watch('ada'), watch('bob')];
    await Promise.all([first, second].map((each) => each.shows(/> [45]:\d\d +\S+ wants to run s\.echo/)));
    second.press('a');
    await second.shows('approve and run it as it is? y/n');
    const before = contacts(upstream).length;
    second.signal('SIGSTOP'); // it has the key, but has not acted on it, when the first one decides
    second.press('y');
    first.press('a');
    await first.shows('approve and run it as it is? y/n');
    first.press('y');
    await first.shows('approved, done  s.echo');
    second.signal('SIGCONT');
    await second.shows(/NOT YOURS: .*approved/);
    await second.shows('approved by ada');
    expect((await approvals.get(id)).status.operator).toBe('ada');
    expect(contacts(upstream).length).toBe(before + 1);
  });

  it('decides on no ticket that took the place of the one that was selected', async () => {
    const [first, second] = [
      await openTicket(daemon, 's.echo', { n: 'one' }),
      await openTicket(daemon, 's.echo', { n: 'two' }),
    ];
    const terminal = watch('ada');
    await terminal.shows(/> [45]:\d\d .*n: "one"/);
    await approvals.reject(first, { operator: 'bob' });
    await terminal.shows(/> decided .* wants to run s\.echo/);
    const before = contacts(upstream).length;
    terminal.press('a', 'y', 'a');
    await terminal.shows('it is decided or has expired: j or k selects another one');
    terminal.press('j', 'a');
    await terminal.shows('approve and run it as it is? y/n');
    expect([(await approvals.get(second)).status.status, contacts(upstream).length]).toEqual(['pending', before]);
    terminal.press('y');
    await terminal.shows('approved, done  s.echo');
    expect(contacts(upstream).at(-1)).toEqual({ n: 'two' });
  });

  it('says that a ticket has expired, and fits a small terminal', async () => {
    const quick = await startDaemon({
      mcpServers: { s: scripted({ tools: [tool('echo')] }).server },
      policy: { requireApproval: ['*'], approvalTimeoutSecs: 6 },
    });
    await quick.connected();
    const args = ['approvals', 'watch', '--url', quick.url];
    const terminal = openTerminal(args, { columns: 40, rows: 10, env: { PORTICO_OPERATOR: 'eve', NO_COLOR: '1' } });
    await terminal.shows('0 pending, deciding as eve');
    await openTicket(quick, 's.echo', { long: 'x'.repeat(200) });
    await terminal.shows(/> 0:0\d +\S+ wants to run/);
    expect(await terminal.shows(/expired +s\.echo/)).toContain('nothing waits for a decision');
  });

  it('gives the terminal back when it is ended by a signal, and uses no colour on request', async () => {
    const id = await openTicket(daemon, 's.echo', { n: 1 });
    const terminal = watch('ada', { env: { NO_COLOR: '1' } });
    await terminal.shows(/> [45]:\d\d +\S+ wants to run s\.echo/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: looks for escapes
    expect(terminal.written()).not.toMatch(/\u001b\[(3[0-8]|[1-9]|9\d)[;m]/);
    terminal.signal('SIGINT');
    expect(await terminal.exited).toBe(130);
    expect([terminal.isOnOtherScreen(), terminal.screen().join('')]).toEqual([false, '']);
    await approvals.reject(id, { operator: 'bob' });
  });

  it('needs a terminal, and a daemon', async () => {
    const { code, stderr } = await runCli(['approvals', 'watch', '--url', daemon.url]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('portico approvals list')]);
    const terminal = openTerminal(['approvals', 'watch', '--url', 'http://127.0.0.1:9']);
    expect(await terminal.exited).toBe(3);
    await terminal.shows('no daemon answers at http://127.0.0.1:9');
  });
});
