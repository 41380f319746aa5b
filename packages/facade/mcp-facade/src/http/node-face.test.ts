// Calls over node:http that the SDK does not see, beside the same calls that it does, in both eras.
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AbortSignalLike } from '@portico/async';
import { type JsonObject, successEnvelope, unknownOutcome } from '@portico/contracts';
import type { Call, Outcome } from '@portico/control-plane';
import { afterEach, describe, expect, it } from 'vitest';
import { eventsIn, type FacadeInput, legacy, modernRequest, startFacade } from '../testing/start-facade.js';

const work = {
  definitions: {
    tools: [
      { name: 'work', inputSchema: { type: 'object' } },
      { name: 'tenant', inputSchema: { type: 'object', properties: { t: { type: 'string', 'x-mcp-header': 'T' } } } },
    ],
  },
};
const file = {
  capabilityAliases: {
    work: { target: 's.work', passthrough: true },
    tenant: { target: 's.tenant', passthrough: true },
  },
};
const done = (call: Call, data: JsonObject = { content: [] }): Outcome => ({
  kind: 'answered',
  envelope: successEnvelope({ ...call.correlation, traceId: 't' }, unknownOutcome, data),
});

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

/** Puts the face on a socket. Requests that it leaves to `fetch` are counted, and answered with 299 and the body. */
async function start(execute: (call: Call) => Promise<Outcome>, http: FacadeInput['http'] = {}) {
  const started = await startFacade({ servers: { s: work }, file, http, plane: () => ({ execute }) });
  const left: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const leave = (body = '') => {
      left.push(body);
      outgoing.writeHead(299).end();
    };
    const isTaken = started.http.serveNode(incoming, outgoing, (_incoming, _outgoing, body) =>
      leave(body?.toString('utf8') ?? 'unread'),
    );
    if (!isTaken) leave('untouched');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const open = (body: unknown, headers: Readonly<Record<string, string>> = {}, path = '/mcp') =>
    new Promise<{ readonly answer: IncomingMessage; readonly leave: () => void }>((resolve, reject) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const own = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
      const length = { 'Content-Length': String(Buffer.byteLength(text)) };
      const sent = httpRequest({ port, path, method: 'POST', headers: { ...own, ...length, ...headers } });
      sent.on('response', (answer) => resolve({ answer, leave: () => sent.destroy() })).on('error', reject);
      sent.end(text);
    });
  const post = async (...given: Parameters<typeof open>) => {
    const { answer } = await open(...given);
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk;
    const isStream = answer.headers['content-type'] === 'text/event-stream';
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: isStream ? eventsIn(text) : text && JSON.parse(text),
    };
  };
  return { ...started, port, left, open, post };
}

const params = { name: 'work', arguments: {} };
const callOf = (id: string | number, more: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { ...params, ...more },
});
type Started = Awaited<ReturnType<typeof start>>;

/** A session whose first call has been answered by way of the SDK. */
async function inSession(started: Started, capabilities: object = {}) {
  const { headers, ask } = await started.openSession(capabilities);
  await ask('tools/list', {}, 100);
  return headers;
}

/** The SDK has let an envelope through, which is that of `modernRequest`. */
async function knownTo(started: Started) {
  await started.ask('tools/list');
}

const held = (signals: AbortSignalLike[]) => (call: Call) => {
  signals.push(call.signal);
  return new Promise<Outcome>((resolve) => call.signal.addEventListener('abort', () => resolve(done(call))));
};

describe('a plain call', () => {
  const cases: readonly (readonly [string, JsonObject, (call: Call) => Promise<Outcome>])[] = [
    ['a result', {}, async (call) => done(call, { content: [{ type: 'text', text: 'ü' }] })],
    ['an unknown tool', { name: 'nothing' }, async (call) => done(call)],
    ['arguments of the wrong shape', { arguments: [] }, async (call) => done(call)],
    ['a defect', {}, () => Promise.reject(new Error('broken'))],
  ];

  it.each(cases)('is answered in a session as by the SDK: %s', async (_name, more, execute) => {
    const started = await start(execute);
    const headers = await inSession(started);
    const bySdk = await started.post(callOf(3, more), headers);
    const direct = await started.post(callOf(3, more), headers);
    const other = await started.openSession();
    const expected = await other.ask('tools/call', { ...params, ...more }, 3);
    expect(started.left).toEqual([]);
    for (const { status, headers: own, body } of [bySdk, direct]) {
      expect([status, body]).toEqual([expected.status, expected.body]);
      expect(own).toMatchObject({
        'content-type': 'application/json',
        'mcp-session-id': headers['Mcp-Session-Id'],
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it.each(cases)('of 2026-07-28 is answered as by the SDK: %s', async (_name, more, execute) => {
    const started = await start(execute);
    await knownTo(started);
    const { body, headers } = modernRequest('tools/call', { ...params, ...more }, { id: 3 });
    const direct = await started.post(body, headers);
    const bySdk = await started.ask('tools/call', { ...params, ...more }, { id: 3 });
    expect(started.left).toEqual([]);
    expect([direct.status, JSON.stringify(direct.body)]).toEqual([bySdk.status, bySdk.text]);
    expect(direct.headers['mcp-session-id']).toBeUndefined();
  });

  it('becomes a stream where a notification comes before its answer', async () => {
    const started = await start(async (call) => {
      call.client?.onProgress?.({ progress: 1 });
      return done(call);
    });
    const progressed = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progress: 1, progressToken: 'mine' },
    };
    const session = await inSession(started);
    const inStream = await started.post(callOf(3, { _meta: { progressToken: 'mine' } }), session);
    expect(inStream.body).toEqual([progressed, { jsonrpc: '2.0', id: 3, result: { content: [] } }]);
    expect(inStream.headers).toMatchObject({ 'mcp-session-id': session['Mcp-Session-Id'], 'x-accel-buffering': 'no' });
    await knownTo(started);
    const { body, headers } = modernRequest('tools/call', params, { id: 4, meta: { progressToken: 'mine' } });
    expect((await started.post(body, headers)).body).toEqual([progressed, expect.objectContaining({ id: 4 })]);
    expect(started.left).toEqual([]);
  });

  it('asks its client on its own stream', async () => {
    const question = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: {} } } as const;
    const started = await start(async (call) =>
      done(call, { answer: (await call.client?.ask?.(question, call.signal)) ?? null }),
    );
    const headers = await inSession(started, { elicitation: {} });
    const { answer } = await started.open(callOf(3), headers);
    const chunks = answer.setEncoding('utf8')[Symbol.asyncIterator]();
    const asked = eventsIn((await chunks.next()).value)[0] as { id: number };
    expect(asked).toMatchObject(question);
    const result = { action: 'accept', content: {} };
    await started.post({ jsonrpc: '2.0', id: asked.id, result }, headers); // left to fetch, which is not there
    await started.request({
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }),
      headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    });
    expect(eventsIn((await chunks.next()).value)[0]).toMatchObject({ id: 3, result: { answer: result } });
  });

  it('is cancelled by a notification in its session, and not by a client that leaves', async () => {
    const signals: AbortSignalLike[] = [];
    const started = await start(held(signals));
    const headers = await inSession(started);
    const first = started.open(callOf(3), headers).catch(() => undefined);
    await expect.poll(() => signals.length).toBe(1);
    const other = httpRequest({
      port: started.port,
      path: '/mcp',
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Content-Length': String(JSON.stringify(callOf(4)).length),
      },
    });
    other.on('error', () => {}).end(JSON.stringify(callOf(4)));
    await expect.poll(() => signals.length).toBe(2);
    other.destroy();
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } };
    const accepted = await started.request({
      method: 'POST',
      body: JSON.stringify(cancelled),
      headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    });
    expect(accepted.status).toBe(202);
    await expect.poll(() => signals[0]?.aborted).toBe(true);
    expect(signals[1]?.aborted).toBe(false);
    await started.http.close();
    await expect.poll(() => signals[1]?.aborted).toBe(true);
    void first;
  });

  it('of 2026-07-28 is cancelled by a client that leaves', async () => {
    const signals: AbortSignalLike[] = [];
    const started = await start(held(signals));
    await knownTo(started);
    const { body, headers } = modernRequest('tools/call', params, {});
    const text = JSON.stringify(body);
    const own = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const length = { 'Content-Length': String(text.length) };
    const sent = httpRequest({
      port: started.port,
      path: '/mcp',
      method: 'POST',
      headers: { ...headers, ...own, ...length },
    });
    sent.on('error', () => {}).end(text);
    await expect.poll(() => signals.length).toBe(1);
    sent.destroy();
    await expect.poll(() => signals[0]?.aborted).toBe(true);
  });

  it('ends with its session, and with the listener', async () => {
    const signals: AbortSignalLike[] = [];
    const started = await start(held(signals));
    const session = await inSession(started);
    const inStream = started.post(callOf(3), session);
    await expect.poll(() => signals.length).toBe(1);
    await started.request({ method: 'DELETE', headers: session });
    expect(await inStream).toMatchObject({ status: 200, body: [] });
    await knownTo(started);
    const { body, headers } = modernRequest('tools/call', params, {});
    const modern = started.post(body, headers);
    await expect.poll(() => signals.length).toBe(2);
    await started.http.close();
    expect((await modern).status).toBe(499);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('is pinged while it runs in a session, and answered on the stream that this makes', async () => {
    let answer = () => {};
    const started = await start(
      (call) =>
        new Promise((resolve) => {
          answer = () => resolve(done(call));
        }),
      { sseKeepAliveMs: 10 },
    );
    const { answer: stream } = await started.open(callOf(3), await inSession(started));
    const chunks = stream.setEncoding('utf8')[Symbol.asyncIterator]();
    let begun = '';
    while (!begun.includes(': keepalive\n\n')) begun += (await chunks.next()).value;
    expect(begun).toMatch(/^id: \w+-1-0\nretry: 1000\ndata: \n\n: keepalive\n\n/);
    answer();
    let rest = '';
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) rest += next.value;
    expect(eventsIn(rest)).toEqual([{ jsonrpc: '2.0', id: 3, result: { content: [] } }]);
  });
});

describe('what is left to fetch', () => {
  const untouched: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['another path', {}, '/other'],
    ['a query', {}, '/mcp?profile=x'],
    ['a profile', { 'X-Service-Profile': 'x' }, '/mcp'],
    ['an Origin', { Origin: 'http://localhost' }, '/mcp'],
    ['a foreign Host', { Host: 'example.com' }, '/mcp'],
    ['another Content-Type', { 'Content-Type': 'application/json; charset=utf-8' }, '/mcp'],
    ['an Accept without streams', { Accept: 'application/json' }, '/mcp'],
  ];
  it.each(untouched)('is untouched: %s', async (_name, more, path) => {
    const started = await start(async (call) => done(call));
    const headers = await inSession(started);
    expect((await started.post(callOf(1), { ...headers, ...more }, path)).status).toBe(299);
    expect(started.left).toEqual(['untouched']);
  });

  it.each<readonly [string, unknown]>([
    ['no JSON', '{'],
    ['a batch', [callOf(1)]],
    ['another method', { jsonrpc: '2.0', id: 1, method: 'ping' }],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }],
    ['a member too many', { ...callOf(1), x: 1 }],
    ['an id of null', { ...callOf(1), id: null }],
    ['an id with a fraction', callOf(1.5)],
    ['an envelope', callOf(1, { _meta: { 'io.modelcontextprotocol/protocolVersion': legacy } })],
    ['a token of no kind', callOf(1, { _meta: { progressToken: {} } })],
    ['a state', callOf(1, { requestState: 's' })],
  ])('has its body with it: %s', async (_name, body) => {
    const started = await start(async (call) => done(call));
    const headers = await inSession(started);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    expect((await started.post(text, headers)).status).toBe(299);
    expect(started.left).toEqual([text]);
  });

  it.each<readonly [string, JsonObject, Readonly<Record<string, string>>]>([
    [
      'an envelope that the SDK has not seen',
      { 'io.modelcontextprotocol/clientInfo': { name: 'new', version: '1' } },
      {},
    ],
    ['another name in the header', {}, { 'Mcp-Name': 'other' }],
    ['another method in the header', {}, { 'Mcp-Method': 'tools/list' }],
    ['another version in the header', {}, { 'MCP-Protocol-Version': legacy }],
  ])('is a call of 2026-07-28 with %s', async (_name, meta, more) => {
    const started = await start(async (call) => done(call));
    await knownTo(started);
    const { body, headers } = modernRequest('tools/call', params, { meta });
    expect((await started.post(body, { ...headers, ...more })).status).toBe(299);
    expect(started.left).toEqual([JSON.stringify(body)]);
  });

  it('is a call whose arguments are repeated in headers', async () => {
    const started = await start(async (call) => done(call));
    await knownTo(started);
    const { body, headers } = modernRequest('tools/call', { name: 'tenant', arguments: { t: 'a' } }, {});
    expect((await started.post(body, headers)).status).toBe(299);
  });

  it('is a session of another principal, and one that does not exist', async () => {
    const started = await start(async (call) => done(call), { authToken: 'secret' });
    expect((await started.post(callOf(1), { 'Mcp-Session-Id': 'x' })).status).toBe(299);
    expect((await started.post(callOf(1), { 'Mcp-Session-Id': 'x', Authorization: 'Bearer secret' })).status).toBe(299);
    expect(started.left).toEqual(['unread', JSON.stringify(callOf(1))]);
  });
});
