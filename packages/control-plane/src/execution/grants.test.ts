// Grants answer later calls like an approved one, and nothing else: on a plane whose configuration, servers and clock the
// test changes.
import { type JsonObject, parseExact } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { author } from '../testing/start-configured.js';
import { args, breakRecords, call, grants, type Request, serverOf, startGranted } from '../testing/start-granted.js';
import type { CallInput } from '../testing/start-plane.js';

describe('a grant', () => {
  it('answers as many calls as it has uses, in place of a person, and records say so', async () => {
    const { grant, ranOf, contacts, plane, audit } = await startGranted();
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
    const { grant, ranOf, contacts } = await startGranted();
    await grant({ keep: ['/repo'] });
    expect(await ranOf(call(more))).toBe(false);
    expect(contacts()).toHaveLength(1);
  });

  it('keeps all arguments by default, numbers to the last digit', async () => {
    const { grant, ranOf } = await startGranted();
    const big = parseExact('{"n": 9007199254740993}') as JsonObject;
    await grant({}, call({ args: big }));
    expect(await ranOf(call({ args: parseExact('{"n": 9007199254740992}') as JsonObject }))).toBe(false);
    expect(await ranOf(call({ args: big }))).toBe(true);
  });

  it('is made from the arguments of the approver, and shapes of the result do not count', async () => {
    const { ask, approve, ranOf } = await startGranted();
    await approve(await ask(), { ttlSecs: 60, uses: 5 }, { repo: 'acme/other' });
    expect(await ranOf()).toBe(false);
    expect(await ranOf(call({ args: { repo: 'acme/other', _limit_lines: 3 } }))).toBe(true);
  });

  it.each<[string, CallInput]>([
    ['resources', { kind: 'resource', id: 's.x:note' }],
    ['prompts', { kind: 'prompt', id: 's.greet', args: { who: 'ann' } }],
  ])('answers %s as well', async (_kind, input) => {
    const { grant, ranOf } = await startGranted();
    await grant({ uses: 1 }, input);
    expect([await ranOf(input), await ranOf(input)]).toEqual([true, false]);
  });

  it('answers the step of a batch', async () => {
    const { grant, plane } = await startGranted();
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
    const { ask, plane, outcome, ranOf, contacts } = await startGranted({}, asking);
    const by = { ttlSecs: 60, uses: 1, by: author };
    await plane.approvals.approve(await ask(), 'eve', null, { grant: by });
    expect(await outcome(call())).toMatchObject({ envelope: { data: { requestState: 'more2' } } });
    expect(await ranOf(answered)).toBe(true);
    expect(await ranOf(answered)).toBe(false);
    expect(await ranOf()).toBe(false);
    expect(contacts()).toHaveLength(3);
  });

  it('is not used by a replay, and a rejection of the same key stays one', async () => {
    const { grant, ranOf, ask, plane, contacts } = await startGranted();
    const rejected = await ask(call({ idempotencyKey: 'no' }));
    await plane.approvals.reject(rejected, 'eve', null);
    const id = await grant({ uses: 2 });
    const keyed = call({ idempotencyKey: 'k' });
    expect([await ranOf(keyed), await ranOf(keyed), await ranOf(keyed)]).toEqual([true, true, true]);
    expect(await plane.grants.get(id)).toMatchObject({ uses_left: 1 });
    expect(await ranOf(call({ idempotencyKey: 'no' }))).toBe(false);
    expect(contacts()).toHaveLength(2);
  });

  it('answers no call that a rule denies', async () => {
    const rules = [{ id: 'no', match: 's.push', when: 'args.title == "x"', effect: 'deny' }];
    const ruled = await startGranted({ rules });
    await ruled.grant({ keep: ['/repo'] });
    const denied = await ruled.outcome(call({ args: { ...args, title: 'x' } }));
    expect(denied.envelope.error).toMatchObject({ code: 'POLICY_DENIED', reason: 'argument_rule' });
  });

  const budget = { id: 'b', calls: 2 };
  const denied = (reason: string) => ({ kind: 'answered', envelope: { error: { code: 'POLICY_DENIED', reason } } });
  it.each<[string, JsonObject, object]>([
    [
      'a budget that requires a person',
      { budgets: [{ ...budget, onExhausted: 'requireApproval' }] },
      { kind: 'pending' },
    ],
    ['a budget that denies', { budgets: [{ ...budget, onExhausted: 'deny' }] }, denied('budget_exhausted')],
    ['a loop that requires a person', { loops: { identical: 2, onDetected: 'requireApproval' } }, { kind: 'pending' }],
    ['a loop that denies', { loops: { identical: 2, onDetected: 'deny' } }, denied('loop')],
  ])('answers no call that meets %s', async (_what, more, stop) => {
    const { grant, outcome, contacts, plane } = await startGranted({}, serverOf(), more);
    const id = await grant({ uses: 9 });
    const kinds: unknown[] = [];
    for (let calls = 0; calls < 4; calls += 1) kinds.push(await outcome(call()));
    const sent = contacts().length;
    expect(sent).toBeLessThanOrEqual(3); // the approved call, and those before the stop
    for (const stopped of kinds.slice(sent - 1)) expect(stopped).toMatchObject(stop);
    expect(await plane.grants.get(id)).toMatchObject({ uses_left: 10 - sent });
  });

  it('is never over-used by 64 callers at once', async () => {
    const { grant, plane, outcome, contacts } = await startGranted();
    const id = await grant({ uses: 20 });
    const outcomes = await Promise.all(Array.from({ length: 64 }, () => outcome(call())));
    expect(outcomes.filter(({ kind }) => kind === 'answered')).toHaveLength(20);
    expect(outcomes.filter(({ kind }) => kind === 'pending')).toHaveLength(44);
    expect(contacts()).toHaveLength(21);
    expect(await plane.grants.get(id)).toMatchObject({ state: 'used_up' });
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
    const { ask, approve, plane } = await startGranted();
    const id = await ask();
    await expect(approve(id, request)).rejects.toMatchObject({
      code: 'INVALID_ARGS',
      message: expect.stringContaining(problem),
    });
    expect(await plane.approvals.get(id)).toMatchObject({ status: { status: 'pending' } });
  });

  it('beyond 1,000 active ones, and the ticket stays; void ones do not count, and all are compared', async () => {
    const { ask, approve, grant, plane, grantStore, ranOf, configuration, settled } = await startGranted();
    const made = await grantStore.get(await grant({ uses: 1 }));
    if (made === undefined) throw new Error('no grant');
    const add = (more: Partial<typeof made>) => grantStore.add({ ...made, ...more });
    for (let at = 0; at < 998; at += 1) await add({ conditions: [{ path: '/title', value: `${at}` }] });
    for (let at = 0; at < 50; at += 1) await add({ policyDigest: 'old', expiresAtMs: made.expiresAtMs - 1 });
    for (let at = 0; at < 50; at += 1) await add({ definitionDigest: 'old', expiresAtMs: made.expiresAtMs - 1 });
    const { id: last } = await add({ expiresAtMs: made.expiresAtMs + 1000 });
    const id = await ask(call({ args: { repo: 'more' } }));
    await expect(approve(id, nowhere)).rejects.toMatchObject({
      code: 'INVALID_ARGS',
      message: 'grant: 1000 grants are active (a fixed limit); revoke one of them',
    });
    expect(await plane.approvals.get(id)).toMatchObject({ status: { status: 'pending' } });
    expect([await ranOf(), await ranOf(), await ranOf()]).toEqual([true, true, false]);
    expect(await plane.grants.get(last)).toMatchObject({ state: 'used_up' });
    await settled(configuration.mergePolicy(author, { deny: ['t.*'] }));
    expect(await approve(id, nowhere)).toMatch(/^grant-/);
  });

  it('if its record fails; the approver reads that the call runs anyway', async () => {
    const started = await startGranted();
    const { ask, approve, plane, ranOf } = started;
    const id = await ask();
    const repair = breakRecords(started, 'grant_issued');
    await expect(approve(id, nowhere)).rejects.toThrow(
      new RegExp(`^approval ${id} is given and its call runs once, but no grant was made: .*disk full`),
    );
    repair();
    expect(await ranOf()).toBe(false);
    expect((await plane.grants.list({ state: 'all', limit: 9, offset: 0 })).grants).toMatchObject([
      { state: 'revoked' },
    ]);
  });

  it('from a ticket that is decided, and it is not approved again without it', async () => {
    const { ask, plane } = await startGranted();
    const id = await ask();
    await plane.approvals.reject(id, 'eve', null);
    const decision = await plane.approvals.approve(id, 'eve', null, { grant: { ...nowhere, by: author } });
    expect(decision).toMatchObject({ kind: 'not_pending', approval: { status: { status: 'rejected' } } });
  });

  it.each<[string, JsonObject | undefined, CallInput, string]>([
    ['without the block', undefined, call(), 'grants are off; policy.grants.enabled turns them on'],
    ['for a destructive tool', grants, call({ id: 's.wipe' }), '"s.wipe" declares itself destructive: name it in'],
    ['by a pattern', { ...grants, mayOffer: ['s.*'] }, call({ id: 's.wipe' }), 'declares itself destructive'],
    ['outside of mayOffer', { ...grants, mayOffer: ['t.*'] }, call(), 'policy.grants.mayOffer does not cover "s.push"'],
  ])('%s', async (_what, block, input, problem) => {
    const { ask, approve, plane } = await startGranted({ grants: block ?? null });
    const id = await ask(input);
    expect(await plane.approvals.get(id)).not.toHaveProperty('grant_offer');
    await expect(approve(id, nowhere)).rejects.toThrow(problem);
  });

  it('but one that is offered, with the values as the ticket shows them', async () => {
    const { ask, plane, ranOf, grant } = await startGranted({ grants: { ...grants, mayOffer: ['s.wipe'] } });
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
