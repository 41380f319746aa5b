import { csvHeader, parseRecord } from '@portico/audit-chain';
import { createControlPlane, createMemoryStores } from '@portico/control-plane';
import { createManualClock, createMemoryConnector } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { configOf, driveApi, randomHex } from './testing/drive-api.js';

const tools = ['a', 'b'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const token = 'open-sesame-open';

async function start(authToken: string | null = null) {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: { definitions: { tools } } });
  const stores = createMemoryStores(clock);
  const plane = createControlPlane(
    { connector, clock, randomHex, log: () => {}, ...stores, notifyApproval: () => {} },
    configOf(['s'], { policy: { deny: ['s.b'] } }),
  );
  plane.start();
  await clock.advance(0);
  const api = driveApi(plane, { authToken });
  const call = (capability_id: string, rest: object = {}) =>
    api.post('/v1/tools/call', { capability_id, args: {}, ...rest });
  return { ...api, ...stores, call, clock };
}

/** Three records at 0 s, 10 s and 20 s. */
async function startWithRecords() {
  const started = await start();
  await started.call('s.a', { context: { actor_id: 'ann' } });
  await started.clock.advance(10_000);
  await started.call('s.b', { context: { actor_id: 'bob' } });
  await started.clock.advance(10_000);
  await started.call('s.a', { args: { note: 'Blue' }, context: { actor_id: 'bob' } });
  const seqs = async (query: string) => {
    const { body, status } = await started.get(`/v1/audit/events${query}`);
    if (status !== 200) return status;
    const { events, total } = body as { events: { seq: number }[]; total: number };
    return [events.map(({ seq }) => seq), total];
  };
  return { ...started, seqs };
}

describe('the list of audit events', () => {
  it('is newest first, in pages, with the number of all', async () => {
    const { seqs, get } = await startWithRecords();
    expect(await seqs('')).toEqual([[3, 2, 1], 3]);
    expect(await seqs('?limit=1&offset=1')).toEqual([[2], 3]);
    expect(await seqs('?offset=3')).toEqual([[], 3]);
    expect((await get('/v1/audit/events?limit=2')).body).toMatchObject({ ok: true, limit: 2, offset: 0 });
  });

  it.each([
    ['actor_id=bob', [3, 2]],
    ['capability_id=s.a', [3, 1]],
    ['server_id=s', [3, 2, 1]],
    ['event_type=policy_violation', [2]],
    ['event_type=policy_violation,tool_call', [3, 2, 1]],
    ['event_type=policy_violation,prompt_get', [2]],
    ['rule=deny:s.b', [2]],
    ['rule=deny:s', []],
    ['status=success', [3, 1]],
    ['status=success&actor_id=bob', [3]],
    ['trace_id=c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3', [3, 2, 1]],
    ['start_time=1970-01-01T00:00:10Z', [3, 2]],
    ['start_time=1970-01-01T01:00:10%2B01:00', [3, 2]],
    ['start_time=1970-01-01T01:00:10+01:00', [3, 2]],
    ['start_time=10&end_time=19.999', [2]],
    ['end_time=0', [1]],
    ['start_time=20&end_time=10', []],
    ['q=blue', [3]],
    ['q=POLICY', [2]],
    ['actor_id=nobody', []],
  ])('takes the filter %s', async (query, expected) => {
    const { seqs } = await startWithRecords();
    expect(await seqs(`?${query}`)).toEqual([expected, expected.length]);
  });

  it.each([
    ['event_type=toolcall', 'query event_type: expected one of tool_call, resource_read'],
    ['event_type=tool_call,', 'query event_type: expected some of tool_call, resource_read'],
    ['event_type=tool_call,tool_call', 'once each'],
    ['status=ok', 'query status: expected one of success, failed, denied, intercepted, cancelled'],
    ['status=', 'query status: is empty; leave it out to see all'],
    ['actor_id=', 'query actor_id: is empty; leave it out to see all'],
    ['actor_id=a&actor_id=b', 'query actor_id: is given several times; give it once'],
    [`q=${'x'.repeat(1025)}`, 'query q: is longer than 1024 characters (a fixed limit)'],
    ['start_time=yesterday', 'query start_time: expected a time as in RFC 3339, or Unix seconds'],
    ['end_time=2026-13-01T00:00:00Z', 'query end_time: expected a time as in RFC 3339, or Unix seconds'],
    ['end_time=2026-11-21', 'query end_time: expected a time as in RFC 3339, or Unix seconds'],
    ['limit=0', 'query limit: expected an integer from 1 to 1000'],
    ['offset=-1', 'query offset: expected an integer'],
  ])('refuses %s, and so does the export', async (query, message) => {
    const { get } = await startWithRecords();
    const refused = { code: 'INVALID_ARGS', message: expect.stringContaining(message) };
    expect(await get(`/v1/audit/events?${query}`)).toMatchObject({ status: 400, body: { error: refused } });
    if (/^(limit|offset)/.test(query)) return;
    expect(await get(`/v1/audit/export?${query}`)).toMatchObject({ status: 400, body: { error: refused } });
  });
});

describe('one audit event', () => {
  it('is found by its id, and unknown ids are not found', async () => {
    const { get } = await startWithRecords();
    const { body } = await get('/v1/audit/events/aud-000000000002');
    expect(body).toMatchObject({ ok: true, event: { seq: 2, error_code: 'POLICY_DENIED', actor_id: 'bob' } });
    for (const id of ['aud-000000000004', 'aud-2', 'x']) {
      const error = { code: 'RESOURCE_NOT_FOUND', message: `no audit event "${id}"` };
      expect(await get(`/v1/audit/events/${id}`)).toMatchObject({ status: 404, body: { error } });
    }
  });
});

describe('the audit log as a whole', () => {
  it('is verified and counted', async () => {
    const { get } = await startWithRecords();
    expect((await get('/v1/audit/verify')).body).toMatchObject({
      ok: true,
      report: { is_valid: true, total_records: 3, verified_records: 3, first_corrupted_id: null },
    });
    expect((await get('/v1/audit/stats')).body).toMatchObject({
      ok: true,
      total_events: 3,
      by_status: { success: 2, failed: 0, denied: 1, intercepted: 0, cancelled: 0 },
      by_event_type: { tool_call: 2, policy_violation: 1 },
      by_capability: [
        { capability_id: 's.a', count: 2 },
        { capability_id: 's.b', count: 1 },
      ],
    });
  });

  it('is exported line by line as it is kept, oldest first', async () => {
    const { get, audit } = await startWithRecords();
    const { text, headers } = await get('/v1/audit/export');
    expect(headers.get('Content-Type')).toBe('application/x-ndjson');
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="portico-audit.jsonl"');
    expect(text.endsWith('\n')).toBe(true);
    expect(text.trimEnd().split('\n').map(parseRecord)).toEqual(audit.kept());
    expect((await get('/v1/audit/export?status=denied')).text.split('\n')).toHaveLength(2);
    expect((await get('/v1/audit/export?actor_id=nobody')).text).toBe('');
  });

  it('is exported as a table that starts with the names of its columns', async () => {
    const { get, call } = await start();
    await call('s.a', { context: { actor_id: '=cmd()' } });
    const { text, headers } = await get('/v1/audit/export?format=csv');
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="portico-audit.csv"');
    const [head, row, end] = text.split('\r\n');
    expect([head, end]).toEqual([csvHeader, '']);
    expect(row).toContain(",'=cmd(),");
    expect(await get('/v1/audit/export?format=xml')).toMatchObject({
      status: 400,
      body: { error: { message: 'query format: expected one of jsonl, csv, checkpoints' } },
    });
  });
});

describe('a request that is kept out', () => {
  it('leaves a record that says what it asked for, and nothing of what it brought', async () => {
    const { send, audit } = await start(token);
    await send('/v1/tools/call?x=1', { headers: { Authorization: 'Bearer wrong-secret' } });
    await send('/v1/config', { headers: { Host: 'evil.example' } });
    await send('/v1/config', { headers: { Origin: 'http://evil.example', 'X-Request-ID': 'r' } });
    const failure = { event_type: 'auth_failure', status: 'denied' };
    expect(audit.kept()).toMatchObject([
      { ...failure, details: { method: 'GET', path: '/v1/tools/call', http_status: 401 } },
      {
        ...failure,
        details: {
          path: '/v1/config',
          http_status: 403,
          reason:
            'the Host header does not name this service; no setting adds names: use the address that it is bound to',
        },
      },
      { ...failure, details: { http_status: 403 }, request_id: 'r' },
    ]);
    expect(JSON.stringify(audit.kept())).not.toContain('wrong-secret');
  });

  it('is only counted when there are many', async () => {
    const { send, audit, clock } = await start(token);
    for (let n = 0; n < 105; n++) await send(`/v1/capabilities/s.${n}`);
    expect(audit.kept()).toHaveLength(100);
    await clock.advance(60_000);
    expect(audit.kept().slice(100)).toMatchObject([{ event_type: 'auth_failure', details: { more_requests: 5 } }]);
    await send('/v1/capabilities');
    expect(audit.kept()).toHaveLength(102);
  });

  it('is one record with a count where the same caller repeats it, of each caller and of each refusal', async () => {
    const { send, audit, clock } = await start(token);
    const console = { 'X-Service-Client': 'portico-console' };
    for (let n = 0; n < 60; n++) await send('/v1/capabilities', { headers: console });
    for (let n = 0; n < 3; n++) await send('/v1/capabilities', { headers: { 'X-Service-Client': 'probe' } });
    await send('/v1/resources', { headers: console });
    expect(audit.kept()).toHaveLength(3);
    await clock.advance(600_000);
    const refused = (name: string, repeated: number) => ({
      event_type: 'auth_failure',
      client: { name },
      details: { path: '/v1/capabilities', http_status: 401, repeated },
    });
    expect(audit.kept().slice(3)).toMatchObject([refused('portico-console', 59), refused('probe', 2)]);
    await send('/v1/capabilities', { headers: console });
    expect(audit.kept()).toHaveLength(6);
  });
});

describe('counts of the audit log', () => {
  const none = { success: 0, failed: 0, denied: 0, intercepted: 0, cancelled: 0 };

  it('are by outcome over time, of the records that a filter means', async () => {
    const { get } = await startWithRecords();
    const { body } = await get('/v1/audit/series?end_time=20&buckets=3');
    expect(body).toEqual({
      ok: true,
      step_secs: 10,
      total: 3,
      points: [
        { start: '1970-01-01T00:00:00.000Z', ...none, success: 1 },
        { start: '1970-01-01T00:00:10.000Z', ...none, denied: 1 },
        { start: '1970-01-01T00:00:20.000Z', ...none, success: 1 },
      ],
    });
    const some = (await get('/v1/audit/series?start_time=5&end_time=20&buckets=1&actor_id=bob')).body;
    expect(some).toMatchObject({ step_secs: 30, total: 2, points: [{ ...none, denied: 1, success: 1 }] });
    expect((await get('/v1/audit/series?q=blue')).body).toMatchObject({ total: 1 });
  });

  it('of an empty log have one interval, of now', async () => {
    const { get } = await start();
    expect((await get('/v1/audit/series')).body).toMatchObject({ total: 0, points: [none] });
  });

  it.each([
    ['buckets=0', 'query buckets: expected an integer from 1 to 200'],
    ['buckets=201', 'query buckets: expected an integer from 1 to 200'],
    ['start_time=20&end_time=10', 'query start_time: is after end_time'],
  ])('refuse %s', async (query, message) => {
    const { get } = await start();
    const error = { code: 'INVALID_ARGS', message };
    expect(await get(`/v1/audit/series?${query}`)).toMatchObject({ status: 400, body: { error } });
  });

  it('are of calls, failures and refusals by capability', async () => {
    const { get } = await startWithRecords();
    expect((await get('/v1/audit/usage')).body).toEqual({
      ok: true,
      capabilities: [
        { capability_id: 's.a', calls: 2, failed: 0, refused: 0, last: '1970-01-01T00:00:20.000Z' },
        { capability_id: 's.b', calls: 0, failed: 0, refused: 1, last: '1970-01-01T00:00:10.000Z' },
      ],
      complete: true,
    });
    expect((await get('/v1/audit/usage?actor_id=ann')).body).toMatchObject({ capabilities: [{ calls: 1 }] });
    expect((await get('/v1/audit/usage?by=actor')).body).toMatchObject({
      capabilities: [],
      actors: expect.arrayContaining([expect.objectContaining({ actor_id: 'ann', calls: 1 })]),
      complete: true,
    });
    expect((await get('/v1/audit/usage?by=color')).status).toBe(400);
  });
});
