// Requests that are refused before any route: strangers, wrong methods, and invalid JSON bodies.
import { createControlPlane, createMemoryStores } from '@portico/control-plane';
import { createManualClock, createMemoryConnector } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { configOf, type DrivenAccess, driveApi, freshTraceId, randomHex, refusal } from './testing/drive-api.js';

/** The API over one connected server `s`, which has a tool `t`. */
async function startApi(access: DrivenAccess = {}) {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: { definitions: { tools: [{ name: 't', inputSchema: {} }] } } });
  const plane = createControlPlane(
    { connector, clock, randomHex, log: () => {}, ...createMemoryStores(clock), notifyApproval: () => {} },
    configOf(['s']),
  );
  plane.start();
  await clock.advance(0);
  return driveApi(plane, access);
}

const mebibyte = 1024 * 1024;

describe('hosts and origins', () => {
  it.each([
    { what: 'another host', headers: { Host: 'evil.example' } },
    { what: 'a host that only begins like ours', headers: { Host: 'localhost.evil.example:9090' } },
  ])('refuse $what', async ({ headers }) => {
    const { get } = await startApi();
    const { status, body } = await get('/v1/servers', headers);
    expect(status).toBe(403);
    expect(body).toEqual(
      refusal(
        'POLICY_DENIED',
        'the Host header does not name this service; no setting adds names: use the address that it is bound to',
      ),
    );
  });

  it.each(['null', 'http://evil.example', 'http://localhost.evil.example:9090', 'https://127.0.0.1:9090'])(
    'refuse the origin %s, also for reading',
    async (origin) => {
      const { get, post } = await startApi();
      const denied = refusal('POLICY_DENIED', 'requests from other origins are not accepted; no setting admits them');
      expect(await get('/v1/servers', { Origin: origin })).toMatchObject({ status: 403, body: denied });
      expect(await post('/v1/tools/call', {}, { Origin: origin })).toMatchObject({ status: 403, body: denied });
    },
  );

  it('accept our own origin', async () => {
    const { get } = await startApi();
    expect((await get('/v1/servers', { Origin: 'http://127.0.0.1:9090' })).status).toBe(200);
    expect((await get('/v1/servers', { Host: '[::1]:9090', Origin: 'http://[::1]:9090' })).status).toBe(200);
  });

  it('refuse a request without a Host', async () => {
    const { app } = await startApi();
    expect((await app.request('/healthz')).status).toBe(403);
  });
});

describe('authToken', () => {
  const access = { authToken: 's3cret' };

  it('is asked for on every route but those of probes and of the console', async () => {
    const { get, post } = await startApi(access);
    for (const path of ['/v1/capabilities', '/v1/servers', '/v1/openapi.json', '/v1/nothing', '/nothing']) {
      const { status, body, headers } = await get(path);
      expect([path, status]).toEqual([path, 401]);
      expect(body).toEqual(refusal('POLICY_DENIED', 'send the configured authToken as a bearer token'));
      expect(headers.get('WWW-Authenticate')).toBe('Bearer realm="portico"');
    }
    expect((await post('/v1/tools/call', {})).status).toBe(401);
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).text).toBe('{"ok":true}');
    expect((await get('/')).status).toBe(200);
  });

  it('opens the routes, and no other token does', async () => {
    const { get } = await startApi(access);
    expect((await get('/v1/servers', { Authorization: 'Bearer s3cret' })).status).toBe(200);
    expect((await get('/v1/servers', { Authorization: 'Bearer s3cre' })).status).toBe(401);
    expect((await get('/v1/servers', { Authorization: 'Basic s3cret' })).status).toBe(401);
  });

  it('does not open the routes to another host or origin', async () => {
    const { get } = await startApi(access);
    const Authorization = 'Bearer s3cret';
    expect((await get('/v1/servers', { Authorization, Host: 'evil.example' })).status).toBe(403);
    expect((await get('/v1/servers', { Authorization, Origin: 'null' })).status).toBe(403);
  });

  it('is shown in no answer', async () => {
    const { get } = await startApi(access);
    for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: 'Bearer s3cret' }]) {
      const answer = await get('/v1/servers', headers);
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain('s3cret');
    }
  });
});

describe('methods and paths', () => {
  it('answer 404 to a path that is no route', async () => {
    const { get } = await startApi();
    const { status, body, headers } = await get('/v1/nothing', { 'X-Request-ID': 'r-9' });
    expect(status).toBe(404);
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(body).toEqual(refusal('RESOURCE_NOT_FOUND', 'no route GET /v1/nothing', { request_id: 'r-9' }));
  });

  it.each([
    ['DELETE', '/v1/capabilities', 'GET, HEAD'],
    ['GET', '/v1/tools/call', 'POST'],
    ['OPTIONS', '/v1/tools/call', 'POST'],
    ['PUT', '/v1/capabilities/search', 'POST, GET, HEAD'],
    ['PATCH', '/v1/capabilities/s.t', 'GET, HEAD'],
    ['DELETE', '/v1/capabilities/s.a%2Fb', 'GET, HEAD'],
    ['DELETE', '/v1/capabilities/s.a/b', 'GET, HEAD'],
    ['DELETE', '/v1/capabilities/s.%0A%E2%80%A8', 'GET, HEAD'],
    ['PUT', '/v1/servers/s/logs', 'GET, HEAD'],
    ['DELETE', '/v1/openapi.json', 'GET, HEAD'],
  ])('answer 405 to %s %s and allow %s', async (method, path, allow) => {
    const { send } = await startApi();
    const { status, headers, body } = await send(path, { method });
    expect([status, headers.get('Allow')]).toEqual([405, allow]);
    expect(body).toEqual(refusal('INVALID_ARGS', expect.stringContaining(`use ${allow}`)));
  });

  it('say so to a write without a JSON body too', async () => {
    const { send } = await startApi();
    const headers = { 'Content-Type': 'text/plain' };
    const write = async (path: string) => {
      const answer = await send(path, { method: 'POST', headers });
      return [answer.status, answer.headers.get('Allow')];
    };
    expect(await write('/v1/capabilities')).toEqual([405, 'GET, HEAD']);
    expect(await write('/v1/nothing')).toEqual([404, null]);
    expect(await write('/v1/approvals//approve')).toEqual([404, null]);
  });

  it('does not take a dot of a path for any character', async () => {
    const { send } = await startApi();
    expect((await send('/v1/openapi-json', { method: 'DELETE' })).status).toBe(404);
  });

  it('answers HEAD like GET without the body', async () => {
    const { send, get } = await startApi();
    for (const path of ['/v1/capabilities', '/v1/servers', '/healthz']) {
      const head = await send(path, { method: 'HEAD' });
      const full = await get(path);
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers.get('ETag')).toBe(full.headers.get('ETag'));
    }
    expect((await send('/v1/nothing', { method: 'HEAD' })).status).toBe(404);
  });
});

describe('bodies', () => {
  it.each([
    ['in another charset', { 'Content-Type': 'application/json; charset=iso-8859-1' }, 'send the body in UTF-8'],
    ['encoded', { 'Content-Encoding': 'gzip' }, 'send the body without Content-Encoding'],
  ])('refuse one that is %s', async (_what, headers, message) => {
    const { post } = await startApi();
    const { status, body } = await post('/v1/tools/call', '{}', headers);
    expect([status, body]).toEqual([415, refusal('INVALID_ARGS', message)]);
  });

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], ['application/jsonp'], [''], [undefined]])(
    'refuse the content type %j',
    async (type) => {
      const { send } = await startApi();
      const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
      const body = new TextEncoder().encode('{}');
      const answer = await send('/v1/tools/call', { method: 'POST', body, headers });
      expect(answer.status).toBe(415);
      expect(answer.body).toEqual(refusal('INVALID_ARGS', 'send the body as Content-Type: application/json'));
    },
  );

  it('refuse another content type under a path with a line end too', async () => {
    const { send } = await startApi();
    const headers = { 'Content-Type': 'text/plain' };
    expect((await send('/v1/operations/a%0Ab/cancel', { method: 'POST', headers })).status).toBe(415);
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON'])('take the content type %s', async (type) => {
    const { post } = await startApi();
    expect((await post('/v1/capabilities/search', {}, { 'Content-Type': type })).status).toBe(200);
  });

  it.each<[string, string, unknown]>([
    ['no JSON', '{"capability_id": ', expect.stringMatching(/^the body is not valid JSON: /)],
    ['nothing', '', expect.stringMatching(/^the body is not valid JSON: /)],
    ['a list', '[]', expect.stringMatching(/./)],
    ['null', 'null', 'the body must be a JSON object'],
    ['a list', '[]', 'the body must be a JSON object'],
    ['a missing field', '{"capability_id": "s.t"}', 'args: is required'],
    ['a wrong type', '{"capability_id": 1, "args": {}}', 'capability_id: expected string, got number'],
    [
      'a wrong type further down',
      '{"capability_id": "s.t", "args": {}, "context": {"actor_id": 1}}',
      'context.actor_id: expected string, got number',
    ],
    [
      'a request id that is too long',
      JSON.stringify({ capability_id: 's.t', args: {}, request_id: 'x'.repeat(1025) }),
      'request_id: expected a length of <=1024, got 1025',
    ],
  ])('refuse %s with 400 and the path', async (_what, text, message) => {
    const { post } = await startApi();
    const { status, body } = await post('/v1/tools/call', text);
    expect(status).toBe(400);
    expect(body).toEqual(refusal('INVALID_ARGS', message));
  });

  it('refuse one that says it is larger than 4 MiB without reading it', async () => {
    const { send } = await startApi();
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(4 * mebibyte + 1) };
    const { status, body } = await send('/v1/tools/call', { method: 'POST', body: '{}', headers });
    expect(status).toBe(413);
    expect(body).toEqual(refusal('INVALID_ARGS', 'the body is larger than 4194304 bytes (a fixed limit)'));
  });

  it('refuse one that turns out larger than 4 MiB while it streams in', async () => {
    const { app } = await startApi();
    const chunk = new TextEncoder().encode(' '.repeat(mebibyte));
    let chunks = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        if (chunks > 64) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const headers = { Host: 'localhost', 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' };
    const response = await app.request('/v1/tools/call', init);
    expect([response.status, await response.json()]).toEqual([
      413,
      refusal('INVALID_ARGS', 'the body is larger than 4194304 bytes (a fixed limit)'),
    ]);
    expect(chunks).toBeLessThan(10);
  });

  it('of a caller that goes away while it streams in is a cancel, and no defect', async () => {
    const { app } = await startApi();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('aborted'));
      },
    });
    const headers = { Host: 'localhost', 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' };
    const response = await app.request('/v1/tools/call', init);
    expect([response.status, await response.json()]).toEqual([
      499,
      refusal('OPERATION_CANCELLED', 'the request body ended early'),
    ]);
  });

  it('take one of just under 4 MiB', async () => {
    const { post } = await startApi();
    const query = 'x'.repeat(4 * mebibyte - 100);
    expect((await post('/v1/capabilities/search', { query })).status).toBe(200);
  });

  it('refuse one that nests deeper than 256 levels, and take 256', async () => {
    const { post } = await startApi();
    const nested = (levels: number) =>
      `{"capability_id":"s.t","args":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    expect((await post('/v1/tools/call', nested(254))).status).toBe(200);
    const { status, body } = await post('/v1/tools/call', nested(255));
    expect([status, body]).toEqual([
      400,
      refusal('INVALID_ARGS', 'the body is nested deeper than 256 levels (a fixed limit)'),
    ]);
    expect((await post('/v1/tools/call', '['.repeat(1_000_000))).status).toBe(400);
  });
});

describe('refusals', () => {
  it('name the request by the id of its body, else of its header', async () => {
    const { post } = await startApi();
    const header = { 'X-Request-ID': 'from-header' };
    const idOf = async (body: unknown, headers = {}) => {
      const answer = await post('/v1/tools/call', body, headers);
      expect(answer.status).toBe(400);
      return (answer.body as { request_id: unknown }).request_id; // every refusal is an envelope
    };
    expect(await idOf({ request_id: 'from-body' }, header)).toBe('from-body');
    expect(await idOf({}, header)).toBe('from-header');
    expect(await idOf({})).toBeNull();
    expect(await idOf({ request_id: 7 }, header)).toBe('from-header');
    expect(await idOf({ request_id: 'x'.repeat(2000) })).toBeNull();
    expect(await idOf('{', header)).toBe('from-header');
  });

  it('continue the trace of the caller', async () => {
    const { get } = await startApi();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceOf = async (traceparent: string) =>
      (await get('/v1/nothing', { traceparent })).body as { trace_id: string }; // every refusal is an envelope
    expect((await traceOf(`00-${traceId}-00f067aa0ba902b7-01`)).trace_id).toBe(traceId);
    expect((await traceOf(`cc-${traceId}-00f067aa0ba902b7-01-more`)).trace_id).toBe(traceId);
    for (const bad of [
      `ff-${traceId}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
      'nonsense',
    ]) {
      expect((await traceOf(bad)).trace_id).toBe(freshTraceId);
    }
  });
});
