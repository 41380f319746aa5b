// Tests which requests are served straight from node:http, and that those answers equal Hono's.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { AnswerHeads } from './answer-heads.js';
import type { Answer, Exchange, ExchangeRoute, HeaderRecord } from './exchange.js';
import { createNodeKernel } from './node-kernel.js';
import type { Serve } from './serve.js';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

const serveAtOnce: Serve = (x, handle, id) => handle(x, id);
const noLog = () => {};

/** A server whose other requests are answered `left`. */
async function listen(
  routes: readonly ExchangeRoute[],
  log: (...line: unknown[]) => void = noLog,
  serve: Serve = serveAtOnce,
) {
  const serveNode = createNodeKernel(routes, serve, log);
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!serveNode(incoming, outgoing)) outgoing.end('left');
  };
  const server = createServer({ requireHostHeader: false }, onRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closings.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const open = () => connect(port, '127.0.0.1');
  const ask = async (text: string): Promise<string> => {
    const socket = open();
    let received = '';
    socket.setEncoding('utf8').on('data', (part) => {
      received += part;
    });
    socket.end(text);
    await once(socket, 'close');
    return received.slice(received.indexOf('\r\n\r\n') + 4);
  };
  return { open, ask };
}

function answer(body: string): Answer {
  return { status: 200, headers: {}, body };
}

/** Something that happens once, and those who wait for it. */
function moment() {
  let signal = () => {};
  const seen = new Promise<void>((resolve) => {
    signal = resolve;
  });
  return { seen, signal: () => signal() };
}

const routes: readonly ExchangeRoute[] = [
  { method: 'GET', path: '/v1/list', handle: (x) => answer(`list ${x.path}`) },
  { method: 'GET', path: '/v1/things/{id}', handle: (_x, id) => answer(`thing ${id}`) },
  { method: 'POST', path: '/v1/things/{id}/end', handle: (_x, id) => answer(`end ${id}`) },
];

const head = (line: string, ...lines: readonly string[]) =>
  [line, 'Host: 127.0.0.1:9090', 'Connection: close', ...lines, '', ''].join('\r\n');

describe('the kernel', () => {
  it.each([
    ['GET /v1/list HTTP/1.1', 'list /v1/list'],
    ['GET /v1/things/a.b-c_1 HTTP/1.1', 'thing a.b-c_1'],
    ['POST /v1/things/a/end HTTP/1.1', 'end a'],
    ['GET /v1/list HTTP/1.0', 'list /v1/list'],
  ])('takes %s', async (line, body) => {
    expect(await (await listen(routes)).ask(head(line))).toBe(body);
  });

  it.each([
    'HEAD /v1/other HTTP/1.1',
    'DELETE /v1/list HTTP/1.1',
    'POST /v1/list HTTP/1.1',
    'GET /v1/list? HTTP/1.1',
    'GET /v1/list?a=b HTTP/1.1',
    'GET /v1/list#a HTTP/1.1',
    'GET /v1/list/ HTTP/1.1',
    'GET /v1/%6cist HTTP/1.1',
    'GET http://127.0.0.1:9090/v1/list HTTP/1.1',
    'GET /v1/things/a%2Eb HTTP/1.1',
    'GET /v1/things/a/b HTTP/1.1',
    'GET /v1/things/.. HTTP/1.1',
    'GET /v1/things/ HTTP/1.1',
    'OPTIONS * HTTP/1.1',
  ])('leaves %s', async (line) => {
    const body = line.startsWith('HEAD') ? '' : 'left';
    expect(await (await listen(routes)).ask(head(line))).toBe(body);
  });

  it.each([
    ['two of one header', ['X-Request-ID: a', 'X-Request-ID: b']],
    ['two hosts', ['Host: 127.0.0.1:9090']],
    ['two that Node drops the second of', ['Authorization: a', 'Authorization: b']],
    ['one that no object can have', ['__proto__: a']],
  ])('leaves a request with %s', async (_what, lines) => {
    expect(await (await listen(routes)).ask(head('GET /v1/list HTTP/1.1', ...lines))).toBe('left');
  });

  it.each(['', 'a b', '127.1', '127.0.0.1:99999', '127.0.0.1:80', 'LOCALHOST', 'a@b', 'a/b', '999.1.1.1', 'xn--'])(
    'leaves a request to the host %j',
    async (host) => {
      const text = `GET /v1/list HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(await (await listen(routes)).ask(text)).toBe('left');
    },
  );

  it.each(['localhost', 'localhost:9090', '[::1]:9090', '127.0.0.1:60123', 'evil.example'])(
    'takes a request to the host %s, whose route it is to refuse',
    async (host) => {
      const text = `GET /v1/list HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const { ask } = await listen(routes);
      expect([await ask(text), await ask(text)]).toEqual(['list /v1/list', 'list /v1/list']);
    },
  );

  it('closes the connection of an answer that cannot be written, and logs it', async () => {
    const log: unknown[][] = [];
    const broken: ExchangeRoute = {
      method: 'GET',
      path: '/v1/list',
      handle: () => ({ status: 200, headers: { 'X-Other': 'a\nb' }, body: '' }),
    };
    const { ask } = await listen([broken], (...line) => log.push(line));
    expect(await ask(head('GET /v1/list HTTP/1.1'))).toBe('');
    expect(log).toEqual([['error', 'an answer could not be written', { error: expect.any(TypeError) }]]);
  });

  const failing: [string, () => ReturnType<Serve>][] = [
    [
      'throws',
      () => {
        throw new RangeError('no end');
      },
    ],
    ['rejects', () => Promise.reject(new RangeError('no end'))],
  ];

  it.each(failing)('closes the connection of a request whose span %s at its end, and logs it', async (_how, fail) => {
    const log: unknown[][] = [];
    const list: ExchangeRoute = {
      method: 'GET',
      path: '/v1/list',
      handle: () => ({ status: 200, headers: {}, body: '' }),
    };
    const { ask } = await listen([list], (...line) => log.push(line), fail);
    expect(await ask(head('GET /v1/list HTTP/1.1'))).toBe('');
    expect(log).toEqual([['error', 'an answer could not be written', { error: expect.any(RangeError) }]]);
  });
});

describe('a body', () => {
  const path = '/v1/things';
  const post = (...lines: readonly string[]) => head(`POST ${path} HTTP/1.1`, ...lines);
  const reading = (before: (x: Exchange) => Promise<unknown> = async () => {}): ExchangeRoute => ({
    method: 'POST',
    path,
    async handle(x) {
      await before(x);
      const [bytes, again] = [await x.bytes(), await x.bytes()];
      return answer(`${Buffer.from(bytes).toString()} ${bytes === again}`);
    },
  });

  it.each<[string, string, string]>([
    ['with its length', `${post('Content-Length: 3')}abc`, 'abc true'],
    ['in chunks', `${post('Transfer-Encoding: chunked')}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n`, 'abc true'],
    ['that is empty', post('Content-Length: 0'), ' true'],
    ['that is none', post(), ' true'],
  ])('%s is read once', async (_what, text, body) => {
    expect(await (await listen([reading()])).ask(text)).toBe(body);
  });

  it('is read whole where it comes in pieces', async () => {
    const asked = moment();
    const { open } = await listen([reading(async () => asked.signal())]);
    const socket = open().setEncoding('utf8');
    socket.write(`${post('Content-Length: 6')}abc`);
    await asked.seen;
    socket.write('def');
    const [received] = (await once(socket, 'data')) as [string];
    expect(received.endsWith('\r\n\r\nabcdef true')).toBe(true);
  });

  it('that has arrived is read though its caller has left in the meantime', async () => {
    const [left, asked] = [moment(), moment()];
    const results: unknown[] = [];
    const route: ExchangeRoute = {
      method: 'POST',
      path,
      async handle(x) {
        const signal = x.abandonSignal();
        signal.addEventListener('abort', () => left.signal());
        asked.signal();
        await left.seen;
        await nextTurn();
        results.push(Buffer.from(await x.bytes()).toString(), signal.aborted, x.abandonSignal().aborted);
        return answer('late');
      },
    };
    const { open } = await listen([route]);
    const socket = open();
    socket.write(`${post('Content-Length: 3')}abc`);
    await asked.seen;
    socket.destroy();
    await expect.poll(() => results).toEqual(['abc', true, true]);
  });

  it.each([
    ['before it is asked for', true],
    ['while it is waited for', false],
  ])('whose caller leaves %s is no body', async (_what, isBefore) => {
    const results: unknown[] = [];
    const asked = moment();
    const route: ExchangeRoute = {
      method: 'POST',
      path,
      async handle(x) {
        const left = new Promise<void>((resolve) => x.abandonSignal().addEventListener('abort', () => resolve()));
        if (isBefore) {
          asked.signal();
          await left;
          await nextTurn();
        }
        const read = Promise.resolve(x.bytes()).catch((error: unknown) => results.push(error));
        if (!isBefore) asked.signal();
        await read;
        return answer('late');
      },
    };
    const { open } = await listen([route]);
    const socket = open();
    socket.write(`${post('Content-Length: 6')}abc`);
    await asked.seen;
    socket.destroy();
    await expect.poll(() => results).toMatchObject([{ code: 'OPERATION_CANCELLED' }]);
  });
});

it.each(['GET /v1/list', 'POST /v1/things/a/end'])(
  '%s with a body without end has its connection closed',
  async (line) => {
    const { open } = await listen(routes);
    const socket = open();
    const more = setInterval(() => socket.write('1\r\nx\r\n'), 50);
    socket.on('error', () => {}); // a write after the close
    socket.write(`${line} HTTP/1.1\r\nHost: 127.0.0.1:9090\r\nTransfer-Encoding: chunked\r\n\r\n`);
    socket.resume();
    await once(socket, 'close');
    clearInterval(more);
  },
);

describe('heads of answers', () => {
  const shared = Object.freeze({ 'X-Shared': 'yes', 'Content-Type': 'text/plain' });
  const bodies = ['first', 'the second', 'grüße, and the third', '', 'x'.repeat(100_000)];
  const say = (headers: HeaderRecord): ExchangeRoute => ({
    method: 'POST',
    path: '/v1/say',
    handle: async (x) => ({ status: 200, headers, body: new TextDecoder().decode(await x.bytes()) }),
  });
  const request = (body: string, ...lines: readonly string[]) =>
    [
      'POST /v1/say HTTP/1.1',
      'Host: 127.0.0.1:9090',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...lines,
      '',
      body,
    ].join('\r\n');

  /** The raw answers to requests over one connection, each sent when the one before it was answered. */
  async function answersOver(headers: HeaderRecord, requests: readonly string[], route = say) {
    const socket = (await listen([route(headers)])).open().setEncoding('utf8');
    const answers: string[] = [];
    let received = '';
    const isWhole = () => {
      const length = /^Content-Length: (\d+)\r\n/m.exec(received)?.[1] ?? 0;
      const at = received.indexOf('\r\n\r\n');
      return at !== -1 && Buffer.byteLength(received.slice(at + 4)) >= Number(length);
    };
    for (const text of requests) {
      socket.write(text);
      while (!isWhole()) received += (await once(socket, 'data'))[0];
      answers.push(received);
      received = '';
    }
    socket.destroy();
    return answers;
  }

  const datesOf = (answers: readonly string[]) =>
    answers.map((text) => Date.parse(/^Date: (.*)$/m.exec(text)?.[1] ?? ''));
  const undated = (text: string) => text.replace(/^Date: .*$/m, 'Date');

  it('are what Node writes, whether their headers are shared or not', async () => {
    const requests = bodies.map((body) => request(body));
    const before = Date.now() - 1000;
    const answers = await answersOver(shared, requests);
    expect(answers.map(undated)).toEqual((await answersOver({ ...shared }, requests)).map(undated));
    for (const [at, body] of bodies.entries()) expect(answers[at]?.endsWith(`\r\n\r\n${body}`)).toBe(true);
    for (const date of datesOf(answers)) expect(date).toBeGreaterThan(before);
  });

  it('of a 304 are what Node writes, and say nothing of a body', async () => {
    const unchanged = (headers: HeaderRecord): ExchangeRoute => ({
      ...say(headers),
      handle: () => ({ status: 304, headers, body: null }),
    });
    const requests = Array<string>(3).fill(request(''));
    const answers = await answersOver(shared, requests, unchanged);
    expect(answers.map(undated)).toEqual((await answersOver({ ...shared }, requests, unchanged)).map(undated));
    for (const text of answers) {
      expect(text).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n[\s\S]*\r\nConnection: keep-alive\r\n[\s\S]*\r\n\r\n$/);
      expect(text).not.toMatch(/Content-Length|Transfer-Encoding/);
    }
  });

  it('say that the connection is closed where the caller wants that, after others that did not', async () => {
    const last = request('bye', 'Connection: close');
    const answers = await answersOver(shared, [request('a'), request('b'), last]);
    expect(answers.map((text) => /^Connection: (.*)$/m.exec(text)?.[1])).toEqual(['keep-alive', 'keep-alive', 'close']);
  });

  it('have no header that was set for another answer, and are written once', async () => {
    const heads = new AnswerHeads();
    const refused: unknown[] = [];
    const server = createServer((incoming, outgoing) => {
      if (incoming.url === '/first') outgoing.setHeader('Set-Cookie', 'secret');
      heads.write(outgoing, 200, shared, 2);
      try {
        heads.write(outgoing, 200, shared, 2);
      } catch (error) {
        refused.push(error);
      }
      outgoing.end('ok');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a TCP server has one
    const cookies: unknown[] = [];
    for (const path of ['/first', '/second', '/third']) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      cookies.push([response.headers.get('set-cookie'), await response.text()]);
    }
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(cookies).toEqual([
      ['secret', 'ok'],
      [null, 'ok'],
      [null, 'ok'],
    ]);
    expect(refused).toMatchObject(Array(3).fill({ code: 'ERR_HTTP_HEADERS_SENT' }));
  });

  it('follow an interim 100 where the caller waits for it', async () => {
    const socket = (await listen([say(shared)])).open().setEncoding('utf8');
    let received = '';
    socket.on('data', (part) => {
      received += part;
    });
    const [lines = '', body = ''] = request('later', 'Expect: 100-continue', 'Connection: close').split('\r\n\r\n');
    socket.write(`${lines}\r\n\r\n`);
    await once(socket, 'data');
    expect(received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    await once(socket, 'close');
    expect(received).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n[\s\S]*\r\n\r\nlater$/);
  });
});
