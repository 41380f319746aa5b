// Calls that policy admits: the order of its lists, its patterns, and every name and route by which a thing is reached.
import { describe, expect, it } from 'vitest';
import { brief } from './support/approvals.js';
import { refusalOf, startDaemon } from './support/daemon.js';
import { dead, scripted, tool } from './support/upstreams.js';

async function start(config: object, ...names: readonly string[]) {
  const upstream = scripted({ tools: names.map((name) => tool(name)) });
  const daemon = await startDaemon({ mcpServers: { s: upstream.server }, ...config });
  await daemon.connected();
  const visible = async () => (await daemon.ids('capabilities')).map((id) => id.replace(/^s\./, ''));
  const called = () => upstream.received('tools/call').map(({ params }) => params.name);
  return { daemon, visible, called };
}

describe('the lists of a policy', () => {
  it('apply in the order deny, allow, require approval [policy-order] [policy-allow-deny] [error-policy-denied]', async () => {
    const policy = {
      deny: ['s.denied_*'],
      allow: ['s.denied_*', 's.allowed_*'],
      requireApproval: ['s.denied_gated', 's.allowed_gated', 's.other_gated'],
    };
    const names = ['denied_free', 'denied_gated', 'other_free', 'other_gated', 'allowed_gated', 'allowed_free'];
    const { daemon, visible, called } = await start({ policy }, ...names);
    const answers = await Promise.all(names.map((name) => daemon.call(`s.${name}`)));
    expect(answers.map(brief)).toEqual([
      [403, 'POLICY_DENIED'],
      [403, 'POLICY_DENIED'],
      [404, 'TOOL_NOT_FOUND'],
      [404, 'TOOL_NOT_FOUND'],
      [202, 'APPROVAL_PENDING'],
      [200, undefined],
    ]);
    const { error, retry, data } = answers[0]!.body;
    expect([error.retryable, data, retry]).toEqual([
      false,
      null,
      { classification: 'safe', upstream_execution_state: 'not_started' },
    ]);
    expect(await visible()).toEqual(['allowed_free', 'allowed_gated']);
    expect(called()).toEqual(['allowed_free']);
  });

  it.each([
    ['is absent', {}],
    ['is null', { policy: null }],
    ['has empty lists', { policy: { allow: [], deny: [], requireApproval: [] } }],
    ['has null in every field', { policy: { allow: null, deny: null, requireApproval: null, webhook: null } }],
  ])('let everything through where the policy %s [policy-config-fields]', async (_, config) => {
    const { daemon, visible } = await start(config, 'a', 'b');
    expect(await visible()).toEqual(['a', 'b']);
    expect((await daemon.call('s.a')).status).toBe(200);
  });

  it.each([
    ['s.exact', ['exact'], ['Exact', 'exactly', 'inexact', 'exac']],
    ['s.q*z', ['qz', 'qaz', 'q.a.z'], ['qza', 'aqz', 'Qaz', 'q']],
    ['s.*mid*', ['mid', 'amidst', 'mid.mid'], ['mi', 'MID', 'm.id']],
    ['*.end', ['end', 'x.end'], ['ends', 'END', 'x_end']],
    ['s*', ['anything', '.', 'S'], []],
    ['*', ['anything'], []],
    ['S.*', [], ['anything']],
    ['s.a**b', ['ab', 'axb'], ['ba']],
    ['s.aba*aba', ['abaaba', 'aba-aba'], ['aba', 'ababa']],
    ['s.[k]', ['[k]'], ['k']],
    ['s.w?ld', ['w?ld'], ['wild', 'wld']],
    ['s.a.c', ['a.c'], ['abc']],
    ['s.(x|y)+$', ['(x|y)+$'], ['x', 'xy']],
    ['s.back\\*', ['back\\', 'back\\slash'], ['back*', 'back']],
    ['exact', [], ['exact']],
    [' s.exact', [], ['exact']],
  ])(
    'take the pattern %j whole, to the letter and in its case, and * for any run of characters [policy-patterns]',
    async (pattern, matching, others) => {
      const denied = await start({ policy: { deny: [pattern] } }, ...matching, ...others);
      expect(await denied.visible()).toEqual([...others].sort());
      const codes = await Promise.all(
        [...matching, ...others].map(async (name) => (await denied.daemon.call(`s.${name}`)).status),
      );
      expect(codes).toEqual([...matching.map(() => 403), ...others.map(() => 200)]);
    },
  );
});

it('policy holds for a server that has never been reached, by every name [policy-allow-deny] [policy-execution-time]', async () => {
  const daemon = await startDaemon({
    mcpServers: { s: dead },
    capabilityAliases: { short: 's.denied', quick: 's.gone' },
    policy: { deny: ['s.denied'], allow: ['s.denied', 's.open'] },
  });
  const ids = ['s.denied', 'short', 's.gone', 'quick', 's.open'];
  const answers = await Promise.all(ids.map((id) => daemon.call(id)));
  expect(answers.map(brief)).toEqual([
    [403, 'POLICY_DENIED'],
    [403, 'POLICY_DENIED'],
    [404, 'TOOL_NOT_FOUND'],
    [404, 'TOOL_NOT_FOUND'],
    [502, 'SERVER_UNREACHABLE'],
  ]);
});

describe('an alias never escapes a rule', () => {
  const capabilityAliases = { short: 's.tool', other: 's.tool', free: 's.free' };
  const names = ['s.tool', 'short', 'other', 's.free', 'free'];

  it.each([
    ['deny', 'its canonical id', 's.tool', [403, 403, 403, 200, 200]],
    ['deny', 'one alias', 'short', [403, 403, 403, 200, 200]],
    ['deny', 'a pattern over an alias', 'oth*', [403, 403, 403, 200, 200]],
    ['requireApproval', 'its canonical id', 's.tool', [202, 202, 202, 200, 200]],
    ['requireApproval', 'one alias', 'short', [202, 202, 202, 200, 200]],
    ['allow', 'its canonical id', 's.tool', [200, 200, 200, 404, 404]],
    ['allow', 'one alias', 'other', [200, 200, 200, 404, 404]],
  ])('%s by %s holds for every name of it [policy-allow-deny]', async (list, _, pattern, expected) => {
    const { daemon, visible } = await start({ capabilityAliases, policy: { [list]: [pattern] } }, 'tool', 'free');
    const answers = await Promise.all(names.map((name) => daemon.call(name)));
    expect(answers.map(({ status }) => status)).toEqual(expected);
    const isSeen = (index: number) => expected[index] === 200 || expected[index] === 202;
    const listed = [...(isSeen(0) ? ['other', 'short'] : []), ...(isSeen(3) ? ['free'] : [])].sort();
    expect(await visible()).toEqual(listed);
    for (const [index, name] of names.entries()) {
      expect([name, (await daemon.get(`/v1/capabilities/${name}`)).status]).toEqual([name, isSeen(index) ? 200 : 404]);
    }
  });
});

const withPolicy = (policy: unknown) => ({ mcpServers: {}, policy });

it.each([
  ['policy', withPolicy([])],
  ['policy', withPolicy('s.*')],
  ['policy.deny', withPolicy({ deny: 's.*' })],
  ['policy.deny[1]', withPolicy({ deny: ['s.*', 7] })],
  ['policy.allow', withPolicy({ allow: { s: true } })],
  ['policy.requireApproval', withPolicy({ requireApproval: true })],
  ['policy.redactKeys', withPolicy({ redactKeys: 'password' })],
  ['policy.approvalTimeoutSecs', withPolicy({ approvalTimeoutSecs: '5' })],
  ['policy.approvalTimeoutSecs', withPolicy({ approvalTimeoutSecs: 0 })],
  ['policy.approvalTimeoutSecs', withPolicy({ approvalTimeoutSecs: 1.5 })],
  ['policy.webhook', withPolicy({ webhook: 'http://127.0.0.1/' })],
])('a policy that is wrong ends the start with 2 and the path %s: %j [policy-config-fields]', async (path, config) => {
  const { code, stderr } = await refusalOf(config);
  expect(code).toBe(2);
  expect(stderr).toContain(`\n  ${path}: `);
});
