// Approvals, records, cancels and updates over HTTP: statuses, headers, and errors for bad input.
import { type Authentication, createControlPlane, createMemoryStores, operator } from '@portico/control-plane';
import { createManualClock, createMemoryConnector, type MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { configOf, driveApi, freshTraceId, randomHex, refusal } from './testing/drive-api.js';

const inputSchema = { type: 'object' };
const s: MemoryServer = {
  definitions: {
    tools: [
      { name: 'gated', inputSchema },
      { name: 'free', inputSchema },
      { name: 'slow', inputSchema },
    ],
    prompts: [{ name: 'gated' }],
  },
  handle: ({ params }) => (params.name === 'slow' ? new Promise(() => {}) : { content: [] }),
};

async function start() {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s });
  const plane = createControlPlane(
    { connector, clock, randomHex, log: () => {}, ...createMemoryStores(clock), notifyApproval: () => {} },
    configOf(['s'], { policy: { requireApproval: ['s.gated'] } }),
  );
  plane.start();
  await clock.advance(50);
  return { ...driveApi(plane), plane, clock, server: connector.server };
}

const gated = { capability_id: 's.gated', args: {} };
const free = { capability_id: 's.free', args: {} };
const ticket = 'appr-0-1';

describe('a gated request', () => {
  it('is 202 with a Location for a tool, and 403 for a prompt', async () => {
    const { post } = await start();
    const tool = await post('/v1/tools/call', gated);
    expect([tool.status, tool.headers.get('Location')]).toEqual([202, `/v1/approvals/${ticket}`]);
    expect(tool.body).toMatchObject({ ok: false, error: { code: 'APPROVAL_PENDING', approval_id: ticket } });
    const prompt = await post('/v1/prompts/get', { prompt_id: 's.gated' });
    expect([prompt.status, prompt.headers.get('Location')]).toEqual([403, '/v1/approvals/appr-0-2']);
    expect(prompt.body).toMatchObject({ error: { code: 'APPROVAL_PENDING', approval_id: 'appr-0-2' } });
  });

  it.each(['wait=5', 'respond-sync, wait=5', 'wait = "5"', 'WAIT=5; x=1'])('is held for Prefer: %s', async (Prefer) => {
    const { post, clock } = await start();
    const held = post('/v1/tools/call', gated, { Prefer });
    await clock.advance(0);
    await post(`/v1/approvals/${ticket}/approve`, { operator: 'me' });
    expect(await held).toMatchObject({ status: 200, body: { ok: true } });
  });

  it.each(['wait=', 'wait=-1', 'wait=x', 'wait=1.5', 'await=5', ''])('is not held for Prefer: "%s"', async (Prefer) => {
    const { post } = await start();
    expect((await post('/v1/tools/call', gated, { Prefer })).status).toBe(202);
  });

  it.each([
    ['reject', 403, 'APPROVAL_REJECTED'],
    ['expire', 408, 'APPROVAL_TIMEOUT'],
  ])('that waits and comes to a %s is %i', async (end, status, code) => {
    const { post, clock } = await start();
    const held = post('/v1/tools/call', gated, { Prefer: 'wait=1000' });
    await clock.advance(0);
    if (end === 'reject') await post(`/v1/approvals/${ticket}/reject`, { operator: 'me' });
    else await clock.advance(300_000);
    expect(await held).toMatchObject({ status, body: { error: { code, approval_id: ticket } } });
  });
});

describe('decisions', () => {
  it('are answered with the ticket, and with the result of what was approved', async () => {
    const { post, get } = await start();
    await post('/v1/tools/call', gated);
    const { status, body } = await post(`/v1/approvals/${ticket}/approve`, { operator: 'me' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      approval: { id: ticket, status: { status: 'approved' } },
      result: { ok: true },
    });
    expect((await get(`/v1/approvals/${ticket}`)).body).toMatchObject({ ok: true, approval: { result: { ok: true } } });
    expect(((await get('/v1/approvals')).body as { approvals: object[] }).approvals[0]).not.toHaveProperty('result');
  });

  it('are 409 once there was one, and 404 for no ticket', async () => {
    const { post, get } = await start();
    await post('/v1/tools/call', gated);
    await post(`/v1/approvals/${ticket}/reject`, { operator: 'me' });
    for (const decision of ['approve', 'reject']) {
      const second = await post(`/v1/approvals/${ticket}/${decision}`, { operator: 'you' });
      expect([second.status, second.body]).toEqual([
        409,
        refusal('INVALID_ARGS', `approval ${ticket} is not pending: it is rejected`),
      ]);
      const unknown = await post(`/v1/approvals/appr-1-1/${decision}`, { operator: 'you' });
      expect([unknown.status, unknown.body]).toEqual([404, refusal('RESOURCE_NOT_FOUND', 'no approval "appr-1-1"')]);
    }
    expect((await get('/v1/approvals/appr-1-1')).status).toBe(404);
  });

  it.each([
    ['approve', {}, 'operator: is required'],
    ['approve', { operator: '' }, 'operator: expected a length of >=1, got 0'],
    ['approve', { operator: 'me', modified_args: [] }, 'modified_args: expected an object'],
    ['reject', { operator: 1 }, 'operator: expected string, got number'],
    ['reject', { operator: 'me', reason: {} }, 'reason: expected string, got object'],
  ])('to %s with %j are 400 and change nothing', async (decision, body, message) => {
    const { post, get } = await start();
    await post('/v1/tools/call', gated);
    const answer = await post(`/v1/approvals/${ticket}/${decision}`, body);
    expect([answer.status, answer.body]).toEqual([400, refusal('INVALID_ARGS', message)]);
    expect((await get('/v1/approvals?status=pending')).body).toMatchObject({ total: 1 });
  });
});

describe('pages', () => {
  it.each([
    ['/v1/approvals?status=open', 'query status: expected one of pending, approved, rejected, expired'],
    ['/v1/approvals?limit=0', 'query limit: expected an integer from 1 to 1000'],
    ['/v1/idempotency/records?limit=x', 'query limit: expected an integer from 1 to 1000'],
    ['/v1/idempotency/records?limit=1001', 'query limit: expected an integer from 1 to 1000'],
    ['/v1/idempotency/records?offset=-1', `query offset: expected an integer from 0 to ${Number.MAX_SAFE_INTEGER}`],
  ])('%s is 400', async (path, message) => {
    const { get } = await start();
    const { status, body } = await get(path);
    expect([status, body]).toEqual([400, refusal('INVALID_ARGS', message)]);
  });

  it('of records begin at the newest, and hold what was asked for', async () => {
    const { post, get } = await start();
    for (const key of ['a', 'b/c', 'd']) await post('/v1/tools/call', free, { 'Idempotency-Key': key });
    const keys = async (query: string) => {
      const { body } = await get(`/v1/idempotency/records${query}`);
      const { records, limit, offset } = body as { records: { key: string }[]; limit: number; offset: number };
      return [records.map(({ key }) => key), limit, offset];
    };
    expect([await keys(''), await keys('?limit=1&offset=1')]).toEqual([
      [['d', 'b/c', 'a'], 50, 0],
      [['b/c'], 1, 1],
    ]);
    expect((await get('/v1/idempotency/records/b%2Fc')).body).toMatchObject({
      record: { key: 'b/c', replay_count: 0 },
    });
    const missing = await get('/v1/idempotency/records/x');
    expect([missing.status, missing.body]).toEqual([404, refusal('RESOURCE_NOT_FOUND', 'no idempotency record "x"')]);
  });
});

describe('a key', () => {
  it('in the header wins over the one in the body, and a replay says that it is one', async () => {
    const { post, server } = await start();
    const body = { ...free, idempotency_key: 'body' };
    const first = await post('/v1/tools/call', body, { 'Idempotency-Key': 'header' });
    const second = await post('/v1/tools/call', { ...free, idempotency_key: 'header' });
    expect([first, second].map(({ headers }) => headers.get('X-Service-Deduplicated'))).toEqual([null, 'true']);
    expect([second.text, server('s').requests().length]).toEqual([first.text, 1]);
  });
});

describe('an empty text', () => {
  it('is no request id, key or state, in a body or a header', async () => {
    const { post, server } = await start();
    const empty = { request_id: '', idempotency_key: '', request_state: '', context: { actor_id: '' } };
    const headers = { 'X-Request-ID': '', 'Idempotency-Key': '' };
    for (const body of [free, { ...free, ...empty }]) {
      const calls = [await post('/v1/tools/call', body, headers), await post('/v1/tools/call', body, headers)];
      for (const { status, body: answered, text, headers: answeredWith } of calls) {
        expect([status, answered]).toMatchObject([200, { request_id: null }]);
        expect(text).not.toContain('context');
        expect(answeredWith.get('X-Service-Deduplicated')).toBeNull();
      }
    }
    expect(server('s').requests()).toHaveLength(4);
  });

  it('leaves it to the header', async () => {
    const { post } = await start();
    const headers = { 'X-Request-ID': 'r', 'X-Actor-ID': 'ann' };
    const { body } = await post('/v1/tools/call', { ...free, request_id: '', context: { actor_id: '' } }, headers);
    expect(body).toMatchObject({ request_id: 'r', context: { actor_id: 'ann' } });
  });
});

describe('a batch', () => {
  it('under a key that was used says that it is a replay, as each of its steps does', async () => {
    const { post, server } = await start();
    const steps = [{ id: 'a', ...free }];
    const key = { 'Idempotency-Key': 'k' };
    const first = await post('/v1/tools/batch_call', { steps }, key);
    const second = await post('/v1/tools/batch_call', { steps }, key);
    const longer = await post('/v1/tools/batch_call', { steps: [...steps, { id: 'b', ...free }] }, key);
    const answers = [first, second, longer];
    expect(answers.map(({ headers }) => headers.get('X-Service-Deduplicated'))).toEqual([null, 'true', null]);
    const step = { id: 'a', ok: true };
    expect(first.body).toMatchObject({ results: [step] });
    expect(first.text).not.toContain('deduplicated');
    expect(second.body).toMatchObject({ results: [{ ...step, deduplicated: true }] });
    expect(longer.body).toMatchObject({
      results: [
        { ...step, deduplicated: true },
        { id: 'b', ok: true },
      ],
    });
    expect(server('s').requests()).toHaveLength(2);
  });
});

describe('a key in a header', () => {
  it('is the same text as in a body, for all characters', async () => {
    const { post, get } = await start();
    await post('/v1/tools/call', free, { 'Idempotency-Key': Buffer.from('café').toString('latin1') });
    const repeat = await post('/v1/tools/call', { ...free, idempotency_key: 'café' });
    expect(repeat.headers.get('X-Service-Deduplicated')).toBe('true');
    expect((await get('/v1/idempotency/records/caf%C3%A9')).status).toBe(200);
  });
});

describe('a cancel', () => {
  it('needs no body, and takes any request id', async () => {
    const { post, send, clock } = await start();
    const held = post('/v1/tools/call', { capability_id: 's.slow', args: {}, request_id: 'a/b c' });
    await clock.advance(0);
    const path = '/v1/operations/a%2Fb%20c/cancel';
    const cancel = () => send(path, { method: 'POST' });
    expect((await cancel()).body).toEqual({ ok: true, request_id: 'a/b c', cancelled: true });
    expect(await held).toMatchObject({ status: 499, body: { error: { code: 'OPERATION_CANCELLED' } } });
    expect(await cancel()).toMatchObject({ status: 200, body: { cancelled: false } });
    expect((await send(path, { method: 'POST', headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
    expect((await send(path)).status).toBe(405);
  });
});

describe('the stream of updates', () => {
  it('begins with a comment, and then sends what happens', async () => {
    const { app, server, clock } = await start();
    const headers = { Host: '127.0.0.1:9090' };
    const response = await app.request('/v1/resources/updates', { headers });
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe(': connected\n\n');
    server('s').updateResource('x:a');
    server('s').change({ prompts: [] });
    await clock.advance(50);
    let text = '';
    while (!/catalog_changed[\s\S]*\n\n$/.test(text)) text += (await reader?.read())?.value;
    expect(text.replace(/id: \S+/g, 'id: …').replace(/sha256:\w+/, 'sha256:…')).toBe(
      'id: …\nevent: resource_updated\ndata: {"server":"s","uri":"x:a"}\n\n' +
        'id: …\nevent: catalog_changed\ndata: {"catalog_version":"sha256:…","added":[],"removed":["s.gated"],"updated":[],"servers":["s"]}\n\n',
    );
    await reader?.cancel();
  });

  /** A stream whose checks of its credentials the test answers, after that of the request itself. */
  async function openChecked() {
    const { plane, server } = await start();
    const checks: { readonly pass: (isGood: boolean) => void; readonly fail: (error: Error) => void }[] = [];
    let isOpen = false;
    let listeners = 0;
    const onUpdate: typeof plane.onUpdate = (listener, lastId) => {
      listeners += 1;
      const stop = plane.onUpdate(listener, lastId);
      return () => {
        listeners -= 1;
        stop();
      };
    };
    const { app } = driveApi(
      { ...plane, onUpdate },
      {
        authenticate: async () => {
          if (!isOpen) return { kind: 'known', identity: operator };
          return new Promise<Authentication>((resolve, reject) => {
            const refused = { kind: 'refused', status: 401, message: '', hasToken: true } as const;
            const pass = (isGood: boolean) => resolve(isGood ? { kind: 'known', identity: operator } : refused);
            checks.push({ pass, fail: reject });
          });
        },
      },
    );
    const { body } = await app.request('/v1/resources/updates', { headers: { Host: '127.0.0.1:9090' } });
    isOpen = true;
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const next = async () => (await reader?.read())?.value;
    return { listeners: () => listeners, next, checks, update: (uri: string) => server('s').updateResource(uri) };
  }

  it('checks the credentials for what is sent, after it has happened', async () => {
    const { next, checks, update } = await openChecked();
    const first = next();
    await expect.poll(() => checks.length).toBe(1);
    update('x:late');
    checks[0]?.pass(true);
    expect(await first).toBe(': connected\n\n');
    const second = next();
    await expect.poll(() => checks.length).toBe(2);
    checks[1]?.pass(false);
    expect(await second).toBeUndefined();
  });

  it('sends a burst of events as one chunk', async () => {
    const { next, checks, update } = await openChecked();
    const first = next();
    await expect.poll(() => checks.length).toBe(1);
    for (const uri of ['x:a', 'x:b', 'x:c']) update(uri);
    checks[0]?.pass(true);
    await first;
    const burst = next();
    await expect.poll(() => checks.length).toBe(2);
    checks[1]?.pass(true);
    expect((await burst)?.match(/"uri":"x:\w"/g)).toEqual(['"uri":"x:a"', '"uri":"x:b"', '"uri":"x:c"']);
  });

  it('receives nothing more once a check has failed', async () => {
    const { listeners, next, checks } = await openChecked();
    const first = next();
    await expect.poll(() => checks.length).toBe(1);
    expect(listeners()).toBe(1);
    checks[0]?.fail(new Error('no keys'));
    await expect(first).rejects.toThrow('no keys');
    expect(listeners()).toBe(0);
  });

  it('answers HEAD without one', async () => {
    const { send } = await start();
    const { status, headers, text } = await send('/v1/resources/updates', { method: 'HEAD' });
    expect([status, headers.get('Content-Type'), text]).toEqual([200, 'text/event-stream', '']);
  });
});

describe('readiness', () => {
  it('is 503 while the state cannot be used', async () => {
    const { plane } = await start();
    const { get } = driveApi(plane, {}, () => Promise.reject(new Error('disk I/O error')));
    const { status, body } = await get('/readyz');
    expect([status, body]).toEqual([
      503,
      refusal('INTERNAL_ERROR', 'not ready: disk I/O error', {
        error: {
          code: 'INTERNAL_ERROR',
          message: 'not ready: disk I/O error',
          retryable: true,
        },
        trace_id: freshTraceId,
      }),
    ]);
  });
});
