// Streams of a session that break off, or are closed, and are read on (MCP 2025-11-25, streamable HTTP, resumability).
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type JsonObject, successEnvelope, unknownOutcome } from '@portico/contracts';
import type { Call, Outcome } from '@portico/control-plane';
import { afterEach, describe, expect, it } from 'vitest';
import { readEvents } from '../testing/read-events.js';
import { type FacadeInput, legacy, startFacade } from '../testing/start-facade.js';

const servers = { s: { definitions: { tools: [{ name: 'work', inputSchema: { type: 'object' } }] } } };
const file = { capabilityAliases: { work: { target: 's.work', passthrough: true } } };

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

/** A call that waits for the test to say what its server does. */
interface Waiting {
  readonly call: Call;
  progress(progress: number): void;
  answer(data?: JsonObject): void;
}

/** `sdk`: calls come by way of the SDK. `direct`: from node:http, past it. */
type Way = 'sdk' | 'direct';
const ways = ['sdk', 'direct'] as const;

async function start(way: Way, { http = {}, limits = {} }: { http?: FacadeInput['http']; limits?: object } = {}) {
  const waiting: Waiting[] = [];
  const execute = (call: Call) =>
    new Promise<Outcome>((resolve) =>
      waiting.push({
        call,
        progress: (progress) => call.client?.onProgress?.({ progress }),
        answer(data = { content: [] }) {
          const envelope = successEnvelope({ ...call.correlation, traceId: 't' }, unknownOutcome, data);
          resolve({ kind: 'answered', envelope });
        },
      }),
    );
  const started = await startFacade({ servers, file: { ...file, limits }, http, plane: () => ({ execute }) });
  const { port, closed } = await listen(started.http.serveNode);
  const open = async (revision = legacy) => {
    const { headers: given, ask } = await started.openSession();
    const headers = { ...given, 'MCP-Protocol-Version': revision };
    await ask('tools/list', {}, 100); // from then on calls go past the SDK
    const own = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
    const post = (body: string) =>
      way === 'sdk' ? started.request({ method: 'POST', body, headers: own }) : postTo(port, body, own);
    return {
      headers,
      async call(id: number): Promise<{ readonly response: Promise<Response>; readonly work: Waiting }> {
        const count = waiting.length;
        const params = { name: 'work', arguments: {}, _meta: { progressToken: id } };
        const response = post(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
        await expect.poll(() => waiting.length).toBe(count + 1);
        return { response, work: waiting[count] as Waiting };
      },
      get: (lastEventId?: string, more: Readonly<Record<string, string>> = {}) =>
        started.request({
          headers: {
            ...headers,
            Accept: 'text/event-stream',
            ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
            ...more,
          },
        }),
    };
  };
  return { ...started, open, closed };
}

async function listen(serveNode: Awaited<ReturnType<typeof startFacade>>['http']['serveNode']) {
  let closed = 0;
  const server = createServer((incoming, outgoing) => {
    outgoing.on('close', () => {
      closed += 1;
    });
    serveNode(incoming, outgoing, (_incoming, left) => left.writeHead(299).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, closed: () => closed };
}

/** The response as soon as its head is there; to cancel its body is to break the connection. */
function postTo(port: number, body: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const sent = httpRequest({ port, path: '/mcp', method: 'POST', headers: { ...headers, ...length } });
    sent.on('error', reject).on('response', (incoming) => {
      const stream = Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>; // the same, by another declaration
      resolve(new Response(stream, { headers: incoming.headers as Record<string, string> }));
    });
    sent.end(body);
  });
}

describe.each(ways)('a call by way %s', (way) => {
  it('begins its stream with an event that has an id and no data, and says when to come again', async () => {
    const { open } = await start(way);
    const { call } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    expect(await stream.begin()).toMatch(/^id: \w+-\d+-0\nretry: 1000\ndata: $/);
    expect(await stream.next()).toMatchObject({ method: 'notifications/progress', params: { progress: 1 } });
    work.answer();
    expect(await stream.next()).toMatchObject({ id: 1, result: { content: [] } });
    expect(await stream.next()).toBeUndefined();
  });

  it('goes on when its connection breaks, and its client reads what it missed and the answer', async () => {
    const { open } = await start(way);
    const { call, get } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    await stream.next();
    const seen = stream.lastEventId();
    await stream.leave();
    work.progress(2);
    expect(work.call.signal.aborted).toBe(false);
    const again = readEvents(await get(seen));
    expect(await again.next()).toMatchObject({ params: { progress: 2 } });
    work.progress(3);
    expect(await again.next()).toMatchObject({ params: { progress: 3 } });
    work.answer();
    expect(await again.next()).toMatchObject({ id: 1, result: { content: [] } });
    expect(await again.next()).toBeUndefined();
  });

  it('that ended in between is answered by the first reading, which ends', async () => {
    const { open } = await start(way);
    const { call, get } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    await stream.begin();
    await stream.leave();
    work.answer();
    const again = readEvents(await get(stream.lastEventId()));
    expect(await again.next()).toMatchObject({ params: { progress: 1 } });
    expect(await again.next()).toMatchObject({ id: 1 });
    expect(await again.next()).toBeUndefined();
  });

  it('is distinguished from another of the same session', async () => {
    const { open } = await start(way);
    const { call, get } = await open();
    const [one, two] = [await call(1), await call(2)];
    for (const { work } of [one, two]) work.progress(1);
    const streams = [readEvents(await one.response), readEvents(await two.response)] as const;
    for (const stream of streams) {
      await stream.next();
      await stream.leave();
    }
    two.work.answer();
    one.work.answer();
    for (const [index, stream] of streams.entries()) {
      const again = readEvents(await get(stream.lastEventId()));
      expect(await again.next()).toMatchObject({ id: index + 1 });
      expect(await again.next()).toBeUndefined();
    }
  });

  it('gives its stream to the connection that comes last', async () => {
    const { open } = await start(way);
    const { call, get } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const first = readEvents(await response);
    await first.next();
    const second = readEvents(await get(first.lastEventId()));
    work.answer();
    expect(await second.next()).toMatchObject({ id: 1 });
    expect(await first.next().catch(() => undefined)).toBeUndefined();
  });

  it('has its stream closed before the answer where that is set, and is polled', async () => {
    const { open } = await start(way, { http: { ssePollMs: 20 } });
    const { call, get } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    expect(await stream.next()).toMatchObject({ params: { progress: 1 } });
    expect(await stream.next()).toBeUndefined();
    const polled = readEvents(await get(stream.lastEventId()));
    expect(await polled.next()).toBeUndefined();
    expect(polled.lastEventId()).toBe(stream.lastEventId()); // for clients that know only what this connection said
    const again = readEvents(await get(polled.lastEventId()));
    work.answer();
    expect(await again.next()).toMatchObject({ id: 1 });
  });

  it('keeps the newest events of a client that is away, and refuses one that would miss older ones', async () => {
    const { open } = await start(way, { limits: { resumableEvents: 3 } });
    const { call, get } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    await stream.next();
    await stream.leave();
    for (let progress = 2; progress < 10; progress += 1) work.progress(progress);
    work.answer();
    const newest = stream.lastEventId().replace(/\d+$/, '7');
    await expect.poll(async () => (await get(newest)).status).toBe(200);
    const refused = await get(stream.lastEventId());
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: expect.stringMatching(/Last-Event-ID: .+ not all of it .+ may have been carried out/) } },
    ]);
    const again = readEvents(await get(newest));
    expect(await again.next()).toMatchObject({ params: { progress: 8 } });
    expect(await again.next()).toMatchObject({ params: { progress: 9 } });
    expect(await again.next()).toMatchObject({ id: 1, result: {} });
  });

  it('whose answer is too large to be kept says so to a client that was away, and the other gets it', async () => {
    const { open } = await start(way, { limits: { resumableBytes: 1000 } });
    const { call, get } = await open();
    const large = { content: [{ type: 'text', text: 'x'.repeat(5000) }] };
    const [away, there] = [await call(1), await call(2)];
    for (const { work } of [away, there]) work.progress(1);
    const gone = readEvents(await away.response);
    const stays = readEvents(await there.response);
    for (const stream of [gone, stays]) await stream.next();
    await gone.leave();
    for (const { work } of [away, there]) work.answer(large);
    expect(await stays.next()).toMatchObject({ id: 2, result: large });
    expect(await readEvents(await get(gone.lastEventId())).next()).toMatchObject({
      id: 1,
      error: {
        code: -32603,
        message: expect.stringMatching(/carried out, .+ no longer here: .+ limits.resumableBytes keeps/),
      },
    });
  });

  it('that is answered at once is JSON, without an id', async () => {
    const { open } = await start(way);
    const { call } = await open();
    const { response, work } = await call(1);
    work.answer();
    expect(await (await response).json()).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [] } });
  });

  it('of a client of an older revision has ids, and no event without data', async () => {
    const { open } = await start(way, { http: { ssePollMs: 20 } });
    const { call, get } = await open('2025-06-18');
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    expect(await stream.begin()).toMatch(/^event: message\nid: \w+-\d+-1\ndata: \{/);
    await stream.leave();
    work.answer();
    expect(await readEvents(await get(stream.lastEventId())).next()).toMatchObject({ id: 1 });
  });
});

describe('a session whose client is away while its call runs', () => {
  const polled = { ssePollMs: 20, maxSessions: 1 };
  const hello = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: legacy, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };

  it('is in use until the call ends, and is not ended for another', async () => {
    const { open, post, closed } = await start('direct', { http: polled });
    const { call, get } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    await stream.next();
    expect(await stream.next()).toBeUndefined();
    await expect.poll(closed).toBe(1);
    expect((await post(hello)).status).toBe(503);
    expect(work.call.signal.aborted).toBe(false);
    work.answer();
    expect(await readEvents(await get(stream.lastEventId())).next()).toMatchObject({ id: 1, result: {} });
    await expect.poll(async () => (await post(hello)).status).toBe(200);
  });

  it('gives way to another once its call was cancelled', async () => {
    const { open, post, closed } = await start('direct', { http: polled });
    const { call, headers } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    await stream.next();
    expect(await stream.next()).toBeUndefined();
    await expect.poll(closed).toBe(1);
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, headers);
    expect(work.call.signal.aborted).toBe(true);
    work.answer();
    await expect.poll(async () => (await post(hello)).status).toBe(200);
  });
});

describe('an event id', () => {
  it.each(['1', 'nothing', '00000000-1-0', '../../x', '9'.repeat(400)])(
    '%s of an unknown stream is refused',
    async (id) => {
      const { open } = await start('sdk');
      const answer = await (await open()).get(id);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('Last-Event-ID') } });
    },
  );

  it('of another session is refused, and nothing of that is shown', async () => {
    const { open } = await start('sdk');
    const [one, two] = [await open(), await open()];
    const { response, work } = await one.call(1);
    work.progress(1);
    const stream = readEvents(await response);
    await stream.next();
    await stream.leave();
    work.answer();
    expect((await two.get(stream.lastEventId())).status).toBe(400);
    expect(await readEvents(await one.get(stream.lastEventId())).next()).toMatchObject({ id: 1 });
  });

  it('of an event that is still to come is refused', async () => {
    const { open } = await start('sdk');
    const { call, get } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    await stream.next();
    expect((await get(stream.lastEventId().replace(/\d+$/, '7'))).status).toBe(400);
    work.answer();
  });

  it('does not open a session that has ended', async () => {
    const { open, send } = await start('sdk');
    const { call, get, headers } = await open();
    const { response, work } = await call(1);
    work.progress(1);
    const stream = readEvents(await response);
    await stream.next();
    await send({ method: 'DELETE', headers });
    expect((await get(stream.lastEventId())).status).toBe(404);
  });
});

describe('the stream that belongs to no request', () => {
  it('is read on from where it broke off, and one at a time', async () => {
    const { open, server, clock } = await start('sdk');
    const { get } = await open();
    const stream = readEvents(await get());
    expect(await stream.begin()).toMatch(/^id: \w+-\d+-0\nretry: 1000\ndata: $/);
    expect((await get()).status).toBe(409);
    await stream.leave();
    server('s').change({ tools: [] });
    await clock.advance(100);
    const again = readEvents(await get(stream.lastEventId()));
    expect(await again.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
    await again.leave();
    const anew = await get();
    expect(anew.status).toBe(200);
    await anew.body?.cancel();
  });

  it('is not for a client that takes no streams', async () => {
    const { open } = await start('sdk');
    const { get } = await open();
    for (const id of [undefined, '1']) expect((await get(id, { Accept: 'application/json' })).status).toBe(406);
  });
});
