// Grants in the daemon, over HTTP: what an approver is offered, what a grant answers, and what is left of it when the
// daemon is killed.
import { describe, expect, it } from 'vitest';
import { approvalsOf, contacts } from './support/approvals.js';
import { auditOf } from './support/audit.js';
import { refusalOf, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { grantSession, grantsOf } from './support/grants.js';
import { placeOf } from './support/mcp.js';
import { parsePrometheus } from './support/prometheus.js';
import { scripted, tool } from './support/upstreams.js';

const policy = { requireApproval: ['s.*'], grants: { enabled: true, maxTtlSecs: 28_800, maxUses: 1000 } };
const args = { repo: 'acme/site', title: 'one' };

async function start(more: object = {}) {
  const upstream = scripted({ tools: [tool('create_issue'), tool('wipe')] });
  const daemon = await startDaemon({ mcpServers: { s: upstream.server }, policy: { ...policy, ...more } });
  await daemon.connected();
  return { daemon, upstream, ...grantsOf(daemon) };
}

describe('a grant', () => {
  it('is offered with a ticket, made with its approval, answers calls, and is revoked', async () => {
    const { daemon, upstream, ask, approve, grant, remove } = await start();
    const id = await ask('s.create_issue', args);
    const ticket = await approvalsOf(daemon).get(id);
    expect(ticket).toMatchObject({
      grant_offer: {
        max_ttl_secs: 28_800,
        max_uses: 1000,
        arguments: [
          { path: '/repo', value: 'acme/site' },
          { path: '/title', value: 'one' },
        ],
      },
    });
    const made = await approve(id, { ttl_secs: 28_800, uses: 20, keep: ['/repo'] });
    expect([made.status, made.body.result?.ok]).toEqual([200, true]);
    const grantId = made.body.grant_id ?? '';
    const answered = await daemon.call('s.create_issue', { ...args, title: 'two' });
    expect(answered.status).toBe(200);
    expect((await daemon.call('s.create_issue', { ...args, repo: 'other' })).status).toBe(202);
    const { body } = await daemon.get<{ readonly grants: readonly object[]; readonly total: number }>('/v1/grants');
    expect(body).toMatchObject({
      total: 1,
      grants: [
        {
          grant_id: grantId,
          capability_id: 's.create_issue',
          server_id: 's',
          conditions: [{ path: '/repo', value: 'acme/site' }],
          free: ['/title'],
          uses: 20,
          uses_left: 19,
          issued_by: 'ann',
          approval_id: id,
          state: 'active',
          last_used_at: expect.any(Number),
        },
      ],
    });
    const [use] = await auditOf(daemon).events(`?trace_id=${answered.body.trace_id}`);
    expect(use).toMatchObject({ event_type: 'tool_call', grant_id: grantId, details: { grant: grantId } });
    const metric = parsePrometheus((await daemon.get('/metrics')).text).get('portico_grant_uses_total');
    expect(metric?.samples).toMatchObject([{ value: 1 }]);

    expect((await remove(`/v1/grants/${grantId}`)).status).toBe(200);
    expect((await remove(`/v1/grants/${grantId}`)).status).toBe(409);
    expect((await remove('/v1/grants/grant-1-1')).status).toBe(404);
    expect((await daemon.call('s.create_issue', args)).status).toBe(202);
    expect(await grant(grantId)).toMatchObject({ state: 'revoked', revoked_by: 'operator', uses_left: 19 });
    expect((await daemon.get<{ total: number }>('/v1/grants?state=ended')).body.total).toBe(1);
    expect(contacts(upstream)).toHaveLength(2);
    const changes = await auditOf(daemon).events('?event_type=config_change');
    expect(changes.map(({ details }) => details?.action)).toEqual(['grant_revoked', 'grant_issued']);
  });

  it.each([
    [{ ttl_secs: 60, uses: 0 }, 'uses must be an integer from 1 to 1000 (policy.grants.maxUses), got 0'],
    [{ ttl_secs: 60, uses: -3 }, 'uses must be an integer from 1 to 1000 (policy.grants.maxUses), got -3'],
    [{ ttl_secs: 60, uses: 1e12 }, 'from 1 to 1000 (policy.grants.maxUses), got 1000000000000'],
    [{ ttl_secs: 0, uses: 1 }, 'ttl_secs must be an integer from 1 to 28800 (policy.grants.maxTtlSecs), got 0'],
    [{ ttl_secs: 28_801, uses: 1 }, 'from 1 to 28800 (policy.grants.maxTtlSecs), got 28801'],
    [
      { ttl_secs: 60, uses: 1, keep: ['/rep'] },
      'the call has no value at "/rep"; its arguments are ["/repo","/title"]',
    ],
    [{ ttl_secs: 60, uses: '1' }, 'grant.uses: expected number, got string'],
    [{ ttl_secs: 60 }, 'grant.uses: is required'],
  ])('is refused with 400 for %j, and the ticket waits', async (asked, problem) => {
    const { daemon, upstream, ask, approve } = await start();
    const id = await ask('s.create_issue', args);
    const { status, body } = await approve(id, asked);
    expect([status, body.error?.code]).toEqual([400, 'INVALID_ARGS']);
    expect(body.error?.message).toContain(problem);
    expect(await approvalsOf(daemon).get(id)).toMatchObject({ status: { status: 'pending' } });
    expect(contacts(upstream)).toEqual([]);
  });

  it.each([
    [{ enabled: true, maxUses: 0 }, 'policy.grants.maxUses: expected >=1, got 0'],
    [{ enabled: true, maxTtlSecs: -1 }, 'policy.grants.maxTtlSecs: expected >=1, got -1'],
    [{ enabled: true, maxTtlSecs: 1e15 }, 'policy.grants.maxTtlSecs: expected <=2592000, got 1000000000000000'],
    [{ enabled: true, maxUsage: 3 }, 'policy.grants.maxUsage: is no field that Portico knows'],
  ])('ends a start with 2 where its limits are %j', async (grants, problem) => {
    const { code, stderr } = await refusalOf({ mcpServers: {}, policy: { grants } });
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  it.each<[string, object]>([
    ['a list for a text', { ...args, repo: ['acme/site'] }],
    ['a Cyrillic letter', { ...args, repo: '\u0430cme/site' }],
    ['a zero-width space', { ...args, repo: 'acme/si\u200bte' }],
    ['another normal form', { ...args, repo: 'acme/site\u0301' }],
    ['..', { ...args, repo: 'acme/x/../site' }],
    ['a percent form', { ...args, repo: 'acme%2fsite' }],
    ['another case', { ...args, repo: 'Acme/site' }],
    ['a new argument', { ...args, force: true }],
    ['an own __proto__', JSON.parse('{"repo": "acme/site", "__proto__": {"title": "x"}}')],
  ])('does not answer a call with %s', async (_what, hostile) => {
    const { daemon, upstream, ask, approve } = await start();
    await approve(await ask('s.create_issue', args), { ttl_secs: 60, uses: 9, keep: ['/repo'] });
    expect((await daemon.call('s.create_issue', { ...hostile })).status).toBe(202);
    expect(contacts(upstream)).toHaveLength(1);
  });

  it('is for what it was made for: void after a change of the policy, and of the program of its server', async () => {
    const { daemon, ask, approve, grant, remove } = await start();
    const made = async () =>
      (await approve(await ask('s.create_issue', args), { ttl_secs: 60, uses: 9 })).body.grant_id ?? '';
    const first = await made();
    await daemon.post('/v1/config/policy', { deny: ['s.wipe'] });
    expect((await daemon.call('s.create_issue', args)).status).toBe(202);
    expect(await grant(first)).toMatchObject({ state: 'void', void_reason: 'policy_changed' });
    const second = await made();
    expect((await daemon.call('s.create_issue', args)).status).toBe(200);
    const other = scripted({ tools: [tool('create_issue')] });
    await remove('/v1/config/servers/s');
    expect(await grant(second)).toMatchObject({ state: 'void', void_reason: 'server_removed' });
    await daemon.post('/v1/config/servers', { name: 's', server: other.server });
    await daemon.connected();
    expect(await grant(second)).toMatchObject({ state: 'void', void_reason: 'definition_changed' });
    expect((await daemon.call('s.create_issue', args)).status).toBe(202);
    expect(contacts(other)).toEqual([]);
  });
});

/** 200 with PORTICO_GRANT_KILLS=200. */
const kills = Number(process.env.PORTICO_GRANT_KILLS ?? 3);

it(`a grant is never over-used by 64 callers, through ${kills} kills`, async () => {
  const upstream = scripted({ tools: [tool('create_issue')] });
  const uses = 50 + kills * 4;
  const place = placeOf({ port: 0, mcpServers: { s: upstream.server }, policy });
  let id = '';
  let answered = 0;
  let left = uses;
  for (let kill = 0; kill < kills; kill += 1) {
    const daemon = await startDaemonProcess(undefined, place);
    await daemon.connected();
    const { ask, approve, grant } = grantsOf(daemon);
    if (id === '')
      id = (await approve(await ask('s.create_issue', args), { ttl_secs: 28_800, uses })).body.grant_id ?? '';
    const { uses_left: now } = await grant(id);
    expect(now).toBeLessThanOrEqual(left);
    expect(uses - now).toBeGreaterThanOrEqual(answered);
    left = now;
    // Each kill meets another number of answered calls, with others in flight.
    const until = answered + 1 + ((kill * 7) % 16);
    let reach = () => {};
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const callers = Array.from({ length: 64 }, async () => {
      while (answered < until) {
        const reply = await daemon.call('s.create_issue', args).catch(() => undefined); // it was killed
        if (reply?.status !== 200) return;
        answered += 1;
        if (answered >= until) reach();
      }
    });
    await Promise.race([reached, Promise.all(callers)]); // the grant may be used up
    await daemon.stop('SIGKILL');
    await Promise.all(callers);
  }
  expect(answered).toBeGreaterThan(0);
  const last = await startDaemon(undefined, place);
  await last.connected();
  const { uses_left: rest } = await grantsOf(last).grant(id);
  const replies = await Promise.all(Array.from({ length: rest + 5 }, () => last.call('s.create_issue', args)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(rest);
  expect(contacts(upstream).length).toBeLessThanOrEqual(uses + 1); // and the approved call itself
  expect(contacts(upstream).length).toBeGreaterThanOrEqual(answered + rest + 1);
}, 600_000);

it('a session of 500 calls asks a person at least 80 % less often, and no call is outside of what a person saw', async () => {
  const session = grantSession();
  expect(session).toHaveLength(500);
  const upstream = scripted({ tools: [tool('create_issue'), tool('comment'), tool('merge')] });
  const daemon = await startDaemon({ mcpServers: { s: upstream.server }, policy });
  await daemon.connected();
  const { ask, approve } = grantsOf(daemon);
  const seen: (typeof session)[number][] = [];
  /** Whether a person has seen a call of the same tool with the kept values, and with all names of the others. */
  const isSeen = ({ id, keep, args: given }: (typeof session)[number]) =>
    seen.some(
      (one) =>
        one.id === id &&
        keep.every((name) => one.args[name] === given[name]) &&
        Object.keys(given).every((name) => name in one.args),
    );
  let prompts = 0;
  for (const call of session) {
    const { status } = await daemon.call(call.id, call.args);
    if (status === 200) {
      expect(isSeen(call)).toBe(true);
      continue;
    }
    prompts += 1;
    const keep = call.keep.map((name) => `/${name}`);
    const made = await approve(await ask(call.id, call.args), { ttl_secs: 28_800, uses: 20, keep });
    expect(made.status).toBe(200);
    seen.push(call);
  }
  expect(prompts).toBe(53); // 80 % less often would be 100
}, 240_000);
