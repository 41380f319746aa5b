// `portico policy`: verdicts by exit code, with a daemon and without one, cases of a file, and what a pattern would do.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';

const typed = tool('typed', {
  inputSchema: { type: 'object', properties: { n: { type: 'number' }, token: { type: 'string' } }, required: ['n'] },
});
const { server } = scripted({ tools: [...['read', 'write', 'drop'].map((name) => tool(name)), typed] });
const config = {
  mcpServers: { s: server },
  policy: { deny: ['s.drop'], requireApproval: ['s.write'], shadow: { deny: ['s.read'] } },
};
const folder = tempFolder();
const configFile = join(folder, 'config.json');
const stateDir = join(folder, 'state');

let daemon: Daemon;
beforeAll(async () => {
  writeFileSync(configFile, JSON.stringify(config));
  daemon = await startDaemon(undefined, { configFile, stateDir });
  await daemon.connected();
});

const fileOf = (cases: unknown) => {
  const file = join(tempFolder(), 'policy.tests.json');
  writeFileSync(file, typeof cases === 'string' ? cases : JSON.stringify(cases));
  return file;
};
const place = () => ['--config', configFile, '--state-dir', stateDir];
const ways = [
  ['the daemon', () => ['--url', daemon.url]],
  ['the file', () => [...place(), '--offline']],
] as const;

describe.each(ways)('policy test, asked of %s', (_, where) => {
  const test = (...args: readonly string[]) => portico(['policy', 'test', ...args, ...where()]);

  it.each([
    [['s.read'], 0, /^s\.read: allowed\n[\s\S]*would be +denied by the shadow rule deny:s\.read/],
    [
      ['s.write'],
      10,
      /needs approval\n[\s\S]*require_approval:s\.write \(policy\.requireApproval\[0\]\)[\s\S]*202 APPROVAL_PENDING/,
    ],
    [['s.drop'], 11, /denied\n[\s\S]*deny:s\.drop \(policy\.deny\[0\]\)[\s\S]*403 POLICY_DENIED/],
    [['s.dorp'], 11, /absent\n[\s\S]*404 TOOL_NOT_FOUND[\s\S]*did you mean +s\.drop/],
    [['s.typed', 'n=1', 'token=abc'], 0, /fit the schema\n[\s\S]*redacted +token/],
    [['s.typed', '--args', '{"n": "many"}'], 12, /do not fit: .*n/],
  ])('%j exits with %i', async (args, code, expected) => {
    const { stdout, stderr, code: exit } = await test(...args);
    expect([exit, stderr]).toEqual([code, '']);
    expect(stdout).toMatch(expected);
    expect(stdout).not.toContain('abc');
  });

  it('prints the answer of the route with --json', async () => {
    const { json, code } = await test('s.drop', '--json');
    expect([code, json()]).toMatchObject([11, { ok: true, effect: 'denied', rule: 'deny:s.drop', arguments: null }]);
  });

  it.each([
    [['s.read', 'n=1', '--args', '{}'], 2, 'not as both'],
    [['s.read', '--args', '[1]'], 2, '--args'],
    [[], 2, 'name a capability'],
    [['s.read', '--as', 'nobody'], 1, 'there is no role "nobody"'],
    [['--file', 'missing.json'], 2, 'missing.json'],
    [['--file', 'f.json', '--as', 'r'], 2, '--file has'],
  ])('%j cannot be used, and exits with %i', async (args, code, message) => {
    const { stderr, code: exit } = await test(...args);
    expect([exit, stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it('runs the cases of a file, a line for each', async () => {
    const cases = [
      { name: 'reads', call: 's.read', expect: 'allow' },
      { name: 'writes', call: 's.write', expect: 'approve', rule: 's.write' },
      { name: 'drops', call: 's.drop', expect: 'deny', rule: 'deny:s.drop' },
      { name: 'gone', call: 's.gone', expect: 'absent' },
    ];
    const held = await test('--file', fileOf(cases));
    expect([held.code, held.stdout]).toEqual([
      0,
      'ok   reads: allow\nok   writes: approve\nok   drops: deny\nok   gone: absent\n4 cases, all hold\n',
    ]);
    const wrong = [
      { name: 'a', call: 's.drop', expect: 'allow' },
      { name: 'b', call: 's.write', expect: 'approve', rule: 'deny:x' },
      { name: 'c', call: 's.typed', args: { n: 'x' }, expect: 'allow' },
    ];
    const failed = await test('--file', fileOf(wrong));
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(
      /^FAIL a: expected allow, got deny by the rule deny:s\.drop\nFAIL b: expected the rule deny:x.*\nFAIL c: its arguments do not fit.*\n3 cases, 3 failed\n$/,
    );
  });

  it.each([
    ['{', 'is not JSON'],
    [[], 'length'],
    [[{ name: 'a', call: 's.read', expect: 'perhaps' }], '[0].expect'],
    [[{ name: 'a', call: 's.read', expect: 'allow', ruel: 'x' }], '[0].ruel'],
  ])('refuses the file %j', async (cases, message) => {
    const { code, stderr } = await test('--file', fileOf(cases));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('policy', () => {
  it('test without a state says what it does not know', async () => {
    const { stderr, stdout, code } = await portico(['policy', 'test', 's.drop', '--offline', '--config', configFile]);
    expect([code, stderr]).toEqual([11, expect.stringContaining('nothing is kept of s')]);
    expect(stdout).toContain('deny:s.drop');
  });

  it('match says what a pattern matches and would change, also of the calls that were made', async () => {
    await daemon.call('s.read');
    const args = ['policy', 'match', 's.*', '--since', '1h', '--url', daemon.url];
    const { stdout, stderr } = await portico(args);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^"s\.\*" matches 4 tools\n/);
    expect(stdout).toMatch(/s\.read: allow -> deny/);
    expect(stdout).toMatch(/of 1 call since .*, 1 would have met another verdict/);
    expect(stdout).toMatch(/records? read: all of the log in that time, which is in memory/);
  });

  it('rules are listed with what they match, and put on trial and out of it', async () => {
    const on = ['--url', daemon.url];
    const add = await portico(['config', 'policy', 'add', '--deny', 's.typed', '--shadow', ...on]);
    expect([add.code, add.stdout]).toEqual([0, expect.stringMatching(/shadow deny +s\.read\n +s\.typed/)]);
    const { stdout } = await portico(['policy', 'rules', '--shadow', ...on]);
    expect(stdout).toMatch(/s\.typed +deny +shadow +1 +0/);
    const removed = await portico(['config', 'policy', 'remove', '--deny', 's.typed', '--shadow', ...on]);
    expect([removed.code, removed.stdout]).toEqual([0, expect.not.stringContaining('s.typed')]);
    const wrong = await portico(['config', 'policy', 'add', '--redact-key', 'k', '--shadow', ...on]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--shadow is for')]);
    const events = await portico(['audit', 'events', '--shadow', '--json', ...on]);
    expect(events.json()).toMatchObject({ events: [{ details: { shadow: 'deny:s.read' } }] });
  });
});
