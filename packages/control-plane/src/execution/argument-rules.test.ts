// Rules on arguments decide on a call as it is sent, whichever way its arguments came about.
import type { JsonObject } from '@portico/contracts';
import { isQuestion } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { author, startConfigured } from '../testing/start-configured.js';
import { type CallInput, caller, connectPlane, correlation, tool } from '../testing/start-plane.js';

const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
const s: MemoryServer = {
  definitions: {
    tools: [tool('push', { inputSchema }), tool('echo')],
    resources: [{ uri: 'x:note', name: 'note' }],
    prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
  },
  handle: ({ params }) => ({ content: [], structuredContent: params.arguments as JsonObject }),
};
const small = { id: 'small', match: 's.push', when: 'args.n > 10', effect: 'deny', reason: 'n is at most 10' };
const acme = { id: 'acme', match: 's.push', when: '!args.repo.startsWith("acme/")', effect: 'requireApproval' };
const push = (args: JsonObject, more: Partial<CallInput> = {}): CallInput => ({
  kind: 'tool',
  id: 's.push',
  args,
  ...more,
});

const start = (rules: readonly object[], file: object = {}) => connectPlane({ s }, { policy: { rules }, ...file });
const sent = ({ server }: Pick<Awaited<ReturnType<typeof start>>, 'server'>) =>
  server('s')
    .requests()
    .map(({ params }) => params.arguments);

describe('a rule that denies', () => {
  it('refuses a call with its reason as the hint, and names itself in the record', async () => {
    const started = await start([small]);
    expect(await started.execute(push({ n: 11 }))).toMatchObject({
      error: {
        code: 'POLICY_DENIED',
        reason: 'argument_rule',
        message: 'policy denies "s.push" with these arguments: the rule "small" applies',
        hint: 'n is at most 10',
        retryable: false,
      },
      retry: { upstream_execution_state: 'not_started' },
    });
    expect((await started.execute(push({ n: 10 }))).ok).toBe(true);
    expect(sent(started)).toEqual([{ n: 10 }]);
    expect(started.audit.kept()[0]).toMatchObject({
      event_type: 'policy_violation',
      status: 'denied',
      rule: 'rule:small',
      details: { reason: 'argument_rule' },
    });
  });

  it('applies without a value, and says what is missing', async () => {
    const { execute } = await start([small]);
    expect((await execute(push({}))).error?.message).toBe(
      'policy denies "s.push" with these arguments: the rule "small" applies, since its condition has no value: args.n is missing',
    );
  });

  it('reads the arguments as they are sent, after their conversion', async () => {
    const mcpServers = { s: { command: 'node', argumentChecks: 'coerce' } };
    const started = await start([small], { mcpServers });
    expect((await started.execute(push({ n: '11' }))).error?.reason).toBe('argument_rule');
    expect((await started.execute(push({ n: '9', _limit_lines: 1 }))).ok).toBe(true);
    expect(sent(started)).toEqual([{ n: 9 }]);
  });

  it('covers resources, prompts and aliases by their names', async () => {
    const rules = [
      { ...small, match: 'nick', when: 'true' },
      { ...small, id: 'all', match: 's.x:*', when: 'true' },
    ];
    const { execute } = await start(
      [...rules, { ...small, id: 'greet', match: 's.greet', when: 'args.who != "ann"' }],
      { capabilityAliases: { nick: 's.echo' } },
    );
    const calls: CallInput[] = [
      { kind: 'tool', id: 's.echo' },
      { kind: 'resource', id: 's.x:note' },
      { kind: 'prompt', id: 's.greet', args: { who: 'bob' } },
      { kind: 'prompt', id: 's.greet', args: { who: 'ann' } },
    ];
    const codes = [];
    for (const call of calls) codes.push((await execute(call)).error?.code);
    expect(codes).toEqual(['POLICY_DENIED', 'POLICY_DENIED', 'POLICY_DENIED', undefined]);
  });

  it('checks each step of a batch after its references are resolved', async () => {
    const { plane } = await start([small]);
    const steps = [
      { id: 'a', capability_id: 's.echo', args: { n: 12 } },
      { id: 'b', capability_id: 's.push', args: { n: '$a.structuredContent.n' } },
    ];
    const signal = new AbortController().signal;
    const batch = await plane.executeBatch({ steps, correlation, caller, signal, idempotencyKey: null });
    expect(batch.results.map(({ error }) => error?.split(':')[0])).toEqual([undefined, 'POLICY_DENIED']);
  });

  it('leaves lists as they are', async () => {
    const [withRule, without] = [await start([{ ...small, when: 'true' }]), await start([])];
    const listed = ({ plane }: typeof withRule) => plane.view(caller, 'tool').capabilities;
    expect(listed(withRule)).toEqual(listed(without));
  });
});

describe('a rule that requires an approval', () => {
  it('holds the calls that it applies to', async () => {
    const started = await start([acme]);
    expect((await started.execute(push({ repo: 'acme/site' }))).ok).toBe(true);
    expect((await started.execute(push({ repo: 'other/site' }))).error?.code).toBe('APPROVAL_PENDING');
    const { approvals } = await started.plane.approvals.list({ status: 'pending', limit: 9, offset: 0 });
    expect(approvals).toMatchObject([{ rule: 'rule:acme' }]);
    const [{ id = '' } = {}] = approvals;
    expect(await started.plane.approvals.approve(id, 'me', null)).toMatchObject({ result: { ok: true } });
    expect(sent(started)).toEqual([{ repo: 'acme/site' }, { repo: 'other/site' }]);
  });

  it('gives way to one that denies, also with the arguments of an approver', async () => {
    const started = await start([acme, { ...small, when: 'has(args.n) && args.n > 10' }]);
    await started.execute(push({ repo: 'other/site', n: 1 }));
    const modified = { repo: 'other/site', n: 11 };
    expect(await started.plane.approvals.approve('appr-0-1', 'me', modified)).toMatchObject({
      result: { error: { code: 'POLICY_DENIED', reason: 'argument_rule' } },
    });
    expect(sent(started)).toEqual([]);
  });

  it('and what was approved is denied by a rule that is newer than the approval', async () => {
    const mcpServers = { s: { command: 'node' } };
    const { outcome, plane, configuration, settled, server } = await startConfigured(
      { s },
      { mcpServers, policy: { rules: [acme] } },
    );
    const pending = (await outcome(push({ repo: 'other/site' }))).envelope.error?.approval_id ?? '';
    const deny = { id: 'no', match: 's.*', when: 'args.repo == "other/site"', effect: 'deny' as const };
    await settled(configuration.mergePolicy(author, { rules: [deny] }));
    expect(await plane.approvals.approve(pending, 'me', null)).toMatchObject({
      result: { error: { reason: 'argument_rule' } },
    });
    expect(server('s').requests()).toEqual([]);
  });
});

describe('a stored answer', () => {
  it('is not returned, nor the result of a ticket, once a rule denies its arguments', async () => {
    const mcpServers = { s: { command: 'node' } };
    const file = { mcpServers, policy: { rules: [acme] } };
    const { outcome, plane, configuration, settled } = await startConfigured({ s }, file);
    const keyed = push({ repo: 'acme/site' }, { idempotencyKey: 'k' });
    expect((await outcome(keyed)).envelope.ok).toBe(true);
    const id = (await outcome(push({ repo: 'other' }))).envelope.error?.approval_id ?? '';
    await plane.approvals.approve(id, 'me', null);
    expect(await plane.approvals.get(id)).toHaveProperty('result');
    const rules = [{ id: 'no', match: 's.push', when: 'true', effect: 'deny' as const }];
    await settled(configuration.mergePolicy(author, { rules }));
    expect((await outcome(keyed)).envelope.error?.reason).toBe('argument_rule');
    expect(await plane.approvals.get(id)).not.toHaveProperty('result');
    await settled(configuration.mergePolicy(author, { rules: null }));
    expect((await outcome(keyed)).kind).toBe('replayed');
  });
});

describe('a further turn', () => {
  it('is checked with its own arguments', async () => {
    const asking: MemoryServer = {
      definitions: { tools: [tool('push')] },
      handle: ({ params }) =>
        params.requestState === undefined
          ? { resultType: 'input_required', inputRequests: {}, requestState: 'more' }
          : { content: [], structuredContent: params.arguments as JsonObject },
    };
    const { execute } = await connectPlane({ s: asking }, { policy: { rules: [small] } });
    const first = await execute(push({ n: 1 }));
    expect(first.ok && isQuestion(first.data)).toBe(true);
    const turn = { requestState: 'more', inputResponses: {} };
    expect((await execute(push({ n: 11 }, turn))).error?.reason).toBe('argument_rule');
  });
});

describe('rules of profiles and roles', () => {
  const file = {
    profiles: { dev: { servers: ['s'], policy: { rules: [{ ...small, id: 'dev', when: 'args.n > 5' }] } } },
    rbac: { roles: { agent: { rules: [{ ...small, id: 'agent', when: 'args.n > 3' }] } }, tokens: [] },
  };

  it.each<[Partial<CallInput>, number, string | undefined]>([
    [{}, 10, undefined],
    [{}, 11, 'rule:small'],
    [{ profile: 'dev' }, 6, 'rule:dev'],
    [{ profile: 'dev' }, 11, 'rule:small'],
    [{ role: 'agent' }, 4, 'rule:agent'],
    [{ role: 'agent', profile: 'dev' }, 6, 'rule:dev'],
    [{ role: 'agent', profile: 'dev' }, 2, undefined],
  ])('of %j are added to those of the policy (n = %i: %s)', async (who, n, rule) => {
    const { execute, audit } = await start([small], file);
    expect((await execute(push({ n }, who))).ok).toBe(rule === undefined);
    expect(audit.kept()[0]?.event_type === 'config_change' ? undefined : audit.kept()[0]?.rule).toBe(rule);
  });
});

describe('a rule on trial', () => {
  it('is recorded where it would have been stricter, and decides nothing', async () => {
    const rules = [
      { ...small, id: 'trial', when: 'args.n > 5', shadow: true },
      { ...acme, id: 'asked', when: 'args.n > 8' },
    ];
    const { execute, audit, plane } = await start(rules);
    for (const n of [5, 6, 9]) await execute(push({ n }));
    const shadows = audit.kept().map((record) => ('details' in record ? record.details?.shadow : undefined));
    expect(shadows.filter((each) => each !== undefined)).toEqual(['rule:trial']);
    expect((await plane.policy.rules()).rules.map(({ path, hits, matches }) => [path, hits, matches])).toEqual([
      ['policy.rules[0]', 2, 1],
      ['policy.rules[1]', 1, 1],
    ]);
  });
});

it('the digest of the policy changes with a rule in force, and not with one on trial', async () => {
  const digest = async (rules: readonly object[]) => {
    const { execute, audit } = await start(rules, { policy: { deny: ['s.push'], rules } });
    await execute(push({}));
    const [record] = audit.kept();
    return record !== undefined && 'policy_digest' in record ? record.policy_digest : undefined;
  };
  const [none, trial, one] = [await digest([]), await digest([{ ...small, shadow: true }]), await digest([small])];
  expect([trial === none, one === none, typeof one]).toEqual([true, false, 'string']);
});

it('a condition that does not compile is refused where no file is checked, and nothing changes', async () => {
  const file = { mcpServers: { s: { command: 'node' } }, policy: { rules: [small] } };
  const { configuration, outcome, settled } = await startConfigured({ s }, file);
  const rules = [{ ...small, effect: 'deny' as const, when: 'args.' }];
  await expect(settled(configuration.mergePolicy(author, { rules }))).rejects.toMatchObject({ code: 'INVALID_ARGS' });
  expect((await outcome(push({ n: 11 }))).envelope.error?.reason).toBe('argument_rule');
});
