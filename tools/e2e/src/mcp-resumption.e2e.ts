// Streams of sessions over real connections: broken off, closed by the server, polled and read on, by the official clients,
// by Portico itself as a client, and by clients that mean no good (MCP 2025-11-25, streamable HTTP, resumability).
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Client as V2Client, StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { onCleanup } from './support/cleanup.js';
import { startDaemon } from './support/daemon.js';
import { callOf, hello, initialized, startMcpHttp } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const passedThrough = { held: { target: 's.held', passthrough: true } };
/** Streams begin at once, and are closed soon. */
const polled = { port: 0, sseKeepAliveMs: 20, ssePollMs: 30 };

async function start(more: object = {}, listener: object = {}) {
  const upstream = scripted({ tools: [tool('held')] });
  const { url } = await startMcpHttp({
    mcpServers: { s: upstream.server },
    capabilityAliases: passedThrough,
    mcpHttpServer: { port: 0, sseKeepAliveMs: 20, ...listener },
    toolTimeoutMs: 60_000,
    ...more,
  });
  return { upstream, url };
}

/** A connection that sends one request, and what came back so far. */
interface Opened {
  readonly sent: ClientRequest;
  readonly response: IncomingMessage;
  readonly text: () => string;
  /** Resolves with all of it. */
  readonly whole: Promise<string>;
  /** The id of the last event. */
  readonly eventId: () => string;
}

interface Sent {
  readonly method?: 'POST' | 'GET';
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether what comes is read. */
  readonly isRead?: boolean;
}

async function open(url: string, { method = 'POST', body, headers = {}, isRead = true }: Sent): Promise<Opened> {
  const sent = request(url, {
    method,
    agent: false,
    headers: {
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  sent.on('error', () => {}); // it may be broken off
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  onCleanup(() => void sent.destroy());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  response.on('error', () => {});
  const whole = new Promise<string>((resolve) => response.on('end', () => resolve(text)));
  if (isRead)
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  return {
    sent,
    response,
    whole,
    text: () => text,
    eventId: () => [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '',
  };
}

async function openSession(url: string, more: Readonly<Record<string, string>> = {}) {
  const { response } = await open(url, { body: hello(0), headers: more });
  const id = String(response.headers['mcp-session-id']);
  const headers = { ...more, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
  await open(url, { body: initialized, headers });
  const isListed = async () => {
    const { whole } = await open(url, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers });
    expect(await whole).toContain('"held"');
  };
  await eventually(isListed);
  return headers;
}

const official = {
  'the client of @modelcontextprotocol/sdk': async (url: string, fetch: typeof globalThis.fetch) => {
    const client = new V1Client({ name: 'polling', version: '1' });
    await client.connect(new V1Transport(new URL(url), { fetch }) as Parameters<V1Client['connect']>[0]); // its own type is not exact
    onCleanup(() => client.close());
    return (args: Readonly<Record<string, unknown>>) => client.callTool({ name: 'held', arguments: args });
  },
  'the client of @modelcontextprotocol/client': async (url: string, fetch: typeof globalThis.fetch) => {
    const client = new V2Client({ name: 'polling', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(new V2Transport(new URL(url), { fetch }));
    onCleanup(() => client.close());
    return (args: Readonly<Record<string, unknown>>) => client.callTool({ name: 'held', arguments: args });
  },
} as const;

describe('a call whose stream is closed before the answer', () => {
  it.each(Object.entries(official))('is polled to its end by %s', async (_name, connect) => {
    const { upstream, url } = await start({}, polled);
    await openSession(url); // the tool is there
    let polls = 0;
    const call = await connect(url, async (input, init) => {
      if (new Headers(init?.headers).has('last-event-id')) polls += 1;
      return fetch(input, init);
    });
    const answered = call({ by: 'a' });
    await eventually(() => expect(polls).toBeGreaterThanOrEqual(2));
    expect(upstream.received('notifications/cancelled')).toEqual([]);
    upstream.release('a');
    expect(await answered).toMatchObject({ content: [{ type: 'text' }] });
  });

  it('is polled to its end by Portico as a client', async () => {
    const { upstream, url } = await start({}, polled);
    await openSession(url);
    const daemon = await startDaemon({
      mcpServers: { other: { url, protocolVersion: '2025-11-25' } },
      toolTimeoutMs: 60_000,
    });
    await daemon.connected();
    const args = { by: 'a' };
    const answered = daemon.post<Envelope>('/v1/tools/call', { capability_id: 'other.held', args });
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    upstream.release('a');
    expect((await answered).body).toMatchObject({ ok: true, data: { content: [{ type: 'text' }] } });
    expect(upstream.received('tools/call')).toHaveLength(1);
  });
});

describe('a call whose connection breaks', () => {
  it.each([true, false])(
    'goes on, and its answer is read by its event id (JSON where it can be: %s)',
    async (jsonResponse) => {
      const { upstream, url } = await start({}, { jsonResponse });
      const headers = await openSession(url);
      const call = await open(url, { body: callOf(7, 'held', { by: 'a' }), headers });
      await eventually(() => expect(call.eventId()).not.toBe(''));
      expect(call.text()).toMatch(/^id: \S+\nretry: \d+\ndata: \n\n/);
      call.sent.destroy();
      await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
      upstream.release('a');
      const again = { method: 'GET', headers: { ...headers, 'last-event-id': call.eventId() } } as const;
      const { whole } = await open(url, again);
      expect(await whole).toMatch(/data: \{"result":.*"id":7\}|data: \{.*"id":7.*"result"/);
      expect(upstream.received('notifications/cancelled')).toEqual([]);
      expect(upstream.received('tools/call')).toHaveLength(1);
    },
  );

  it('is still cancelled by the notification that says so', async () => {
    const { upstream, url } = await start();
    const headers = await openSession(url);
    const call = await open(url, { body: callOf(7, 'held', { by: 'a' }), headers });
    await eventually(() => expect(call.eventId()).not.toBe(''));
    call.sent.destroy();
    const params = { requestId: 7, reason: 'enough' };
    await open(url, { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params }, headers });
    await eventually(() => expect(upstream.received('notifications/cancelled')).toHaveLength(1));
  });
});

describe('an event id', () => {
  const rbac = {
    roles: { user: { allow: ['*'] } },
    tokens: ['ann', 'bob'].map((who) => ({ role: 'user', actorId: who, token: `${who}-token` })),
  };
  const as = (who: string) => ({ authorization: `Bearer ${who}-token` });

  it('of one principal opens nothing to another, with the session of either', async () => {
    const { upstream, url } = await start({ rbac });
    const [ann, bob] = [await openSession(url, as('ann')), await openSession(url, as('bob'))];
    const call = await open(url, { body: callOf(7, 'held', { by: 'a' }), headers: ann });
    await eventually(() => expect(call.eventId()).not.toBe(''));
    call.sent.destroy();
    upstream.release('a');
    const read = (headers: Readonly<Record<string, string>>) =>
      open(url, { method: 'GET', headers: { ...headers, 'last-event-id': call.eventId() } });
    expect((await read(bob)).response.statusCode).toBe(400);
    expect((await read({ ...ann, ...as('bob') })).response.statusCode).toBe(404);
    expect(await (await read(ann)).whole).toContain('"id":7');
  });
});

describe('a client that comes again and again and never reads', () => {
  it('has one connection to each stream, and all others are served', async () => {
    const { upstream, url } = await start({ limits: { streams: 20 } });
    const headers = await openSession(url);
    const call = await open(url, { body: callOf(7, 'held', { by: 'a' }), headers });
    await eventually(() => expect(call.eventId()).not.toBe(''));
    const unread: Opened[] = [];
    const again = { method: 'GET', headers: { ...headers, 'last-event-id': call.eventId() }, isRead: false } as const;
    for (let count = 0; count < 100; count += 1) unread.push(await open(url, again));
    // Each takes the place of the one before; none of them is refused for streams that are open still.
    expect(new Set(unread.map(({ response }) => response.statusCode))).toEqual(new Set([200]));
    upstream.release('a');
    const other = await openSession(url);
    const { text } = await open(url, { body: callOf(1, 'held', { by: 'a' }), headers: other });
    await eventually(() => expect(text()).toContain('"id":1'));
  });
});
