// The first page of `portico top`, and actions on it: a waiting call is decided, a call is explained, a call appears as
// it ends.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Approvals, approvalsOf, contacts, openTicket } from './support/approvals.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { keys, openTerminal, type TerminalOptions } from './support/terminal.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';

let daemon: Daemon;
let upstream: Scripted;
let approvals: Approvals;

beforeAll(async () => {
  upstream = scripted({ tools: [tool('echo'), tool('gated'), tool('closed')] });
  daemon = await startDaemon({
    mcpServers: { work: upstream.server },
    policy: { requireApproval: ['work.gated'], deny: ['work.closed'] },
  });
  await daemon.connected();
  approvals = approvalsOf(daemon);
});

const top = (options: TerminalOptions = {}, ...args: readonly string[]) =>
  openTerminal(['top', '--url', daemon.url, '--operator', 'ada', ...args], options);

describe('portico top', () => {
  it('shows a call as it ends, and why it ended so', async () => {
    const terminal = top({ columns: 140 });
    await terminal.shows('Nothing needs you.');
    await daemon.call('work.closed', { n: 1 });
    await terminal.shows(/ called work\.closed .*refused by rule work\.closed \(deny\)/);
    terminal.press('g');
    await terminal.shows(/> .* called work\.closed/);
    terminal.press(keys.enter);
    await terminal.shows(/why aud-\d+ ended as it did/);
    await terminal.shows('work.closed: denied (POLICY_DENIED)');
    terminal.press('q');
    await terminal.shows('SERVERS: 1 of 1 working');
  });

  it('decides on the call that was selected, after a question about it', async () => {
    const id = await openTicket(daemon, 'work.gated', { table: 'users' });
    const terminal = top({ columns: 140 });
    await terminal.shows(/NEEDS YOU \(1\)\n {2}\d:\d\d +\S+ wants to run work\.gated {2}table: "users"/);
    terminal.press('g');
    await terminal.shows(/> \d:\d\d +\S+ wants to run work\.gated/);
    terminal.press('a');
    await terminal.shows(`${id}  expires in `);
    await terminal.shows('approve and run it as it is? y/n');
    terminal.press('y');
    await terminal.shows('approved, done  work.gated');
    expect(contacts(upstream).at(-1)).toEqual({ table: 'users' });
    terminal.press('q');
    await terminal.shows('Nothing needs you.');
    await terminal.shows(/ called work\.gated .*done/);
  });

  it('decides on no call that took the place of the selected one', async () => {
    const [first, second] = [
      await openTicket(daemon, 'work.gated', { n: 1 }),
      await openTicket(daemon, 'work.gated', { n: 2 }),
    ];
    const terminal = top({ columns: 140 });
    await terminal.shows('NEEDS YOU (2)');
    terminal.press('g');
    await terminal.shows(/> \d:\d\d .* n: 1/);
    await approvals.reject(first, { operator: 'bob' });
    await terminal.shows('NEEDS YOU (1)');
    const before = contacts(upstream).length;
    terminal.press('a', 'y');
    await terminal.shows('1 pending, deciding as ada');
    expect(contacts(upstream)).toHaveLength(before);
    expect((await approvals.get(second)).status.status).toBe('pending');
    await approvals.reject(second, { operator: 'bob' });
  });

  it.each([60, 80, 100, 140])(
    'has the ids of needs, calls and servers whole at %d columns, without colour',
    async (columns) => {
      const id = await openTicket(daemon, 'work.gated', {});
      const terminal = top({ columns, env: { NO_COLOR: '1' } });
      const shown = await terminal.shows(
        /wants to run work\.gated[\s\S]* called work\.gated .*[\s\S]*\n> work +connected/,
      );
      expect(shown.split('\n').every((line) => line.length <= columns)).toBe(true);
      terminal.press('q');
      expect(await terminal.exited).toBe(0);
      const once = top({ columns }, '--once');
      expect(await once.exited).toBe(0);
      expect(once.isOnOtherScreen()).toBe(false);
      expect(once.screen().join('\n')).toMatch(/NEEDS YOU \(1\)[\s\S]*ACTIVITY[\s\S]*SERVERS: 1 of 1 working/);
      await approvals.reject(id, { operator: 'bob' });
    },
  );
});
