// Answers of the most used routes to unusual HTTP: each request byte by byte, each answer with its whole set of
// headers.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { askRaw, openRaw, type RawAnswer } from './support/raw-http.js';
import { fixture, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const call = '/v1/tools/call';
const list = '/v1/capabilities';
const search = '/v1/capabilities/search';
const describing = '/v1/capabilities/s.echo';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Headers of every answer; each test gives the others. */
const common = {
  'content-security-policy': ["default-src 'none'; frame-ancestors 'none'"],
  'cross-origin-opener-policy': ['same-origin'],
  'cross-origin-resource-policy': ['same-origin'],
  'referrer-policy': ['no-referrer'],
  'x-content-type-options': ['nosniff'],
  'x-frame-options': ['DENY'],
  date: [expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)],
};
const keptAlive = { connection: ['keep-alive'], 'keep-alive': ['timeout=5'] };
const closing = { connection: ['close'] };
const notStored = { 'cache-control': ['no-store'] };

const notOwnHost =
  'the Host header does not name this service; no setting adds names: use the address that it is bound to';
const notOwnOrigin = 'requests from other origins are not accepted; no setting admits them';

const echo = JSON.stringify({ capability_id: 's.echo', args: { text: 'grüße' } });

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Lines behind that of the Host; without it, those of a JSON body. */
  readonly lines?: readonly string[];
  readonly hosts?: readonly string[];
  readonly body?: string | Buffer;
}

const ownHosts = ['Host: 127.0.0.1:9090'];

function post({ body = echo, lines = [], ...sent }: Sent = {}): Buffer {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return request({ method: 'POST', ...sent, lines: ['Content-Type: application/json', length, ...lines], body });
}

function get(target: string, ...lines: readonly string[]): Buffer {
  return request({ target, lines });
}

function request({ method = 'GET', target = call, version = '1.1', hosts = ownHosts, lines = [], body = '' }: Sent) {
  const head = [`${method} ${target} HTTP/${version}`, ...hosts, `traceparent: 00-${traceId}-00f067aa0ba902b7-01`];
  return Buffer.concat([Buffer.from(`${[...head, ...lines].join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

function expectJson(answer: RawAnswer, status: number, body: unknown, headers: object = keptAlive): void {
  const length = [String(Buffer.byteLength(answer.body))];
  expect(answer).toEqual({
    status,
    headers: { ...common, ...notStored, 'content-type': ['application/json'], 'content-length': length, ...headers },
    body: expect.anything(),
  });
  expect(JSON.parse(answer.body)).toEqual(body);
}

const echoed = (requestId: string | null = null) => ({
  ok: true,
  request_id: requestId,
  trace_id: traceId,
  retry: { classification: 'safe', upstream_execution_state: 'completed' },
  data: { content: [{ type: 'text', text: expect.stringContaining('grüße') }] },
  error: null,
});

const refused = (code: string, message: unknown, requestId: string | null = null) => ({
  ok: false,
  request_id: requestId,
  trace_id: traceId,
  retry: { classification: 'safe', upstream_execution_state: 'not_started' },
  data: null,
  error: { code, message, retryable: false },
});

const invalid = (message: unknown) => refused('INVALID_ARGS', message);
/** Where no trace of the request is known. */
const malformed = (message: string) => ({ ...invalid(message), trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) });

const chunked = (body: string) =>
  request({
    method: 'POST',
    lines: ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
    body: `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  });

describe('the HTTP of the most used routes', () => {
  let daemon: Daemon;
  let upstream: Scripted;
  let etag: string;

  beforeAll(async () => {
    upstream = scripted({ tools: [tool('held'), tool('echo')] });
    const mcpServers = { s: fixture(), t: upstream.server };
    daemon = await startDaemon({ mcpServers, profiles: { few: { servers: ['t'] } } });
    await daemon.connected();
    etag = (await daemon.list('capabilities')).headers.etag ?? '';
  });
  const ask = (bytes: Buffer) => askRaw(daemon.port, bytes);

  it.each<[string, Buffer, object]>([
    ['with its length', post(), keptAlive],
    ['in chunks', chunked(echo), keptAlive],
    ['over a connection that it closes', post({ lines: ['Connection: close'] }), closing],
    ['in HTTP/1.0', post({ version: '1.0' }), closing],
    ['in HTTP/1.0 that keeps its connection', post({ version: '1.0', lines: ['Connection: keep-alive'] }), keptAlive],
    ['with an upgrade', post({ lines: ['Connection: Upgrade', 'Upgrade: websocket'] }), keptAlive],
    ['to an absolute target', post({ target: `http://127.0.0.1:9090${call}` }), keptAlive],
    ['to a target that has an escape', post({ target: '/v1/tools/%63all' }), keptAlive],
    ['to a target with a dot segment', post({ target: '/v1/./tools/x/../call' }), keptAlive],
    ['with an empty query', post({ target: `${call}?` }), keptAlive],
    ['with a query', post({ target: `${call}?a=b` }), keptAlive],
    ['with a fragment', post({ target: `${call}#a` }), keptAlive],
    ['to localhost', post({ hosts: ['Host: localhost'] }), keptAlive],
    ['to LOCALHOST', post({ hosts: ['Host: LOCALHOST:9090'] }), keptAlive],
    ['to an IPv6 address', post({ hosts: ['Host: [::1]:9090'] }), keptAlive],
    ['to a port above 60000', post({ hosts: ['Host: 127.0.0.1:60123'] }), keptAlive],
    ['from its own origin', post({ lines: ['Origin: http://127.0.0.1:9090'] }), keptAlive],
    ['with padded headers', post({ lines: ['Content-Encoding: \t identity \t'] }), keptAlive],
    ['with a header named like a property', post({ lines: ['__proto__: x', 'constructor: y'] }), keptAlive],
    ['with empty headers', post({ lines: ['X-Request-ID:', 'Idempotency-Key: k-empty', 'Prefer:'] }), keptAlive],
    ['with two Prefer', post({ lines: ['Prefer: wait=1', 'Prefer: handling=lenient'] }), keptAlive],
  ])('runs a call %s', async (_what, bytes, headers) => {
    expectJson(await ask(bytes), 200, echoed(), headers);
  });

  it.each<[string, Buffer, string]>([
    ['one header', post({ lines: ['X-Request-ID: r-1'] }), 'r-1'],
    ['two headers', post({ lines: ['X-Request-ID: r-1', 'X-Request-ID: r-2'] }), 'r-1, r-2'],
    ['a header of Latin-1', post({ lines: ['X-Request-ID: \xe9'] }), '\xe9'],
  ])('correlates a call by %s', async (_what, bytes, requestId) => {
    expectJson(await ask(bytes), 200, echoed(requestId));
  });

  it.each<[string, Buffer, number, unknown, object]>([
    [
      'no Content-Type',
      request({ method: 'POST', lines: ['Content-Length: 2'], body: '{}' }),
      415,
      invalid('send the body as Content-Type: application/json'),
      {},
    ],
    [
      'two of them',
      post({ lines: ['Content-Type: application/json'] }),
      415,
      invalid('send the body as Content-Type: application/json'),
      {},
    ],
    [
      'another encoding',
      post({ lines: ['Content-Encoding: gzip'] }),
      415,
      invalid('send the body without Content-Encoding'),
      {},
    ],
    [
      'another origin',
      post({ lines: ['Origin: http://evil.example'] }),
      403,
      refused('POLICY_DENIED', notOwnOrigin),
      {},
    ],
    [
      'a second origin',
      post({ lines: ['Origin: http://127.0.0.1:9090', 'Origin: http://evil.example'] }),
      403,
      refused('POLICY_DENIED', notOwnOrigin),
      {},
    ],
    ['another host', post({ hosts: ['Host: evil.example'] }), 403, refused('POLICY_DENIED', notOwnHost), {}],
    [
      'a second host',
      post({ hosts: [...ownHosts, 'Host: evil.example'] }),
      403,
      refused('POLICY_DENIED', notOwnHost),
      {},
    ],
    ['no host', post({ hosts: [] }), 403, refused('POLICY_DENIED', notOwnHost), {}],
    ['an empty host', post({ hosts: ['Host:'] }), 403, refused('POLICY_DENIED', notOwnHost), {}],
    [
      'a host that is none',
      post({ hosts: ['Host: a b'] }),
      400,
      malformed('the Host header or the path is not valid'),
      {},
    ],
    ['a short form of an address', post({ hosts: ['Host: 127.1'] }), 403, refused('POLICY_DENIED', notOwnHost), {}],
    [
      'a short form of an address with its port',
      post({ hosts: ['Host: 127.1:60123'] }),
      400,
      malformed('the Host header or the path is not valid'),
      {},
    ],
    [
      'a port that is none',
      post({ hosts: ['Host: 127.0.0.1:99999'] }),
      400,
      malformed('the Host header or the path is not valid'),
      {},
    ],
    [
      'a backslash',
      post({ target: '/v1/tools\\call' }),
      400,
      malformed('the Host header or the path is not valid'),
      {},
    ],
    [
      'a target that is no path',
      request({ method: 'OPTIONS', target: '*' }),
      400,
      malformed('the Host header or the path is not valid'),
      {},
    ],
    [
      'a slash at its end',
      post({ target: `${call}/` }),
      404,
      refused('RESOURCE_NOT_FOUND', `no route POST ${call}/`),
      {},
    ],
    ['two slashes', post({ target: `/${call}` }), 404, refused('RESOURCE_NOT_FOUND', `no route POST /${call}`), {}],
    [
      'an escaped slash',
      post({ target: '/v1/tools%2Fcall' }),
      404,
      refused('RESOURCE_NOT_FOUND', 'no route POST /v1/tools%2Fcall'),
      {},
    ],
    [
      'other letters',
      post({ target: '/V1/tools/call' }),
      404,
      refused('RESOURCE_NOT_FOUND', 'no route POST /V1/tools/call'),
      {},
    ],
    ['GET', get(call), 405, invalid(`GET is not a method of ${call}; use POST`), { allow: ['POST'] }],
    [
      'OPTIONS',
      request({ method: 'OPTIONS' }),
      405,
      invalid(`OPTIONS is not a method of ${call}; use POST`),
      { allow: ['POST'] },
    ],
    ['PUT', post({ method: 'PUT' }), 405, invalid(`PUT is not a method of ${call}; use POST`), { allow: ['POST'] }],
    [
      'DELETE of a list',
      request({ method: 'DELETE', target: list }),
      405,
      invalid(`DELETE is not a method of ${list}; use GET, HEAD`),
      { allow: ['GET, HEAD'] },
    ],
    [
      'POST of a list',
      post({ target: list }),
      405,
      invalid(`POST is not a method of ${list}; use GET, HEAD`),
      { allow: ['GET, HEAD'] },
    ],
    ['an empty body', post({ body: '' }), 400, invalid(expect.stringMatching(/^the body is not valid JSON: /)), {}],
    [
      'a body without a length',
      request({ method: 'POST', lines: ['Content-Type: application/json'] }),
      400,
      invalid(expect.stringMatching(/^the body is not valid JSON: /)),
      {},
    ],
    ['a body of a byte order mark', post({ body: `\ufeff${echo}` }), 200, echoed(), {}],
    [
      'a body that is no UTF-8',
      post({ body: Buffer.from([0x7b, 0xff, 0x7d]) }),
      400,
      invalid('the body is not valid UTF-8'),
      {},
    ],
    [
      'a profile that does not exist',
      post({ lines: ['X-Service-Profile: nope'] }),
      404,
      { ...refused('TOOL_NOT_FOUND', expect.stringMatching(/^no profile /)) },
      {},
    ],
    [
      'an empty profile',
      post({ lines: ['X-Service-Profile:'] }),
      404,
      { ...refused('TOOL_NOT_FOUND', expect.stringMatching(/^no profile /)) },
      {},
    ],
    [
      'a long request id',
      post({ lines: [`X-Request-ID: ${'x'.repeat(1025)}`] }),
      400,
      invalid('header X-Request-ID is longer than 1024 characters (a fixed limit)'),
      {},
    ],
  ])('answers a call with %s', async (_what, bytes, status, body, headers) => {
    expectJson(await ask(bytes), status, body, { ...keptAlive, ...headers });
  });

  it.each<[string, Buffer, number, string]>([
    ['two lengths', post({ lines: ['Content-Length: 2'] }), 400, 'the request is not valid HTTP'],
    ['a length and chunks', post({ lines: ['Transfer-Encoding: chunked'] }), 400, 'the request is not valid HTTP'],
    ['a method in small letters', post({ method: 'post' }), 400, 'the request is not valid HTTP'],
    ['a folded header', post({ lines: ['X-Request-ID: a', ' b'] }), 400, 'the request is not valid HTTP'],
    [
      'large headers',
      post({ lines: [`X: ${'x'.repeat(17_000)}`] }),
      431,
      'the headers are larger than 16 KiB (a fixed limit)',
    ],
  ])('refuses %s as no HTTP', async (_what, bytes, status, message) => {
    expectJson(await ask(bytes), status, malformed(message), { ...closing, date: undefined });
  });

  it('answers an expectation before it reads the body', async () => {
    const connection = await openRaw(daemon.port);
    const bytes = post({ lines: ['Expect: 100-continue'] });
    const head = bytes.indexOf('\r\n\r\n') + 4;
    connection.write(bytes.subarray(0, head));
    expect(await connection.answer()).toEqual({ status: 100, headers: {}, body: '' });
    connection.write(bytes.subarray(head));
    expectJson(await connection.answer(), 200, echoed());
    connection.socket.destroy();
  });

  it('reads a body that comes in pieces', async () => {
    const connection = await openRaw(daemon.port);
    const bytes = post();
    const head = bytes.indexOf('\r\n\r\n') + 4;
    connection.write(bytes.subarray(0, head + 10));
    await daemon.get('/healthz'); // the service has seen the first piece alone
    connection.write(bytes.subarray(head + 10));
    expectJson(await connection.answer(), 200, echoed());
    connection.socket.destroy();
  });

  it('answers requests that are sent behind each other in their order', async () => {
    const connection = await openRaw(daemon.port);
    const wrong = post({ lines: ['Content-Encoding: gzip', 'X-Request-ID: 2'] });
    const lists = get(list, `If-None-Match: ${etag}`);
    connection.write(
      Buffer.concat([post({ lines: ['X-Request-ID: 1'] }), wrong, lists, post({ lines: ['X-Request-ID: 4'] })]),
    );
    expectJson(await connection.answer(), 200, echoed('1'));
    expect(await connection.answer()).toMatchObject({ status: 415 });
    expect(await connection.answer()).toMatchObject({ status: 304 });
    expectJson(await connection.answer(), 200, echoed('4'));
    connection.socket.destroy();
  });

  it('refuses a body that says it is too large at once, and closes the connection where it does not come', async () => {
    const connection = await openRaw(daemon.port);
    connection.write(request({ method: 'POST', lines: ['Content-Type: application/json', 'Content-Length: 4194305'] }));
    expectJson(await connection.answer(), 413, invalid('the body is larger than 4194304 bytes (a fixed limit)'));
    await connection.closed;
  });

  it('refuses a body of chunks that turns out too large', async () => {
    const connection = await openRaw(daemon.port);
    const head = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    connection.write(request({ method: 'POST', lines: head }));
    const chunk = `80000\r\n${' '.repeat(0x80000)}\r\n`;
    for (let sent = 0; sent < 9; sent++) connection.write(chunk);
    expectJson(await connection.answer(), 413, invalid('the body is larger than 4194304 bytes (a fixed limit)'));
    await connection.closed;
  });

  it('keeps the connection of a refused request whose body comes later', async () => {
    const connection = await openRaw(daemon.port);
    const bytes = post({ lines: ['Content-Encoding: gzip'] });
    const head = bytes.indexOf('\r\n\r\n') + 4;
    connection.write(bytes.subarray(0, head));
    expect(await connection.answer()).toMatchObject({ status: 415 });
    connection.write(bytes.subarray(head));
    connection.write(post());
    expectJson(await connection.answer(), 200, echoed());
    connection.socket.destroy();
  });

  it('says that a stored answer is one', async () => {
    const bytes = post({ lines: ['Idempotency-Key: kläge'] });
    expectJson(await ask(bytes), 200, echoed());
    expectJson(await ask(bytes), 200, echoed(), { ...keptAlive, 'x-service-deduplicated': ['true'] });
    expectJson(await ask(post({ lines: ['Idempotency-Key: a', 'Idempotency-Key: b'] })), 200, echoed());
    expect(await ask(post({ lines: ['Idempotency-Key: a, b'] }))).toMatchObject({
      headers: { 'x-service-deduplicated': ['true'] },
    });
  });

  it('says where the result of a call will be', async () => {
    const answer = await ask(post({ lines: ['Prefer: respond-async'] }));
    expect(answer).toMatchObject({ status: 202, headers: { location: [expect.stringMatching(/^\/v1\/tasks\//)] } });
    expectJson(answer, 202, expect.objectContaining({ ok: true, trace_id: traceId }), {
      ...keptAlive,
      location: answer.headers.location,
    });
  });

  const validators = () => ({ ...keptAlive, etag: [etag], 'cache-control': ['no-cache'] });

  it('sends a list with its validator, and nothing where the client has it', async () => {
    const full = await ask(get(list));
    expectJson(full, 200, JSON.parse((await daemon.get(list)).text), validators());
    for (const lines of [
      [`If-None-Match: ${etag}`],
      [`If-None-Match: W/${etag}`],
      ['If-None-Match: *'],
      [`If-None-Match: "a", ${etag}`],
      ['If-None-Match: "a"', `If-None-Match: ${etag}`],
    ]) {
      expect(await ask(get(list, ...lines))).toEqual({
        status: 304,
        headers: { ...common, ...validators() },
        body: '',
      });
    }
    expect(await ask(get(list, 'If-None-Match: "a"'))).toEqual({
      ...full,
      headers: expect.objectContaining(validators()),
    });
    for (const target of [`${list}?`, `http://127.0.0.1:9090${list}`, '/v1/%63apabilities', '/v1/./capabilities'])
      expectJson(await ask(get(target)), 200, JSON.parse(full.body), validators());
    expect(await ask(get(list, 'Content-Length: 2', '', '{}'))).toMatchObject({ status: 200, body: full.body });
    expect(await ask(get(list, 'X-Service-Profile: few'))).toEqual({
      ...(await ask(get(`${list}?profile=few`))),
      headers: expect.objectContaining({ etag: [expect.not.stringContaining(etag)] }),
    });
    expect((await ask(get(`${list}?profile=few`, 'X-Service-Profile: nope'))).status).toBe(404);
  });

  it('answers HEAD of a list with the headers of GET', async () => {
    const { 'content-length': _length, ...headers } = (await ask(get(list))).headers;
    const bare = await ask(request({ method: 'HEAD', target: list }));
    expect({ ...bare.headers, date: headers.date }).toEqual(headers);
    const closes = await ask(request({ method: 'HEAD', target: list, lines: ['Connection: close'] }));
    expect([closes.status, closes.headers.connection]).toEqual([200, ['close']]);
    expect((await ask(request({ method: 'HEAD', target: call }))).status).toBe(405);
  });

  it('searches', async () => {
    const { status, body } = await ask(post({ target: search, body: '{"query":"echo"}' }));
    expect([status, JSON.parse(body).capabilities[0].id]).toEqual([200, expect.stringMatching(/echo$/)]);
    expectJson(
      await ask(post({ target: search, body: '{"limit":0}' })),
      400,
      invalid(expect.stringContaining('limit')),
    );
  });

  it('describes a capability under each way to write its path', async () => {
    const plain = await ask(get(describing));
    const own = plain.headers.etag ?? [];
    const body = { version: 'v1', capability: expect.objectContaining({ id: 's.echo' }) };
    expectJson(plain, 200, body, { ...validators(), etag: [expect.stringMatching(/^"sha256:/)] });
    for (const target of ['/v1/capabilities/s%2Eecho', `${describing}?a`, '/v1/capabilities/x/../s.echo'])
      expectJson(await ask(get(target)), 200, body, { ...validators(), etag: own });
    expect(await ask(get(describing, `If-None-Match: ${own[0]}`))).toMatchObject({ status: 304, body: '' });
    for (const [target, id] of [
      ['/v1/capabilities/s.nope', 's.nope'],
      ['/v1/capabilities/a/b', 'a/b'],
      ['/v1/capabilities/a%2Fb', 'a/b'],
      ['/v1/capabilities/search', 'search'],
    ] as const)
      expectJson(await ask(get(target)), 404, refused('TOOL_NOT_FOUND', expect.stringContaining(`"${id}"`)));
    expectJson(await ask(get('/v1/capabilities/..')), 404, refused('RESOURCE_NOT_FOUND', 'no route GET /v1/'));
    expectJson(
      await ask(get('/v1/capabilities/')),
      404,
      refused('RESOURCE_NOT_FOUND', 'no route GET /v1/capabilities/'),
    );
  });

  it('runs nothing for a caller that leaves in the middle of its body', async () => {
    const connection = await openRaw(daemon.port);
    const bytes = post({ body: JSON.stringify({ capability_id: 't.echo', args: { text: 'half' } }) });
    connection.write(bytes.subarray(0, bytes.length - 3));
    await daemon.get('/healthz');
    connection.socket.destroy();
    await daemon.call('t.echo', { text: 'after' });
    const texts = upstream.received('tools/call').map(({ params }) => params.arguments);
    expect(texts).toContainEqual({ text: 'after' });
    expect(texts).not.toContainEqual({ text: 'half' });
  });

  it('cancels the call of a caller that leaves, and completes one that has a key', async () => {
    const connections = [await openRaw(daemon.port), await openRaw(daemon.port)];
    const body = (rest: object) => JSON.stringify({ capability_id: 't.held', args: {}, ...rest });
    const before = upstream.received('tools/call').length;
    connections[0]?.write(post({ body: body({}) }));
    connections[1]?.write(post({ body: body({ idempotency_key: 'left' }) }));
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(before + 2));
    for (const { socket } of connections) socket.destroy();
    await eventually(() => expect(upstream.received('notifications/cancelled')).toHaveLength(1));
    upstream.release();
    const again = () => ask(post({ body: body({ idempotency_key: 'left' }) }));
    expect(await again()).toMatchObject({ status: 200, headers: { 'x-service-deduplicated': ['true'] } });
    expect(upstream.received('tools/call')).toHaveLength(before + 2);
  });
});

describe('credentials over HTTP', () => {
  let daemon: Daemon;
  beforeAll(async () => {
    const rbac = { roles: { r: {} }, tokens: [{ role: 'r', token: 't' }] };
    daemon = await startDaemon({ mcpServers: { s: fixture() }, rbac });
    await eventually(async () => {
      const { status } = await daemon.get(describing, { authorization: 'Bearer t' });
      expect(status).toBe(200);
    });
  });

  it.each<[string, readonly string[], string, string]>([
    ['none', [], 'send a token as a bearer token', 'Bearer realm="portico"'],
    ['an empty one', ['Authorization:'], 'send a token as a bearer token', 'Bearer realm="portico"'],
    [
      'another',
      ['Authorization: Bearer x'],
      'the token is not known',
      'Bearer realm="portico", error="invalid_token", error_description="the token is not known"',
    ],
    [
      'two',
      ['Authorization: Bearer t', 'Authorization: Bearer t'],
      'send a token as a bearer token',
      'Bearer realm="portico"',
    ],
  ])('refuses %s with a challenge', async (_what, lines, message, challenge) => {
    for (const bytes of [post({ lines }), get(list, ...lines), get(describing, ...lines)]) {
      const headers = { ...keptAlive, 'www-authenticate': [challenge] };
      expectJson(await askRaw(daemon.port, bytes), 401, refused('POLICY_DENIED', message), headers);
    }
  });

  it('admits the token', async () => {
    for (const bytes of [post({ lines: ['Authorization: Bearer t'] }), get(list, 'Authorization: bearer  t')])
      expect((await askRaw(daemon.port, bytes)).status).toBe(200);
  });
});
