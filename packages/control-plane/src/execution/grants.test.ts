// Grants answer later calls like an approved one, and nothing else: on a plane whose configuration, servers and clock the
// test changes.
import { type JsonObject, parseExact } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { author, startConfigured } from '../testing/start-configured.js';
import { type CallInput, stopped, tool } from '../testing/start-plane.js';

const push: JsonObject = { ...tool('push') };
const serverOf = (definition: JsonObject = push): MemoryServer => ({
  definitions: {
    tools: [definition, tool('wipe', { annotations: { destructiveHint: true } }), tool('echo')] as never,
    resources: [{ uri: 'x:note', name: 'note' }],
    prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
  },
  handle: ({ params }) => ({ content: [], structuredContent: params.arguments as JsonObject }),
});
const grants = { enabled: true, maxTtlSecs: 3600, maxUses: 50 };
const policy = { requireApproval: ['s.push', 's.wipe', 's.x:*', 's.greet'], approvalTimeoutSecs: 60, grants };
const mcpServers = { s: { command: 'node' } };
const args = { repo: 'acme/site', title: 'one' };
const call = (more: Partial<CallInput> = {}): CallInput => ({ kind: 'tool', id: 's.push', args, ...more });

type Request = { readonly ttlSecs: number; readonly uses: number; readonly keep?: readonly string[] };

async function start(file: JsonObject = {}, server = serverOf(), stores = createMemoryStores(stopped)) {
  const started = await startConfigured({ s: server, t: serverOf() }, { mcpServers, policy, ...file }, stores);
  const { plane, outcome } = started;
  const ask = async (input = call()) => {
    const { error } = (await outcome(input)).envelope;
    expect(error).toMatchObject({ approval_id: expect.any(String) });
    return error?.approval_id ?? '';
  };
  const approve = async (id: string, grant: Request, modified: JsonObject | null = null) => {
    const decision = await plane.approvals.approve(id, 'eve', modified, { grant: { ...grant, by: author } });
    if (decision.kind !== 'decided') throw new Error(decision.kind);
    return decision.grantId ?? '';
  };
  const grant = async (request: Partial<Request> = {}, input = call()) =>
    approve(await ask(input), { ttlSecs: 600, uses: 3, ...request });
  const ranOf = async (input = call()) => (await outcome(input)).envelope.ok;
  const contacts = () =>
    started
      .server('s')
      .requests()
      .map(({ params }) => params.arguments);
  return { ...started, ask, approve, grant, ranOf, contacts };
}

describe('a grant', () => {
  it('answers as many calls as it has uses, in place of a person, and records say so', async () => {
    const { grant, ranOf, contacts, plane, audit } = await start();
    const id = await grant({ uses: 2, keep: ['/repo'] });
    expect(id).toBe('grant-0-1');
    expect([await ranOf(), await ranOf(call({ args: { repo: 'acme/site' } })), await ranOf()]).toEqual([
      true,
      true,
      false,
    ]);
    expect(contacts()).toEqual([args, args, { repo: 'acme/site' }]);
    const uses = audit.kept().filter(({ details }) => details?.grant !== undefined);
    expect(uses).toHaveLength(2);
    expect(uses[0]).toMatchObject({
      event_type: 'tool_call',
      status: 'success',
      grant_id: id,
      rule: 'require_approval:s.push',
    });
    expect(audit.kept()).toContainEqual(
      expect.objectContaining({
        event_type: 'config_change',
        details: expect.objectContaining({ action: 'grant_issued', grant_id: id, keep: ['/repo'], uses: 2 }),
      }),
    );
    expect(await plane.grants.get(id)).toMatchObject({
      state: 'used_up',
      conditions: [{ path: '/repo', value: 'acme/site' }],
      free: ['/title'],
      uses_left: 0,
      issued_by: 'eve',
      approval_id: 'appr-0-1',
    });
  });

  it.each<[string, Partial<CallInput>]>([
    ['another value', { args: { ...args, repo: 'acme/other' } }],
    ['a new argument', { args: { ...args, force: true } }],
    ['a list for a text', { args: { ...args, repo: ['acme/site'] } }],
    ['a look-alike', { args: { ...args, repo: '\u0430cme/site' } }],
    ['a path with ..', { args: { ...args, repo: 'acme/../acme/site' } }],
    ['a percent form', { args: { ...args, repo: 'acme%2Fsite' } }],
    ['a missing value', { args: { title: 'one' } }],
    ['another principal', { principal: 'bob' }],
    ['another actor', { actor: 'bob' }],
    ['another tool', { id: 's.wipe' }],
    ['another kind', { kind: 'prompt', id: 's.greet', args: { who: 'a' } }],
  ])('does not answer a call with %s', async (_what, more) => {
    const { grant, ranOf, contacts } = await start();
    await grant({ keep: ['/repo'] });
    expect(await ranOf(call(more))).toBe(false);
    expect(contacts()).toHaveLength(1);
  });

  it('keeps all arguments by default, numbers to the last digit', async () => {
    const { grant, ranOf } = await start();
    const big = parseExact('{"n": 9007199254740993}') as JsonObject;
    await grant({}, call({ args: big }));
    expect(await ranOf(call({ args: parseExact('{"n": 9007199254740992}') as JsonObject }))).toBe(false);
    expect(await ranOf(call({ args: big }))).toBe(true);
  });

  it('is made from the arguments of the approver, and shapes of the result do not count', async () => {
    const { ask, approve, ranOf } = await start();
    await approve(await ask(), { ttlSecs: 60, uses: 5 }, { repo: 'acme/other' });
    expect(await ranOf()).toBe(false);
    expect(await ranOf(call({ args: { repo: 'acme/other', _limit_lines: 3 } }))).toBe(true);
  });

  it.each<[string, CallInput]>([
    ['resources', { kind: 'resource', id: 's.x:note' }],
    ['prompts', { kind: 'prompt', id: 's.greet', args: { who: 'ann' } }],
  ])('answers %s as well', async (_kind, input) => {
    const { grant, ranOf } = await start();
    await grant({ uses: 1 }, input);
    expect([await ranOf(input), await ranOf(input)]).toEqual([true, false]);
  });

  it('answers the step of a batch', async () => {
    const { grant, plane } = await start();
    await grant({ uses: 1 });
    const steps = [1, 2].map((at) => ({ id: `s${at}`, capability_id: 's.push', args }));
    const signal = new AbortController().signal;
    const { correlation } = author;
    const caller = { ...author.identity, profile: null };
    const { results } = await plane.executeBatch({ steps, correlation, caller, signal, idempotencyKey: null });
    expect(results.map(({ error }) => error?.split(':')[0])).toEqual([undefined, 'APPROVAL_PENDING']);
  });

  it('covers the further turns of a call that it answered', async () => {
    let turns = 0;
    const inputRequests = { who: { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } } };
    const answer = { action: 'accept', content: { name: 'Ann' } };
    const answered = call({ requestState: 'more2', inputResponses: { who: answer } });
    const asking: MemoryServer = {
      ...serverOf(),
      protocolVersion: '2026-07-28',
      handle: ({ params }) =>
        params.requestState === undefined
          ? { resultType: 'input_required', inputRequests, requestState: `more${++turns}` }
          : { content: [], structuredContent: params.arguments as JsonObject },
    };
    const { ask, plane, outcome, ranOf, contacts } = await start({}, asking);
    const by = { ttlSecs: 60, uses: 1, by: author };
    await plane.approvals.approve(await ask(), 'eve', null, { grant: by });
    expect(await outcome(call())).toMatchObject({ envelope: { data: { requestState: 'more2' } } });
    expect(await ranOf(answered)).toBe(true);
    expect(await ranOf(answered)).toBe(false);
    expect(await ranOf()).toBe(false);
    expect(contacts()).toHaveLength(3);
  });

  it('is not used by a replay, and a rejection of the same key stays one', async () => {
    const { grant, ranOf, ask, plane, contacts } = await start();
    const rejected = await ask(call({ idempotencyKey: 'no' }));
    await plane.approvals.reject(rejected, 'eve', null);
    const id = await grant({ uses: 2 });
    const keyed = call({ idempotencyKey: 'k' });
    expect([await ranOf(keyed), await ranOf(keyed), await ranOf(keyed)]).toEqual([true, true, true]);
    expect(await plane.grants.get(id)).toMatchObject({ uses_left: 1 });
    expect(await ranOf(call({ idempotencyKey: 'no' }))).toBe(false);
    expect(contacts()).toHaveLength(2);
  });

  it('answers no call that a rule denies, or that a budget or a loop stops', async () => {
    const rules = [{ id: 'no', match: 's.push', when: 'args.title == "x"', effect: 'deny' }];
    const budgets = [{ id: 'b', calls: 2, onExhausted: 'requireApproval' }];
    const loops = { identical: 2, onDetected: 'deny' };
    const ruled = await start({ policy: { ...policy, rules } });
    await ruled.grant({ keep: ['/repo'] });
    const denied = await ruled.outcome(call({ args: { ...args, title: 'x' } }));
    expect(denied.envelope.error).toMatchObject({ code: 'POLICY_DENIED', reason: 'argument_rule' });
    const limited = await start({ budgets });
    await limited.grant({ uses: 9 });
    expect([await limited.ranOf(), await limited.ranOf()]).toEqual([true, false]);
    expect(limited.contacts()).toHaveLength(2);
    const looping = await start({ loops });
    await looping.grant({ uses: 9 });
    await looping.ranOf();
    expect((await looping.outcome(call())).envelope.error).toMatchObject({ reason: 'loop' });
  });

  it('is never over-used by 64 callers at once', async () => {
    const { grant, plane, outcome, contacts } = await start();
    const id = await grant({ uses: 20 });
    const outcomes = await Promise.all(Array.from({ length: 64 }, () => outcome(call())));
    expect(outcomes.filter(({ kind }) => kind === 'answered')).toHaveLength(20);
    expect(outcomes.filter(({ kind }) => kind === 'pending')).toHaveLength(44);
    expect(contacts()).toHaveLength(21);
    expect(await plane.grants.get(id)).toMatchObject({ state: 'used_up' });
  });
});

describe('a grant answers nothing any more', () => {
  it('when its time is over, or the clock was set back', async () => {
    const { grant, ranOf, clock, plane } = await start();
    await clock.advance(5000);
    const id = await grant({ ttlSecs: 10 });
    expect(await ranOf()).toBe(true);
    const { epochMs } = clock;
    Object.assign(clock, { epochMs: () => 0 });
    expect(await ranOf()).toBe(false);
    Object.assign(clock, { epochMs });
    expect(await ranOf()).toBe(true);
    await clock.advance(10_000);
    expect(await ranOf()).toBe(false);
    expect(await plane.grants.get(id)).toMatchObject({ state: 'expired' });
  });

  it('when it is revoked, once', async () => {
    const { grant, ranOf, plane, audit } = await start();
    const id = await grant();
    expect(await plane.grants.revoke(id, author)).toMatchObject({ kind: 'revoked', grant: { state: 'revoked' } });
    expect(await ranOf()).toBe(false);
    expect(await plane.grants.revoke(id, author)).toMatchObject({ kind: 'ended' });
    expect(await plane.grants.revoke('grant-0-9', author)).toEqual({ kind: 'unknown' });
    const actions = audit.kept().map(({ details }) => details?.action);
    expect(actions.filter((action) => action === 'grant_revoked')).toHaveLength(1);
  });

  type Happens = (started: Awaited<ReturnType<typeof start>>, id: string) => unknown;
  it.each<[string, 'before' | 'after', Happens]>([
    ['it is revoked', 'after', ({ plane }, id) => plane.grants.revoke(id, author)],
    [
      'the definition changes',
      'after',
      ({ server, clock }) => {
        server('s').change({ tools: [tool('push', { description: 'other' })] });
        return clock.advance(0);
      },
    ],
    [
      'the policy changes',
      'after',
      ({ configuration, settled }) => settled(configuration.mergePolicy(author, { deny: ['t.*'] })),
    ],
    ['the last use is taken', 'before', ({ grantStore }, id) => grantStore.take(id, 0)],
  ])('when %s between the start of a call and its sending: a person is asked', async (_what, when, happens) => {
    const started = await start();
    const { grant, outcome, grantStore, contacts, audit } = started;
    const id = await grant({ uses: when === 'before' ? 1 : 2 });
    const { take } = grantStore;
    Object.assign(grantStore, {
      take: async (...given: Parameters<typeof take>) => {
        Object.assign(grantStore, { take });
        if (when === 'before') await happens(started, id);
        const isTaken = await take(...given);
        if (when === 'after') await happens(started, id);
        return isTaken;
      },
    });
    for (const idempotencyKey of ['k', null]) {
      expect(await outcome(call({ idempotencyKey }))).toMatchObject({ kind: 'pending' });
      expect(contacts()).toHaveLength(1);
    }
    expect(audit.kept().filter(({ grant_id }) => grant_id !== undefined)).toEqual([]);
  });

  it('when the store fails, and nothing is sent', async () => {
    const { grant, outcome, grantStore, contacts } = await start();
    await grant();
    for (const method of ['take', 'find'] as const) {
      Object.assign(grantStore, { [method]: () => Promise.reject(new Error('disk full')) });
      const { error } = (await outcome(call())).envelope;
      expect(error).toMatchObject({ code: 'INTERNAL_ERROR', message: expect.stringContaining('disk full') });
    }
    expect(contacts()).toHaveLength(1);
  });

  it('when the policy changes, its limits or another rule', async () => {
    const { grant, ranOf, plane, configuration, settled } = await start();
    const id = await grant();
    await settled(configuration.mergePolicy(author, { deny: ['t.*'] }));
    expect(await ranOf()).toBe(false);
    expect(await plane.grants.get(id)).toMatchObject({ state: 'void', void_reason: 'policy_changed' });
    expect((await plane.grants.list({ state: 'active', limit: 9, offset: 0 })).total).toBe(0);
    expect((await plane.grants.list({ state: 'ended', limit: 9, offset: 0 })).grants).toMatchObject([{ grant_id: id }]);
  });

  it('when its server lists another definition, or has another program', async () => {
    const { grant, ranOf, plane, configuration, settled, server, clock } = await start();
    const id = await grant();
    server('s').change({ tools: [tool('push', { description: 'now with --force' })] });
    await clock.advance(1000);
    expect(await ranOf()).toBe(false);
    expect(await plane.grants.get(id)).toMatchObject({ state: 'void', void_reason: 'definition_changed' });
    await settled(configuration.deleteServer(author, 's'));
    expect(await plane.grants.get(id)).toMatchObject({ state: 'void', void_reason: 'server_removed' });
  });
});

describe('no grant is made', () => {
  const nowhere = { ttlSecs: 600, uses: 3 };
  it.each<[string, Request, string]>([
    ['0 uses', { ...nowhere, uses: 0 }, 'uses must be an integer from 1 to 50 (policy.grants.maxUses), got 0'],
    ['negative uses', { ...nowhere, uses: -1 }, 'from 1 to 50 (policy.grants.maxUses), got -1'],
    ['half a use', { ...nowhere, uses: 0.5 }, 'from 1 to 50 (policy.grants.maxUses), got 0.5'],
    ['enormous uses', { ...nowhere, uses: 1e300 }, 'from 1 to 50 (policy.grants.maxUses), got 1e+300'],
    ['no time', { ...nowhere, ttlSecs: 0 }, 'ttl_secs must be an integer from 1 to 3600 (policy.grants.maxTtlSecs)'],
    ['too much time', { ...nowhere, ttlSecs: 3601 }, 'from 1 to 3600 (policy.grants.maxTtlSecs), got 3601'],
    ['an unknown path', { ...nowhere, keep: ['/rep'] }, 'the call has no value at "/rep"; its arguments are ["/repo"'],
    ['a path that is none', { ...nowhere, keep: ['repo'] }, 'the call has no value at "repo"'],
  ])('with %s, and the ticket stays', async (_what, request, problem) => {
    const { ask, approve, plane } = await start();
    const id = await ask();
    await expect(approve(id, request)).rejects.toMatchObject({
      code: 'INVALID_ARGS',
      message: expect.stringContaining(problem),
    });
    expect(await plane.approvals.get(id)).toMatchObject({ status: { status: 'pending' } });
  });

  it.each<[string, JsonObject | undefined, CallInput, string]>([
    ['without the block', undefined, call(), 'grants are off; policy.grants.enabled turns them on'],
    ['for a destructive tool', grants, call({ id: 's.wipe' }), '"s.wipe" declares itself destructive: name it in'],
    ['by a pattern', { ...grants, mayOffer: ['s.*'] }, call({ id: 's.wipe' }), 'declares itself destructive'],
    ['outside of mayOffer', { ...grants, mayOffer: ['t.*'] }, call(), 'policy.grants.mayOffer does not cover "s.push"'],
  ])('%s', async (_what, block, input, problem) => {
    const own: JsonObject = block === undefined ? { requireApproval: ['s.*'] } : { ...policy, grants: block };
    const { ask, approve, plane } = await start({ policy: own });
    const id = await ask(input);
    expect(await plane.approvals.get(id)).not.toHaveProperty('grant_offer');
    await expect(approve(id, nowhere)).rejects.toThrow(problem);
  });

  it('but one that is offered, with the values as the ticket shows them', async () => {
    const { ask, plane, ranOf, grant } = await start({
      policy: { ...policy, grants: { ...grants, mayOffer: ['s.wipe'] } },
    });
    const id = await ask(call({ id: 's.wipe', args: { token: 't', n: 1 } }));
    expect(await plane.approvals.get(id)).toMatchObject({
      grant_offer: {
        max_ttl_secs: 3600,
        max_uses: 50,
        arguments: [
          { path: '/token', value: '[REDACTED]' },
          { path: '/n', value: 1 },
        ],
      },
    });
    const { approvals } = await plane.approvals.list({ limit: 9, offset: 0 });
    expect(approvals[0]).not.toHaveProperty('grant_offer');
    const made = await grant({}, call({ id: 's.wipe', args: { token: 't', n: 1 } }));
    expect((await plane.grants.get(made))?.conditions[0]).toEqual({ path: '/token', value: '[REDACTED]' });
    expect(await ranOf(call({ id: 's.wipe', args: { token: 'other', n: 1 } }))).toBe(false);
    expect(await ranOf(call({ id: 's.wipe', args: { token: 't', n: 1 } }))).toBe(true);
  });
});
