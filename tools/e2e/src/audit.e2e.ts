// The audit log over HTTP: which actions leave a record, what it says, and how records are found, counted and exported.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { approvalsOf, openTicket } from './support/approvals.js';
import { type AuditEvent, auditOf, briefly, expectChain } from './support/audit.js';
import { parseLines, startDaemon } from './support/daemon.js';
import { dead, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const definitions = {
  tools: [tool('free'), tool('gated'), tool('denied'), tool('never')],
  resources: [{ uri: 'mem:note', name: 'note' }],
  prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
};
const policy = { deny: ['s.denied'], requireApproval: ['s.gated'] };

async function start(config: object = {}) {
  const upstream = scripted(definitions);
  const daemon = await startDaemon({ mcpServers: { s: upstream.server, gone: dead }, policy, ...config });
  await daemon.connected('s');
  return { daemon, upstream, approvals: approvalsOf(daemon), ...auditOf(daemon) };
}

describe('an action', () => {
  it('leaves one record, for every kind and end [audit-emits-tool-calls] [audit-emits-reads-and-prompts] [audit-emits-violations]', async () => {
    const { daemon, events } = await start();
    await daemon.call('s.free');
    await daemon.post('/v1/resources/read', { resource_id: 's.mem:note' });
    await daemon.post('/v1/prompts/get', { prompt_id: 's.greet' });
    await daemon.call('s.denied');
    await daemon.call('s.nothing');
    await daemon.call('gone.any');
    await daemon.call('s.free', { _limit_lines: 0 });
    await daemon.post('/v1/tools/batch_call', { steps: [{ id: 'a', capability_id: 's.free', args: {} }] });
    await daemon.post('/v1/completion/complete', {
      ref_type: 'prompt',
      ref_name: 's.greet',
      argument_name: 'who',
      argument_value: 'a',
    });
    expect(briefly(await events())).toEqual([
      'tool_call success',
      'resource_read success',
      'prompt_get success',
      'policy_violation denied',
      'tool_call failed',
      'tool_call failed',
      'tool_call failed',
      'tool_call success',
      expect.stringMatching(/^prompt_get (success|failed)$/), // the fixture need not know completion
    ]);
  });

  it('has the actor, the target and the ids, and no redacted values [audit-record-fields]', async () => {
    const { daemon, events } = await start();
    const context = { operation_id: 'op', work_item_id: 'wi', actor_id: 'ann', grant_id: 'gr' };
    const { body } = await daemon.call(
      's.free',
      { note: 'x', password: 'hunter2', deep: [{ 'API-Key': 'k' }] },
      { request_id: 'r-1', context, idempotency_key: 'key-1' },
    );
    const [event] = await events();
    expect(event).toEqual({
      actor_kind: 'local',
      channel: 'http',
      id: expect.stringMatching(/^aud-\d{12}$/),
      seq: expect.any(Number),
      timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      event_type: 'tool_call',
      status: 'success',
      trace_id: body.trace_id,
      request_id: 'r-1',
      ...context,
      server_id: 's',
      capability_id: 's.free',
      idempotency_key: 'key-1',
      is_replay: false,
      sanitized_args: { note: 'x', deep: [{}] },
      duration_us: expect.any(Number),
      prev_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('that is a replay says so, with the key of the first [idempotency-replay-audited]', async () => {
    const { daemon, events } = await start();
    for (let n = 0; n < 3; n++) await daemon.call('s.free', {}, { idempotency_key: 'k' });
    const [third, second, first] = await events();
    const replay = { event_type: 'idempotent_replay', is_replay: true, idempotency_key: 'k', status: 'success' };
    expect([third, second]).toMatchObject([replay, replay]);
    expect(first).toMatchObject({ event_type: 'tool_call', is_replay: false, idempotency_key: 'k' });
  });

  it('that was cancelled says so', async () => {
    const { daemon, events, upstream } = await start();
    const running = daemon.call('s.never', {}, { request_id: 'r' });
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    await daemon.post('/v1/operations/r/cancel', {});
    expect((await running).status).toBe(499);
    expect((await events())[0]).toMatchObject({ status: 'cancelled', error_code: 'OPERATION_CANCELLED' });
  });

  it('of a ticket leaves a record for each step, and one for its call [audit-emits-approvals]', async () => {
    const { daemon, approvals, events } = await start();
    const approved = await openTicket(daemon, 's.gated', { n: 1 });
    await approvals.approve(approved);
    const rejected = await openTicket(daemon, 's.gated', { n: 2 });
    await approvals.reject(rejected, { operator: 'ada', reason: 'no' });
    await daemon.post('/v1/config/policy', { approval_timeout_secs: 1 }); // those before had time for a decision
    const expired = await openTicket(daemon, 's.gated', { n: 3 });
    await approvals.reaches(expired, 'expired');
    const of = async (ticket: string) => briefly((await events()).filter(({ approval_id }) => approval_id === ticket));
    await eventually(async () =>
      expect(await of(approved)).toEqual([
        'approval_created intercepted',
        'approval_approved success',
        'tool_call success',
      ]),
    );
    expect(await of(rejected)).toEqual(['approval_created intercepted', 'approval_rejected denied']);
    await eventually(async () =>
      expect(await of(expired)).toEqual(['approval_created intercepted', 'approval_expired failed']),
    );
    const [decision] = await events('?event_type=approval_rejected');
    expect(decision).toMatchObject({ details: { operator: 'ada', reason: 'no' }, sanitized_args: { n: 2 } });
  });

  it('of an unauthorized caller leaves a record without its arguments', async () => {
    const config = { authToken: 'the-right-token-of-this-test' };
    const upstream = scripted(definitions);
    const daemon = await startDaemon({ mcpServers: { s: upstream.server }, ...config }, { bind: '0.0.0.0' });
    const authorization = `Bearer ${config.authToken}`;
    expect((await daemon.get('/v1/capabilities', { authorization: 'Bearer wrong-token-xyz' })).status).toBe(401);
    expect((await daemon.get('/v1/capabilities', { authorization, origin: 'http://evil.example' })).status).toBe(403);
    const { body } = await daemon.get<{ events: AuditEvent[] }>('/v1/audit/events?event_type=auth_failure', {
      authorization,
    });
    expect(body.events.toReversed()).toMatchObject([
      { status: 'denied', details: { http_status: 401, method: 'GET', path: '/v1/capabilities' } },
      { status: 'denied', details: { http_status: 403 } },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/wrong-token|right-token/);
  });
});

describe('the list of events', () => {
  it('is newest first, in pages of 50 [audit-list-route] [audit-list-defaults] [audit-list-shape]', async () => {
    const { daemon, list } = await start();
    for (let n = 0; n < 60; n++) await daemon.call('s.free', { n });
    const { status, body } = await list();
    expect([status, Object.keys(body).sort()]).toEqual([200, ['events', 'limit', 'offset', 'ok', 'total']]);
    const { total } = body;
    expect(body).toMatchObject({ ok: true, limit: 50, offset: 0 });
    expect(body.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, n) => total - n));
    const next = (await list('?limit=7&offset=50')).body;
    expect(next).toMatchObject({ limit: 7, offset: 50, total });
    expect(next.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 7 }, (_, n) => total - 50 - n));
  });

  it('takes filters that all hold, and refuses invalid values [audit-list-filters] [audit-event-types]', async () => {
    const { daemon, list, events } = await start();
    await daemon.call('s.free', {}, { context: { actor_id: 'ann' } });
    await sleep(2); // times have milliseconds
    const between = new Date();
    await sleep(2);
    await daemon.call('s.denied', {}, { context: { actor_id: 'ann' } });
    const { trace_id } = (await daemon.call('s.free', { note: 'Grüße' }, { context: { actor_id: 'bob' } })).body;
    const newest = (await events())[0]?.seq ?? 0;
    const found = async (query: string) => (await events(`?${query}`)).map(({ seq }) => seq - newest);
    expect(await found('actor_id=ann')).toEqual([-1, -2]);
    expect(await found('actor_id=ann&capability_id=s.free')).toEqual([-2]);
    expect(await found('event_type=policy_violation')).toEqual([-1]);
    expect(await found('status=denied&server_id=s')).toEqual([-1]);
    expect(await found(`trace_id=${trace_id}`)).toEqual([0]);
    expect(await found(`start_time=${between.toISOString()}&server_id=s`)).toEqual([0, -1]);
    expect(await found(`end_time=${between.getTime() / 1000}&server_id=s`)).toEqual([-2]);
    expect(await found(`q=${encodeURIComponent('GRÜSSE')}`)).toEqual([]);
    expect(await found(`q=${encodeURIComponent('GRÜße')}`)).toEqual([0]);
    expect((await list('?actor_id=nobody')).body).toMatchObject({ events: [], total: 0 });
    const types =
      'tool_call resource_read prompt_get approval_created approval_approved approval_rejected approval_expired policy_violation config_change idempotent_replay sampling auth_failure audit_gap service_start service_stop';
    for (const type of types.split(' ')) expect((await list(`?event_type=${type}`)).status).toBe(200);
    for (const query of ['event_type=tool', 'status=ok', 'start_time=now', 'end_time=', 'limit=x', 'offset=-1']) {
      expect([query, (await list(`?${query}`)).status]).toEqual([query, 400]);
    }
  });
});

describe('one event', () => {
  it('is found by its id, and another id is not [audit-get-route] [audit-get-404] [error-404-audit-event]', async () => {
    const { daemon, events } = await start();
    await daemon.call('s.free');
    const [event] = await events();
    const { status, body } = await daemon.get(`/v1/audit/events/${event?.id}`);
    expect([status, body]).toEqual([200, { ok: true, event }]);
    expect(await daemon.get('/v1/audit/events/aud-000000099999')).toMatchObject({
      status: 404,
      body: { ok: false, error: { code: 'RESOURCE_NOT_FOUND', retryable: false } },
    });
  });
});

describe('the log', () => {
  it('is in memory by default, and begins with the start of the service [audit-enabled-default] [audit-config-block]', async () => {
    const { events, report } = await start({ audit: null });
    expect((await events()).at(-1)).toMatchObject({ seq: 1, event_type: 'service_start', status: 'success' });
    expect(await report()).toMatchObject({ is_valid: true });
  });

  it('can be switched off', async () => {
    const { daemon, list, report } = await start({ audit: { enabled: false } });
    expect((await daemon.call('s.free')).status).toBe(200);
    expect((await list()).body).toMatchObject({ ok: true, events: [], total: 0 });
    expect((await report()).details).toContain('the audit log is off');
  });

  it('is a chain that can be checked without the service [audit-append-only] [audit-genesis] [audit-chain]', async () => {
    const { daemon } = await start();
    for (const note of ['a', 'Grüße 🎉', '\u2028', '"quoted"\n'])
      await daemon.call('s.free', { note, n: [1, 2.5, null] });
    const { text } = await daemon.get('/v1/audit/export');
    const records = parseLines(text) as unknown as readonly AuditEvent[];
    expect(records.length).toBeGreaterThan(4);
    expectChain(records);
  });

  it('is verified on request [audit-verify-route] [audit-verify-report]', async () => {
    const { daemon, report, list } = await start();
    await daemon.call('s.free');
    const { total } = (await list()).body;
    expect(await report()).toEqual({
      is_valid: true,
      total_records: total,
      verified_records: total,
      first_corrupted_id: null,
      details: expect.any(String),
      checkpoints: {
        total: 0,
        verified: 0,
        last_seq: null,
        last_time: null,
        records_after: total,
        details: 'a log in memory has no signed checkpoints; audit.filePath keeps it in a file',
      },
    });
  });

  it('is counted [audit-stats-route] [audit-stats-categories]', async () => {
    const { daemon } = await start();
    await daemon.call('s.free');
    await daemon.call('s.free');
    await daemon.call('s.denied');
    await openTicket(daemon, 's.gated');
    const { status, body } = await daemon.get<{ by_hour: readonly { count: number }[] }>('/v1/audit/stats');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      total_events: 5,
      by_status: { success: 3, failed: 0, denied: 1, intercepted: 1, cancelled: 0 },
      by_event_type: { service_start: 1, tool_call: 2, policy_violation: 1, approval_created: 1 },
      by_capability: [
        { capability_id: 's.free', count: 2 },
        { capability_id: 's.denied', count: 1 },
        { capability_id: 's.gated', count: 1 },
      ],
    });
    expect(body.by_hour).toHaveLength(24);
    expect(body.by_hour.reduce((sum, { count }) => sum + count, 0)).toBe(5);
  });

  it('is exported as a file, with the filters of the list [audit-export-route] [audit-export-format]', async () => {
    const { daemon } = await start();
    await daemon.call('s.free', { note: '=1+1' }, { context: { actor_id: '@sum' } });
    await daemon.call('s.denied');
    const jsonl = await daemon.get('/v1/audit/export?event_type=tool_call');
    expect(jsonl.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="portico-audit.jsonl"',
    });
    expect(parseLines(jsonl.text)).toMatchObject([{ capability_id: 's.free', actor_id: '@sum' }]);
    expect((await daemon.get('/v1/audit/export?format=jsonl&event_type=tool_call')).text).toBe(jsonl.text);
    const csv = await daemon.get('/v1/audit/export?format=csv&actor_id=%40sum');
    expect(csv.headers).toMatchObject({ 'content-disposition': 'attachment; filename="portico-audit.csv"' });
    expect(csv.headers['content-type']).toContain('text/csv');
    const [head, row, end] = csv.text.split('\r\n');
    expect([head?.split(',').slice(0, 4), end]).toEqual([['id', 'seq', 'timestamp', 'event_type'], '']);
    expect(row).toContain(",'@sum,");
    expect((await daemon.get('/v1/audit/export?format=xml')).status).toBe(400);
    expect((await daemon.get('/v1/audit/export?status=x')).status).toBe(400);
  });
});
