// Rules on arguments as an operator meets them: a condition that does not compile, trials, counts, explanations.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Explanation, PolicyRuleInfo, PolicyTested } from '@portico/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';
import type { Envelope } from './support/wire.js';

const rules = [
  {
    id: 'acme-only',
    match: 's.push',
    when: '!args.repo.startsWith("acme/")',
    effect: 'deny',
    reason: 'use a repository of acme/',
  },
  { id: 'ask-main', match: 's.push', when: 'args.branch == "main"', effect: 'requireApproval' },
  { id: 'trial', match: 's.*', when: 'has(args.force)', effect: 'deny', shadow: true },
];
const broken = [...rules, { id: 'broken', match: 's.*', when: 'args.repo.startWith("acme/")', effect: 'deny' }];
const place =
  'policy.rules[3].when: rule "broken" does not compile: line 1, column 11 ("startWith(\\"acme/\\")"): there is no function "startWith"; did you mean startsWith?';

const folder = tempFolder();
const configFile = join(folder, 'config.json');
const stateDir = join(folder, 'state');
let daemon: Daemon;
const { server } = scripted({ tools: [tool('push'), tool('read')] });
const configured = (policy: object) => ({
  mcpServers: { s: server },
  policy,
  audit: { filePath: join(folder, 'audit.jsonl') },
});

beforeAll(async () => {
  writeFileSync(configFile, JSON.stringify(configured({ rules })));
  daemon = await startDaemon(undefined, { configFile, stateDir });
  await daemon.connected();
});

const other = { repo: 'other/site', branch: 'x' };
const main = { repo: 'acme/site', branch: 'main' };
const fine = { repo: 'acme/site', branch: 'x' };

describe('a condition that does not compile', () => {
  it('is found by the start and by config validate, with its field and its place', async () => {
    const file = join(tempFolder(), 'config.json');
    writeFileSync(file, JSON.stringify(configured({ rules: broken })));
    for (const command of [
      ['config', 'validate', file],
      ['daemon', '--config', file, '--port', '0'],
    ]) {
      const { code, stdout, stderr } = await portico(command);
      expect([command[0], code]).toEqual([command[0], 2]);
      expect(stdout + stderr).toContain(place);
    }
  });

  it('is refused over HTTP, and nothing changes', async () => {
    const before = readFileSync(configFile, 'utf8');
    const body = {
      rules: broken.map((rule) => ({ ...rule, effect: rule.effect === 'deny' ? 'deny' : 'require_approval' })),
    };
    const answer = await daemon.post<Envelope>('/v1/config/policy', body);
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'INVALID_ARGS']);
    expect(answer.body.error?.message).toContain(place);
    expect(readFileSync(configFile, 'utf8')).toBe(before);
  });

  it.each<[object, string]>([
    [{ id: 'x', match: 's.*', when: 'true', effect: 'allow' }, 'policy.rules[0].effect'],
    [{ id: 'a b', match: 's.*', when: 'true', effect: 'deny' }, 'policy.rules[0].id'],
    [{ id: 'x', match: 's.*', effect: 'deny' }, 'policy.rules[0].when'],
    [{ id: 'x', match: 's.*', when: 'true', efect: 'deny', effect: 'deny' }, 'policy.rules[0].efect'],
  ])('or another rule that is invalid is refused: %j', async (rule, path) => {
    const file = join(tempFolder(), 'config.json');
    writeFileSync(file, JSON.stringify(configured({ rules: [rule] })));
    const { code, stdout, stderr } = await portico(['config', 'validate', file]);
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining(path)]);
  });

  it('and an id that is there twice are refused', async () => {
    const file = join(tempFolder(), 'config.json');
    const profiles = { dev: { servers: ['s'], policy: { rules: [rules[0]] } } };
    writeFileSync(file, JSON.stringify({ ...configured({ rules }), profiles }));
    const { stdout, stderr } = await portico(['config', 'validate', file]);
    expect(stdout + stderr).toContain('profiles.dev.policy.rules[0].id: is the id of policy.rules[0] as well');
  });
});

describe.each([
  ['the daemon', () => ['--url', daemon.url]],
  ['the file', () => ['--config', configFile, '--state-dir', stateDir, '--offline']],
] as const)('policy test, asked of %s', (_, where) => {
  it.each<[readonly string[], number, RegExp]>([
    [['repo=other/site'], 11, /denied\n[\s\S]*rule:acme-only \(policy\.rules\[0\]\)[\s\S]*403 POLICY_DENIED/],
    [['repo=acme/site', 'branch=main'], 10, /needs approval\n[\s\S]*rule:ask-main \(policy\.rules\[1\]\)/],
    [['repo=acme/site', 'branch=x'], 0, /allowed\n/],
    [['repo=acme/site', 'branch=x', 'force=true'], 0, /would be +denied by the shadow rule rule:trial/],
    [[], 0, /^s\.push: depends on its arguments\n[\s\S]*the arguments: rule:acme-only, rule:ask-main/],
  ])('%j exits with %i', async (args, code, expected) => {
    const { stdout, stderr, code: exit } = await portico(['policy', 'test', 's.push', ...args, ...where()]);
    expect([exit, stderr, stdout]).toEqual([code, '', expect.stringMatching(expected)]);
  });

  it('takes cases with arguments, and fails one without', async () => {
    const file = join(tempFolder(), 'policy.tests.json');
    const cases = [
      { name: 'others', call: 's.push', args: other, expect: 'deny', rule: 'rule:acme-only' },
      { name: 'main', call: 's.push', args: main, expect: 'approve' },
      { name: 'nothing', call: 's.push', expect: 'allow' },
    ];
    writeFileSync(file, JSON.stringify(cases));
    const { stdout, code } = await portico(['policy', 'test', '--file', file, ...where()]);
    expect(code).toBe(1);
    expect(stdout).toContain('ok   others: deny\nok   main: approve\nFAIL nothing: it depends on the arguments');
  });
});

describe('calls', () => {
  it('get what a trial says, and are explained and counted by the rule', async () => {
    const answers: Awaited<ReturnType<typeof daemon.call>>[] = [];
    for (const args of [other, main, fine, { ...fine, force: true }]) {
      const { body } = await daemon.post<PolicyTested>('/v1/config/policy/test', { id: 's.push', args });
      const call = await daemon.call('s.push', args);
      expect([args, body.answer?.status ?? 200]).toEqual([args, call.status]);
      answers.push(call);
    }
    expect(answers[0]?.body.error).toMatchObject({ reason: 'argument_rule', hint: 'use a repository of acme/' });
    const because = async (at: number) => {
      const path = `/v1/traces/${answers[at]?.body.trace_id}/explain`;
      const { body } = await daemon.get<{ explanation: Explanation }>(path);
      return body.explanation.steps.find(({ step }) => step === 'authorize')?.because;
    };
    expect([await because(0), await because(1), await because(3)]).toEqual([
      'the rule "acme-only" denies "s.push" with these arguments',
      'the rule "ask-main" asks for an approval',
      'no rule stopped it; the shadow rule "trial" on arguments would have stopped it',
    ]);
    const listed = await daemon.get<{ rules: readonly PolicyRuleInfo[] }>('/v1/config/policy/rules');
    expect(listed.body.rules.map(({ path, id, hits, mode }) => [path, id, hits, mode])).toEqual([
      ['policy.rules[0]', 'acme-only', 1, 'enforce'],
      ['policy.rules[1]', 'ask-main', 1, 'enforce'],
      ['policy.rules[2]', 'trial', 1, 'shadow'],
    ]);
    const audit = auditOf(daemon);
    expect(await audit.events('?rule=rule:acme-only')).toHaveLength(1);
    expect(await audit.events('?shadow=rule:trial')).toHaveLength(1);
    expect((await daemon.get('/metrics')).text).toContain('portico_shadow_hits_total{effect="rule"} 1');
    expect((await audit.report()).is_valid).toBe(true);
  });

  it('that depend on arguments are named among the verdicts', async () => {
    const { body } = await daemon.get<{ verdicts: readonly object[] }>('/v1/config/policy/verdicts');
    expect(body.verdicts).toMatchObject([
      { id: 's.push', effect: 'runs', depends_on: ['rule:acme-only', 'rule:ask-main'] },
    ]);
  });
});

describe('a change over HTTP', () => {
  it('replaces the whole list, shows it, and leaves it where another field changes', async () => {
    const rule = { id: 'only', match: 's.read', when: 'true', effect: 'require_approval' };
    const put = async (body: object) => (await daemon.post<{ policy: object }>('/v1/config/policy', body)).body.policy;
    expect(await put({ rules: [rule] })).toMatchObject({ rules: [{ ...rule, reason: null, shadow: false }] });
    expect(await put({ deny: ['s.none'] })).toMatchObject({ rules: [{ id: 'only' }] });
    expect((await daemon.call('s.read')).status).toBe(202);
    const { stdout } = await portico(['config', 'policy', 'set', '{}', '--url', daemon.url]);
    expect(stdout).toContain('only: require_approval s.read when true');
    expect(await put({ rules: null })).not.toHaveProperty('rules');
    expect((await daemon.call('s.read')).status).toBe(200);
  });
});
