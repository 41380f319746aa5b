// Tests how the client uses sockets: servers here write the bytes of their responses by hand.
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpFailure } from './failures.js';
import { textOf } from './http-body.js';
import {
  awaitResponse,
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
} from './http-client.js';
import { cleanUp, loopbackGuard, onCleanup, waitUntil } from './testing/kit.js';
import { selfSigned } from './testing/self-signed.js';

afterEach(cleanUp);

const maxBytes = 16 * 1024 * 1024;

const openClient = (options: Partial<HttpClientOptions> = {}): HttpClient => {
  const client = createHttpClient({ guard: loopbackGuard(), ...options });
  onCleanup(client.close);
  return client;
};

/** One exchange to its end: what the server answered, or the failure. */
function converse(client: HttpClient, request: HttpRequest) {
  const { response, exchange } = awaitResponse((handler) => client.send(request, handler));
  const outcome = response
    .then(async (answer) => ({ status: answer.status, text: await textOf(answer, 'the place', maxBytes) }))
    .catch((error) => error);
  return { outcome, abort: () => exchange.abort() };
}

const get = (client: HttpClient, url: URL) => converse(client, { method: 'GET', url, headers: {} }).outcome;
const post = (client: HttpClient, url: URL, body = '{}') =>
  converse(client, { method: 'POST', url, headers: { 'content-type': 'application/json' }, body }).outcome;

interface Asked {
  /** The request line and the headers. */
  readonly head: string;
  readonly body: string;
  readonly socket: Socket;
  /** How many requests this server had before. */
  readonly count: number;
  /** The server's connection that it came by, counted from 0. */
  readonly connection: number;
}

interface RawServer {
  readonly url: URL;
  readonly asked: Asked[];
  readonly open: Set<Socket>;
  /** All connections there ever were. */
  connections(): number;
  readonly server: Server;
}

/** A server that reads whole requests and leaves the answer to `answer`. */
async function listenRaw(answer: (asked: Asked) => void, host = '127.0.0.1'): Promise<RawServer> {
  const asked: Asked[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = connections;
    connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    let read = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      read += chunk;
      for (;;) {
        const end = read.indexOf('\r\n\r\n');
        if (end === -1) return;
        const length = Number(/^content-length: (\d+)/im.exec(read.slice(0, end))?.[1] ?? 0);
        if (read.length < end + 4 + length) return;
        const request = {
          head: read.slice(0, end),
          body: read.slice(end + 4, end + 4 + length),
          socket,
          count: asked.length,
          connection,
        };
        read = read.slice(end + 4 + length);
        asked.push(request);
        answer(request);
      }
    });
  }).listen(0, host);
  await once(server, 'listening');
  onCleanup(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: new URL(`http://${name}:${port}/mcp?key=1`), asked, open, connections: () => connections, server };
}

const ok = (text: string, ...headers: string[]) =>
  [`HTTP/1.1 200 OK`, `Content-Length: ${text.length}`, ...headers, '', text].join('\r\n');

/** Message of a failure, and whether the request may have been carried out. */
const failure = (message: unknown, sent: boolean) => ({
  name: 'HttpFailure',
  message,
  detail: { kind: 'unreachable', sent },
});

describe('a request', () => {
  it('has the headers that it was given, and none for encodings or programs', async () => {
    const { url, asked } = await listenRaw(({ socket }) => void socket.write(ok('')));
    await converse(openClient(), {
      method: 'POST',
      url,
      body: '"grüße"',
      headers: { 'content-type': 'application/json', 'x-key': 'value', 'content-length': '999' },
    }).outcome;

    const [first, ...lines] = (asked[0]?.head ?? '').split('\r\n');
    expect(first).toBe('POST /mcp?key=1 HTTP/1.1');
    expect(lines.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).sort()).toEqual([
      'connection: keep-alive',
      'content-length: 9',
      'content-type: application/json',
      `host: ${url.host}`,
      'x-key: value',
    ]);
    expect(Buffer.from(asked[0]?.body ?? '', 'latin1').toString()).toBe('"grüße"');
  });

  it('has no length without a body', async () => {
    const { url, asked } = await listenRaw(({ socket }) => void socket.write(ok('')));
    await get(openClient(), url);
    expect(asked[0]?.head.toLowerCase()).not.toContain('content-length');
    expect(asked[0]?.head.toLowerCase()).not.toContain('transfer-encoding');
  });

  it('keeps a configured host', async () => {
    const { url, asked } = await listenRaw(({ socket }) => void socket.write(ok('')));
    await converse(openClient(), { method: 'GET', url, headers: { host: 'other.example' } }).outcome;
    expect(asked[0]?.head.match(/^host: .*/gim)?.map((line) => line.toLowerCase())).toEqual(['host: other.example']);
  });

  it('fails when a header cannot be written', async () => {
    const { url } = await listenRaw(() => {});
    const outcome = await converse(openClient(), { method: 'GET', url, headers: { 'x-key': 'a\nb' } }).outcome;
    expect(outcome).toMatchObject(failure(expect.stringContaining(`cannot reach ${url.origin}: `), false));
  });

  const resolving =
    (...addresses: { address: string; family: 4 | 6 }[]): NonNullable<HttpClientOptions['lookup']> =>
    (_host, _options, done) =>
      done(null, addresses);
  const bothFamilies = resolving({ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 });

  it.each(['127.0.0.1', '::1'])('to a name of both families finds a server that only listens on %s', async (host) => {
    const { url } = await listenRaw(({ socket }) => void socket.write(ok('here')), host);
    const client = openClient({ lookup: bothFamilies });
    expect(await get(client, new URL(`http://localhost:${url.port}/`))).toMatchObject({ text: 'here' });
  });

  it('does not leave when its host turns out to be a metadata address', async () => {
    const { url, connections } = await listenRaw(({ socket }) => void socket.write(ok('here')));
    const addresses = [{ address: '127.0.0.1', family: 4 as const }];
    const client = openClient({ lookup: resolving(...addresses) });
    const rebound = new URL(`http://harmless.example:${url.port}/`);
    expect(await get(client, rebound)).toMatchObject({ text: 'here' });
    client.close();

    addresses.push({ address: '169.254.169.254', family: 4 });
    const next = openClient({ lookup: resolving(...addresses) });
    expect(await get(next, rebound)).toMatchObject(
      failure(
        'harmless.example is a link-local or cloud-metadata address (rule link-local); set allowPrivateMetadata: true of the server to allow it',
        false,
      ),
    );
    expect(connections()).toBe(1);
  });

  it('does not leave for a metadata address that its url names', async () => {
    const client = openClient();
    for (const host of ['169.254.169.254', '[fe80::1]']) {
      expect(await get(client, new URL(`http://${host}/`))).toMatchObject(
        failure(expect.stringContaining('is a link-local or cloud-metadata address'), false),
      );
    }
  });

  it('of megabytes arrives whole, as does the answer', async () => {
    const text = 'x'.repeat(5_000_000);
    const { url } = await listenRaw(({ socket, body }) => void socket.write(ok(body)));
    expect(await post(openClient(), url, text)).toMatchObject({ status: 200, text });
  });

  it('goes over TLS as well', async () => {
    const server = createTlsServer(selfSigned, (_request, response) => void response.end('private'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onCleanup(() => server.close());
    const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}/`);

    expect(await get(openClient(), url)).toMatchObject(
      failure(`cannot reach ${url.origin}: DEPTH_ZERO_SELF_SIGNED_CERT`, false),
    );
    const { NODE_TLS_REJECT_UNAUTHORIZED: before = '1' } = process.env;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    onCleanup(() => {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    });
    const client = openClient();
    expect(await get(client, url)).toMatchObject({ status: 200, text: 'private' });
    client.close(); // else the server would wait for its idle socket
  });
});

describe('a response', () => {
  it.each([
    {
      kind: 'of HTTP/1.0, which ends with its socket',
      bytes: 'HTTP/1.0 200 OK\r\n\r\nwhole',
      status: 200,
      text: 'whole',
    },
    {
      kind: 'without a length, which ends with its socket',
      bytes: 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwhole',
      status: 200,
      text: 'whole',
    },
    {
      kind: 'in chunks',
      bytes: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwho\r\n2\r\nle\r\n0\r\n\r\n',
      status: 200,
      text: 'whole',
    },
    {
      kind: 'in chunks, with trailers',
      bytes: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\nX-After: 1\r\n\r\n',
      status: 200,
      text: 'whole',
    },
    { kind: 'with a length', bytes: ok('whole'), status: 200, text: 'whole' },
    { kind: 'without content', bytes: 'HTTP/1.1 204 No Content\r\n\r\n', status: 204, text: '' },
    {
      kind: 'of 202 with a length of none',
      bytes: 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n',
      status: 202,
      text: '',
    },
    {
      kind: 'after early hints',
      bytes: `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok('whole')}`,
      status: 200,
      text: 'whole',
    },
  ])('$kind is read', async ({ bytes, status, text }) => {
    const { url } = await listenRaw(({ socket }) => {
      socket.write(bytes);
      if (bytes.endsWith('\r\n\r\nwhole') && !bytes.includes('Content-Length')) socket.end();
    });
    const client = openClient();
    expect(await post(client, url)).toMatchObject({ status, text });
    expect(await post(client, url)).toMatchObject({ status, text });
  });

  it('in many small pieces is read', async () => {
    const { url } = await listenRaw(async ({ socket }) => {
      socket.setNoDelay(true);
      for (const byte of ok('{"ä":1}', 'Content-Type: application/json')) {
        socket.write(byte, 'latin1');
        await sleep(0);
      }
    });
    expect(await get(openClient(), url)).toMatchObject({ status: 200 });
  });

  it('is not asked to be compressed, and is handed on as it is', async () => {
    const { url } = await listenRaw(({ socket }) => void socket.write(ok('\x1f', 'Content-Encoding: gzip')));
    expect(await get(openClient(), url)).toMatchObject({ status: 200, text: '\x1f' });
  });

  it.each([
    {
      fault: 'two lengths',
      bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc',
      reason: 'HPE_UNEXPECTED_CONTENT_LENGTH',
    },
    {
      fault: 'a length and chunks',
      bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n',
      reason: 'HPE_UNEXPECTED_CONTENT_LENGTH',
    },
    {
      fault: 'no HTTP in it',
      bytes: 'SSH-2.0-OpenSSH_9.6\r\n\r\n',
      reason: 'Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)',
    },
    {
      fault: 'a broken header',
      bytes: 'HTTP/1.1 200 OK\r\nContent Length\r\n\r\n',
      reason: 'Response does not match the HTTP/1.1 protocol (Invalid header token)',
    },
  ])('with $fault is refused', async ({ bytes, reason }) => {
    const { url, open } = await listenRaw(({ socket }) => void socket.write(bytes));
    expect(await get(openClient(), url)).toMatchObject(failure(`cannot reach ${url.origin}: ${reason}`, true));
    await waitUntil(() => open.size === 0, 'its socket is closed');
  });

  it('with headers without end is refused', async () => {
    const { url } = await listenRaw(({ socket }) => void socket.write(ok('', `X-Long: ${'x'.repeat(40_000)}`)));
    expect(await get(openClient(), url)).toMatchObject(
      failure(`cannot reach ${url.origin}: HPE_HEADER_OVERFLOW`, true),
    );
  });

  it('larger than allowed ends its socket', async () => {
    const { url, open } = await listenRaw(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const write = () => {
        if (socket.destroyed) return;
        socket.write('x'.repeat(65_536));
        setImmediate(write);
      };
      write();
    });
    expect(await get(openClient(), url)).toMatchObject(
      failure(`the place sent a message of more than ${maxBytes} bytes (a fixed limit)`, true),
    );
    await waitUntil(() => open.size === 0, 'its socket is closed');
  });
});

describe('a failed request', () => {
  it('had not left when the connection was refused', async () => {
    const { url, server } = await listenRaw(() => {});
    server.close();
    await once(server, 'close');
    for (const host of [url.hostname, 'localhost']) {
      const at = new URL(`http://${host}:${url.port}/`);
      expect(await post(openClient(), at)).toMatchObject({
        ...failure(`connection refused at ${at.origin}`, false),
        endsSession: true,
      });
    }
  });

  it('had not left when its host has no address', async () => {
    const host = `${'x'.repeat(64)}.invalid`; // no name server is asked for a part as long as this
    expect(await post(openClient(), new URL(`http://${host}/`))).toMatchObject({
      ...failure(`cannot resolve the host name ${host}`, false),
      endsSession: false,
    });
  });

  it('had not left when TLS was not agreed on', async () => {
    const { server, url } = await listenRaw(() => {});
    const at = new URL(`https://127.0.0.1:${url.port}/`);
    server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      socket.once('data', () => socket.resetAndDestroy()).on('error', () => {});
    });
    expect(await post(openClient(), at)).toMatchObject(failure(`connection to ${at.origin} was lost`, false));
    server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    expect(await post(openClient(), at)).toMatchObject(
      failure(expect.stringMatching(new RegExp(`^cannot reach ${at.origin}: [A-Z_]+$`)), false),
    );
  });

  it('had not left when the protocol is not HTTP', async () => {
    expect(await get(openClient(), new URL('ftp://127.0.0.1/'))).toMatchObject(
      failure('cannot reach ftp://127.0.0.1: cannot use ftp: addresses', false),
    );
  });

  it.each([
    { how: 'resets', end: (socket: Socket) => socket.resetAndDestroy() },
    { how: 'closes', end: (socket: Socket) => socket.end() },
  ])('may have been carried out when the server $how its socket without an answer', async ({ end }) => {
    const { url } = await listenRaw(({ socket }) => void end(socket));
    expect(await post(openClient(), url)).toMatchObject({
      ...failure(`connection to ${url.origin} was lost`, true),
      endsSession: false,
    });
  });

  it('may have been carried out when the answer breaks off in its headers', async () => {
    const { url } = await listenRaw(({ socket }) => void socket.end('HTTP/1.1 200 OK\r\nContent-Le'));
    expect(await post(openClient(), url)).toMatchObject(failure(`connection to ${url.origin} was lost`, true));
  });

  it.each([
    { kind: 'with a length', bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nha' },
    { kind: 'in chunks', bytes: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nha' },
  ])('may have been carried out when the answer $kind breaks off', async ({ bytes }) => {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const { url } = await listenRaw(
        ({ socket }) => void socket.write(bytes, () => setImmediate(() => socket[end]())),
      );
      expect(await post(openClient(), url)).toMatchObject(failure('the reply from the place broke off', true));
    }
  });
});

describe('a socket', () => {
  it('is used again', async () => {
    const { url, connections } = await listenRaw(({ socket }) => void socket.write(ok('one')));
    const client = openClient();
    for (let count = 0; count < 20; count += 1) await post(client, url);
    expect(connections()).toBe(1);
  });

  it('is not used again after an answer that closes it', async () => {
    const { url, connections } = await listenRaw(({ socket }) => void socket.end(ok('one', 'Connection: close')));
    const client = openClient();
    for (let count = 0; count < 20; count += 1) expect(await post(client, url)).toMatchObject({ text: 'one' });
    expect(connections()).toBe(20);
  });

  it('carries one request at a time', async () => {
    const { url, asked, connections } = await listenRaw(() => {});
    const client = openClient();
    const waiting = Array.from({ length: 200 }, () => post(client, url));
    await waitUntil(() => asked.length === 200, 'all are there');
    expect(connections()).toBe(200);
    for (const { socket } of asked) socket.write(ok('done'));
    expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ text: 'done' })));
  });

  it('that the server has closed while it was idle is not used', async () => {
    const { url, open } = await listenRaw(({ socket }) => void socket.write(ok('one')));
    const client = openClient();
    expect(await post(client, url)).toMatchObject({ text: 'one' });
    for (const socket of open) socket.end();
    await waitUntil(() => open.size === 0, 'it is closed');
    expect(await post(client, url)).toMatchObject({ text: 'one' });
  });

  it('that breaks under a request leaves it unknown whether that was carried out, and ends the idle ones', async () => {
    const { url, asked, open, connections } = await listenRaw(({ socket, body }) => {
      if (body === '"break"') socket.resetAndDestroy();
      else if (body !== '"hold"') socket.write(ok('one'));
    });
    const client = openClient();
    const held = [post(client, url, '"hold"'), post(client, url, '"hold"'), post(client, url, '"hold"')];
    await waitUntil(() => asked.length === 3, 'three sockets are open');
    for (const { socket } of asked) socket.write(ok('one'));
    await Promise.all(held);

    expect(await post(client, url, '"break"')).toMatchObject(failure(`connection to ${url.origin} was lost`, true));
    await waitUntil(() => open.size === 0, 'the idle ones are closed as well');
    expect(await post(client, url)).toMatchObject({ text: 'one' });
    expect(connections()).toBe(4);
  });

  it('is closed when it was idle for long', async () => {
    const { url, open } = await listenRaw(({ socket }) => void socket.write(ok('one')));
    await post(openClient({ idleSocketMs: 50 }), url);
    await waitUntil(() => open.size === 0, 'it is closed');
  });

  it('is closed before the server would close it', async () => {
    const { url, open } = await listenRaw(
      ({ socket }) => void socket.write(ok('one', 'Connection: keep-alive', 'Keep-Alive: timeout=2')),
    );
    await post(openClient({ idleSocketMs: 600_000 }), url);
    await waitUntil(() => open.size === 0, 'it is closed');
  });

  it('is closed with the client, also while a request is under way', async () => {
    const { url, open, asked } = await listenRaw(({ socket, count }) => void (count === 0 && socket.write(ok('one'))));
    const client = openClient();
    await post(client, url);
    const waiting = [post(client, url), post(client, url)];
    await waitUntil(() => asked.length === 3, 'both are there');
    client.close();
    for (const outcome of waiting) expect(await outcome).toMatchObject(failure(expect.any(String), true));
    await waitUntil(() => open.size === 0, 'all are closed');
  });
});

describe('an aborted request', () => {
  it('does not leave when it is aborted before its socket is connected', async () => {
    const { url, asked, open, connections } = await listenRaw(({ socket }) => void socket.write(ok('one')));
    const client = openClient();
    const { outcome, abort } = converse(client, { method: 'POST', url, headers: {}, body: '{}' });
    abort();

    expect(await outcome).toMatchObject(failure(`connection to ${url.origin} was lost`, false));
    expect(await post(client, url)).toMatchObject({ text: 'one' });
    expect(asked).toHaveLength(1);
    await waitUntil(() => open.size <= 1, 'its socket is closed');
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it('ends its socket before the headers, and leaves the idle ones alone', async () => {
    const { url, asked, open } = await listenRaw(({ socket, body }) => {
      if (body === '"answer"') socket.write(ok('one'));
    });
    const client = openClient();
    const { outcome, abort } = converse(client, { method: 'POST', url, headers: {}, body: '"wait"' });
    await waitUntil(() => asked.length === 1, 'it is there');
    await post(client, url, '"answer"');
    abort();
    abort();

    expect(await outcome).toMatchObject(failure(`connection to ${url.origin} was lost`, true));
    await waitUntil(() => open.size === 1, 'its socket is closed');
    expect(await post(client, url, '"answer"')).toMatchObject({ text: 'one' });
    expect(asked.at(-1)?.connection).toBe(1);
  });

  it('ends its socket within the body', async () => {
    const { url, asked, open } = await listenRaw(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n');
    });
    const { outcome, abort } = converse(openClient(), { method: 'GET', url, headers: {} });
    await waitUntil(() => asked.length === 1, 'it is there');
    await sleep(20);
    abort();

    expect(await outcome).toMatchObject(failure(expect.any(String), true));
    await waitUntil(() => open.size === 0, 'its socket is closed');
  });

  it('has no effect after its end', async () => {
    const { url, asked } = await listenRaw(({ socket }) => void socket.write(ok('one')));
    const client = openClient();
    const { outcome, abort } = converse(client, { method: 'GET', url, headers: {} });
    expect(await outcome).toMatchObject({ text: 'one' });
    abort();
    expect(await get(client, url)).toMatchObject({ text: 'one' });
    expect(asked).toHaveLength(2);
  });
});

describe('requests that are aborted together', () => {
  it('all fail, and their sockets are closed', async () => {
    const { url, asked, open } = await listenRaw(({ socket, count }) => {
      if (count === 1) socket.write('HTTP/1.1 200 OK\r\n\r\nhalf');
    });
    const client = openClient();
    const outcomes = [post(client, url), post(client, url), post(client, url)];
    await waitUntil(() => asked.length === 3, 'all are there');
    const late = post(client, url);
    client.abortAll();

    for (const outcome of outcomes) expect(await outcome).toMatchObject(failure(expect.any(String), true));
    expect(await late).toMatchObject(failure(`connection to ${url.origin} was lost`, false));
    await waitUntil(() => open.size === 0, 'their sockets are closed');
  });

  it('include those that wait for one of 2048 sockets, and the client is as before', async () => {
    const { url, asked } = await listenRaw(({ socket, body }) => void (body === '"answer"' && socket.write(ok('one'))));
    const client = openClient();
    const outcomes = Array.from({ length: 2_060 }, () => post(client, url));
    await waitUntil(() => asked.length === 2_048, 'as many as there may be have arrived');
    asked[0]?.socket.write(ok('first'));
    await waitUntil(() => asked.length === 2_049, 'the next one has its socket');
    client.abortAll();

    const ends = await Promise.all(outcomes);
    expect(ends.filter((end) => !(end instanceof Error))).toMatchObject([{ text: 'first' }]);
    expect(
      ends.filter((end) => end instanceof HttpFailure && end.detail.kind === 'unreachable' && end.detail.sent),
    ).toHaveLength(2_048);
    expect(await post(client, url, '"answer"')).toMatchObject({ text: 'one' });
  });
});

describe('a redirect', () => {
  const redirect = (status: number, location: string) =>
    `HTTP/1.1 ${status} Moved\r\nLocation: ${location}\r\nContent-Length: 4\r\n\r\ngone`;

  it.each([307, 308])('of status %i within the origin is followed with method and body', async (status) => {
    const { url, asked } = await listenRaw(({ socket, count }) => {
      socket.write(count === 0 ? redirect(status, '/new?a=1') : ok('here'));
    });
    expect(await post(openClient(), url, '"body"')).toMatchObject({ status: 200, text: 'here' });
    expect(asked.map(({ head, body }) => [head.split(' HTTP')[0], body])).toEqual([
      ['POST /mcp?key=1', '"body"'],
      ['POST /new?a=1', '"body"'],
    ]);
  });

  it.each([301, 302, 303])('of status %i is followed for a GET and refused for a POST', async (status) => {
    const { url } = await listenRaw(({ socket, head }) => {
      socket.write(head.includes(' /new ') ? ok('here') : redirect(status, '/new'));
    });
    expect(await get(openClient(), url)).toMatchObject({ status: 200, text: 'here' });
    expect(await post(openClient(), url)).toMatchObject(
      failure(`${url.origin}/mcp redirects to ${url.origin}/new; set that as the url if it is the right server`, false),
    );
  });

  it('to another origin is refused', async () => {
    const { url } = await listenRaw(({ socket }) => void socket.write(redirect(307, 'http://other.invalid/mcp?key=2')));
    expect(await post(openClient(), url)).toMatchObject(
      failure(
        `${url.origin}/mcp redirects to http://other.invalid/mcp; set that as the url if it is the right server`,
        false,
      ),
    );
  });

  it('is followed three times', async () => {
    const { url, asked } = await listenRaw(({ socket }) => void socket.write(redirect(307, '/again')));
    expect(await get(openClient(), url)).toMatchObject(
      failure(expect.stringContaining(`${url.origin}/again redirects to ${url.origin}/again`), false),
    );
    expect(asked).toHaveLength(4);
  });

  it('without a target is a response as any other', async () => {
    const { url } = await listenRaw(({ socket, count }) => {
      socket.write(count === 0 ? redirect(307, 'http://[') : 'HTTP/1.1 304 Not Modified\r\n\r\n');
    });
    const client = openClient();
    expect(await get(client, url)).toMatchObject({ status: 307, text: 'gone' });
    expect(await get(client, url)).toMatchObject({ status: 304, text: '' });
  });
});

/** The close of a connection, as its server sees it. */
function closing() {
  let onClose = () => {};
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  return { closed, onClose };
}

describe('a response that is not read yet', () => {
  it('is taken in only as far as it is kept', async () => {
    let written = 0;
    const { closed, onClose } = closing();
    const { url } = await listenRaw(({ socket }) => {
      socket.once('close', onClose);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 209715200\r\n\r\n');
      const write = () => {
        while (written < 200 && socket.write('x'.repeat(1_048_576))) written += 1;
        if (written < 200) socket.once('drain', write);
      };
      write();
    });
    const client = openClient();
    const { response } = awaitResponse((handler) => client.send({ method: 'GET', url, headers: {} }, handler));
    await response;
    await closed; // more has come than is kept
    expect(written).toBeLessThan(200);
  });
});

describe('a body that is not read yet', () => {
  /** The response to a request that is answered with `bytes`. */
  async function respond(bytes: string | Buffer, after: (socket: Socket) => void = () => {}) {
    const { url } = await listenRaw(({ socket }) => void socket.write(bytes, () => after(socket)));
    return awaitResponse((handler) => openClient().send({ method: 'GET', url, headers: {} }, handler)).response;
  }

  it('is there when it is read, though it came long before', async () => {
    const answer = await respond('HTTP/1.1 401 No\r\nContent-Length: 4\r\n\r\nbody');
    await sleep(50);
    expect(await textOf(answer, 'the place', maxBytes)).toBe('body');
  });

  it.each([
    ['is whole', 'Content-Length: 2\r\n\r\n{}'],
    ['is not', 'Content-Length: 20\r\n\r\n{}'],
    ['ends with the connection', '\r\n{}'],
  ])('outlives a reset of its connection when it %s', async (_how, rest) => {
    const answer = await respond(`HTTP/1.1 401 No\r\nConnection: close\r\n${rest}`, (socket) => {
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
    await sleep(100);
    const text = await textOf(answer, 'the place', maxBytes).catch((error) => error);
    if (text instanceof HttpFailure) expect(text.message).toBe('the reply from the place broke off');
    else expect(text).toBe('{}');
  });

  it('is not read where it was too large, before or after', async () => {
    const small = await respond('HTTP/1.1 401 No\r\nContent-Length: 4\r\n\r\nbody');
    await sleep(50);
    await expect(textOf(small, 'the place', 3)).rejects.toThrow(
      'the place sent a message of more than 3 bytes (a fixed limit)',
    );
    const much = Buffer.alloc(4 * 1024 * 1024, 'x');
    const head = Buffer.from(`HTTP/1.1 401 No\r\nContent-Length: ${much.length}\r\n\r\n`);
    const { closed, onClose } = closing();
    const { url } = await listenRaw(({ socket }) => {
      socket.once('close', onClose);
      socket.write(Buffer.concat([head, much]));
    });
    const { response } = awaitResponse((handler) => openClient().send({ method: 'GET', url, headers: {} }, handler));
    const large = await response;
    await closed; // more has come than is kept
    await expect(textOf(large, 'the place', maxBytes)).rejects.toThrow('the reply from the place broke off');
  });
});

it('says so where a server sends "100 Continue" that nothing had asked for', async () => {
  const { url } = await listenRaw(({ socket }) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  });
  expect(await get(openClient(), url)).toMatchObject({
    message: `${url.origin} sent "100 Continue" without being asked to`,
    detail: { sent: true },
  });
});
