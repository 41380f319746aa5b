// Grants with the command: made with an approval, listed, shown and revoked, and what is refused with which exit code.
import { describe, expect, it } from 'vitest';
import { portico } from './support/cli.js';
import { startDaemon } from './support/daemon.js';
import { grantsOf } from './support/grants.js';
import { scripted, tool } from './support/upstreams.js';

const args = { repo: 'acme/site', title: 'one' };

async function start() {
  const upstream = scripted({ tools: [tool('create_issue')] });
  const policy = { requireApproval: ['s.*'], grants: { enabled: true, maxUses: 50 } };
  const daemon = await startDaemon({ mcpServers: { s: upstream.server }, policy });
  await daemon.connected();
  const ticket = await grantsOf(daemon).ask('s.create_issue', args);
  const run = (...words: string[]) => portico([...words, '--url', daemon.url]);
  const approve = (...flags: string[]) => run('approvals', 'approve', ticket, ...flags);
  return { daemon, ticket, run, approve };
}

it('a grant is made with an approval, listed, shown and revoked', async () => {
  const { daemon, ticket, run, approve } = await start();
  const offered = await run('approvals', 'show', ticket);
  expect(offered.stderr).toContain(`portico approvals approve ${ticket} --for 8h --uses 50`);
  const made = await approve('--for', '8h', '--uses', '20', '--keep', '/repo');
  expect(made.code).toBe(0);
  const id = /kept as (grant-\d+-\d+)/.exec(made.stderr)?.[1] ?? '';
  expect((await daemon.call('s.create_issue', { ...args, title: 'two' })).status).toBe(200);
  const listed = await run('grants', 'list');
  expect(listed.stdout).toMatch(
    new RegExp(`${id} +active +s.create_issue +19 of 20 .*/repo: "acme/site", /title free`),
  );
  const shown = await run('grants', 'show', id);
  expect(shown.stdout).toMatch(/must be equal +\/repo: "acme\/site"\nfree +\/title\nuses +19 of 20 left/);
  const tested = await run('policy', 'test', 's.create_issue', 'repo=acme/site', 'title=three');
  expect([tested.code, tested.stdout]).toEqual([10, expect.stringContaining(`${id} would answer it`)]);
  const other = await run('policy', 'test', 's.create_issue', 'repo=other');
  expect(other.stdout).not.toContain('would answer it');
  expect((await run('grants', 'revoke', id)).stdout).toBe(`${id}: revoked, with 19 of 20 uses left\n`);
  const again = await run('grants', 'revoke', id);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`grant ${id} has ended: it is revoked`)]);
  expect((await run('grants', 'list')).stdout).toBe('');
  expect((await run('grants', 'list', '--state', 'ended')).stdout).toContain(id);
  expect((await daemon.call('s.create_issue', args)).status).toBe(202);
});

describe('an approval is not given', () => {
  it.each<[readonly string[], number, string]>([
    [['--for', '8h'], 2, 'give both --for and --uses to keep an approval, such as --for 8h --uses 20'],
    [['--keep', '/repo'], 2, 'both --for and --uses'],
    [['--for', 'soon', '--uses', '1'], 2, 'expected a time such as 90s, 30m, 8h or 2d'],
    [['--for', '8h', '--uses', 'many'], 2, 'expected a whole number'],
    [
      ['--for', '8h', '--uses', '1', '--keep', 'none', '--keep', '/repo'],
      2,
      'give --keep none alone: it keeps no argument',
    ],
    [['--for', '8h', '--uses', '0'], 1, 'uses must be an integer from 1 to 50 (policy.grants.maxUses), got 0'],
    [['--for', '8h', '--uses', '-1'], 1, 'from 1 to 50 (policy.grants.maxUses), got -1'],
    [['--for', '9h', '--uses', '1'], 1, 'from 1 to 28800 (policy.grants.maxTtlSecs), got 32400'],
    [['--for', '8h', '--uses', '1', '--keep', 'repo'], 1, 'no value at "repo"; its arguments are ["/repo","/title"]'],
  ])('with %j', async (flags, code, problem) => {
    const { run, ticket, approve } = await start();
    const refused = await approve(...flags);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(problem)]);
    expect((await run('approvals', 'show', ticket)).stdout).toMatch(/status +pending/);
  });
});

it('an approval keeps no argument with --keep none', async () => {
  const { daemon, approve } = await start();
  expect((await approve('--for', '1d', '--uses', '1', '--keep', 'none')).code).toBe(1); // a day is too long here
  expect((await approve('--for', '30m', '--uses', '1', '--keep', 'none')).code).toBe(0);
  expect((await daemon.call('s.create_issue', { repo: 'other' })).status).toBe(200);
});
