// The limits of the transports themselves, with limits small enough to reach.
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from './http-client.js';
import { createHttpTransport } from './http-transport.js';
import { openSseTransport } from './sse-transport.js';
import { openStdioTransport } from './stdio-transport.js';
import { cleanUp, isRunning, loopbackGuard, node, onCleanup, patience, waitUntil } from './testing/kit.js';
import type { RpcMessage } from './wire.js';

afterEach(cleanUp);

function recordTransport() {
  const messages: RpcMessage[] = [];
  let resolveClosed: (reason: string) => void = () => {};
  const closed = new Promise<string>((resolve) => {
    resolveClosed = resolve;
  });
  const logs: string[] = [];
  const onLog = (line: string) => logs.push(line);
  const events = { onMessage: (message: RpcMessage) => messages.push(message), onGap() {}, onLog };
  return { ...events, messages, logs, closed, onClosed: resolveClosed };
}

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** This process stands still, as on a machine that is busy. */
const halt = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Whether the system still has it, if only because its exit status was not read yet. */
function isKnown(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const startChild = (script: string, events: ReturnType<typeof recordTransport>, maxBytes = 1_000) => {
  const command = { command: node, args: ['-e', script], env: {} };
  const transport = openStdioTransport(command, events, { reaper: null, maxBytes });
  onCleanup(transport.close);
  return transport;
};

describe('the stdio transport', () => {
  it('ends a child that sends a message larger than allowed, and says why', async () => {
    const events = recordTransport();
    const transport = startChild(
      `process.stdout.write('{"jsonrpc":"2.0","method":"m"}\\n' + 'x'.repeat(2000)); setInterval(() => {}, 1000)`,
      events,
    );

    expect(await events.closed).toBe('the server sent a message of more than 1000 bytes (a fixed limit)');
    expect(events.messages).toEqual([{ jsonrpc: '2.0', method: 'm' }]);
    await waitUntil(() => !isRunning(transport.pid as number), 'the child is gone');
  });

  it('takes the last words of a child that exits right after them', async () => {
    const events = recordTransport();
    startChild(`process.stdout.write('{"jsonrpc":"2.0","method":"last"}\\n', () => process.exit(0))`, events);

    expect(await events.closed).toBe('the process exited with code 0');
    expect(events.messages).toEqual([{ jsonrpc: '2.0', method: 'last' }]);
  });

  it('does not hang on a write that a dead child never takes', async () => {
    const events = recordTransport();
    const transport = startChild('setInterval(() => {}, 1000)', events);
    const sending = transport.send({ jsonrpc: '2.0', method: 'm', params: { text: 'x'.repeat(5_000_000) } });
    process.kill(transport.pid as number, 'SIGKILL');

    await sending;
    expect(await events.closed).toBe('the process was ended by SIGKILL');
  });

  it('fails a request to a child that lives on with its stdin closed', async () => {
    const events = recordTransport();
    const transport = startChild(
      `require('node:fs').closeSync(0); console.log('{"jsonrpc":"2.0","method":"ready"}'); setInterval(() => {}, 1000)`,
      events,
    );
    await waitUntil(() => events.messages.length === 1, 'stdin is closed');

    const request = { jsonrpc: '2.0', id: 1, method: 'm', params: {} } as const;
    const failure = await new Promise((resolve) => transport.request(request, { reject: resolve }, {}));
    expect(failure).toMatchObject({ message: 'the process no longer reads its stdin', detail: { sent: true } });
  });

  it('drops a message nested too deeply, and stays', async () => {
    const events = recordTransport();
    startChild(
      `const deep = '['.repeat(10000) + ']'.repeat(10000);
       console.log('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":' + deep + '}}');
       console.log('{"jsonrpc":"2.0","method":"next"}'); setInterval(() => {}, 1000)`,
      events,
      100_000,
    );

    await waitUntil(() => events.messages.length === 1, 'the next message is there');
    expect(events.messages).toEqual([{ jsonrpc: '2.0', method: 'next' }]);
    expect(events.logs).toEqual([
      expect.stringMatching(/^stdout is nested deeper than 256 levels \(a fixed limit\), ignored: /),
    ]);
    expect(events.logs[0]?.length).toBeLessThan(10_000);
  });
});

describe('a stdio child', () => {
  it('that closes its stdout and lives on is given up', async () => {
    const events = recordTransport();
    startChild(`require('node:fs').closeSync(1); setInterval(() => {}, 1000)`, events);

    expect(await events.closed).toBe('the process closed its stdout');
  });

  // On a machine so slow that the child is given up before it is asked to exit, another one is tried.
  const saysTheExit =
    'that closes its stdout and exits is said to have exited, also when this process stood still meanwhile';
  it(saysTheExit, { retry: 4 }, async () => {
    const events = recordTransport();
    const transport = startChild(
      `require('node:fs').closeSync(1); console.error('closed'); process.stdin.once('data', () => process.exit(7))`,
      events,
    );
    await waitUntil(() => events.logs.length > 0, 'its stdout is closed');
    await setImmediate(); // that has been seen as well
    void transport.send({ jsonrpc: '2.0', method: 'leave' });
    await setImmediate(); // it has been sent
    for (let left = 1000; left > 0 && isRunning(transport.pid as number); left -= 1) halt(10);
    halt(300);

    expect(await events.closed).toBe('the process exited with code 7');
  });

  it('that has to be killed has been collected once it is closed, also when this process stands still again and again', async () => {
    const events = recordTransport();
    const transport = startChild(
      `process.on('SIGTERM', () => {}); console.error('ready'); setInterval(() => {}, 1000)`,
      events,
    );
    await waitUntil(() => events.logs.length > 0, 'it ignores SIGTERM');
    let isCollected: boolean | undefined;
    void transport.close().then(() => {
      isCollected = !isKnown(transport.pid as number);
    });
    for (let turn = 0; turn < 100 && isCollected === undefined; turn += 1) {
      halt(300);
      await setImmediate(); // exit events arrive only once
    }

    expect(isCollected).toBe(true);
  });

  it('whose reply is nested too deeply has its request rejected', async () => {
    const events = recordTransport();
    startChild(
      `const deep = '['.repeat(1000) + ']'.repeat(1000);
       console.log('{"jsonrpc":"2.0","id":1,"result":{"a":' + deep + '}}');
       console.log('{"result":{"a":' + deep + '},"jsonrpc":"2.0","id":2}');
       console.log('{"jsonrpc":"2.0","id":3,"method":"ask","params":{"a":' + deep + '}}');
       console.log('{"jsonrpc":"2.0","method":"next"}'); setInterval(() => {}, 1000)`,
      events,
      100_000,
    );

    await waitUntil(() => events.messages.some(({ method }) => method === 'next'), 'all is read');
    const error = { code: -32603, message: 'the reply is nested deeper than 256 levels (a fixed limit)' };
    expect(events.messages).toEqual([
      { jsonrpc: '2.0', id: 1, error },
      { jsonrpc: '2.0', id: 2, error },
      { jsonrpc: '2.0', method: 'next' },
    ]);
  });

  it('loses no message when thousands come at once', async () => {
    const events = recordTransport();
    startChild(
      `let text = ''; for (let id = 0; id < 50000; id += 1) text += '{"jsonrpc":"2.0","id":' + id + ',"result":{}}\\n';
       process.stdout.write(text); setInterval(() => {}, 1000)`,
      events,
    );

    await waitUntil(() => events.messages.length === 50_000, 'all are there');
    expect(events.messages.every(({ id }, index) => id === index)).toBe(true);
  });
});

describe('the HTTP transport', () => {
  const start = async (listener: RequestListener, { maxBytes = 1_000, sendMs = 1_000, idleSocketMs = 4_000 } = {}) => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = createHttpClient({ guard: loopbackGuard(), idleSocketMs });
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const events = recordTransport();
    const transport = createHttpTransport({ client, url, headers: {}, maxBytes, sendMs }, events);
    onCleanup(async () => {
      await transport.close();
      server.close();
    });
    const request = (id: number) =>
      new Promise((resolve) =>
        transport.request({ jsonrpc: '2.0', id, method: 'm', params: {} }, { reject: resolve }, {}),
      );
    return { request, url, events, transport, server };
  };

  it.each(['application/json', 'text/event-stream'])('fails a reply larger than allowed (%s)', async (type) => {
    const { request, url } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': type });
      response.write('data: ');
      response.write('x'.repeat(2_000));
    });

    expect(await request(1)).toMatchObject({
      message: `${url.href} sent a message of more than 1000 bytes (a fixed limit)`,
      detail: { kind: 'unreachable', sent: true },
    });
  });

  it('counts the events of a stream one by one', async () => {
    const { request, events } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let count = 0; count < 10; count += 1) {
        response.write(`data: {"jsonrpc":"2.0","method":"${'x'.repeat(500)}"}\n\n`);
      }
      response.end();
    });

    expect(await request(1)).toMatchObject({ message: expect.stringContaining('without a reply') });
    expect(events.messages).toHaveLength(10);
  });

  it('takes an error without an id as the answer, and fails on a text that is no JSON', async () => {
    const bodies = ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}', '{"jsonrpc'];
    const { request, url, events } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(bodies.shift());
    });

    void request(1);
    await waitUntil(() => events.messages.length === 1, 'the error is there');
    expect(events.messages).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32700, message: 'bad' } }]);
    expect(await request(2)).toMatchObject({ message: `${url.href} answered with broken JSON` });
  });

  it('keeps a request alive for longer than an idle socket may live', async () => {
    const { request, events } = await start(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
        setTimeout(() => response.end('{"jsonrpc":"2.0","id":1,"result":{}}'), 150);
      },
      { idleSocketMs: 50 },
    );
    void request(1);
    await waitUntil(() => events.messages.length === 1, 'the reply is there');
  });

  it.each(['application/json', 'text/event-stream'])('refuses a reply nested too deeply (%s)', async (type) => {
    const body = `{"jsonrpc":"2.0","id":1,"result":{"a":${deep(300)}}}`;
    const { request, events } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': type });
      response.end(type === 'application/json' ? body : `data: ${body}\n\n`);
    });

    expect(await request(1)).toMatchObject({
      detail: {
        kind: 'rejected',
        error: { code: -32603, message: 'the reply is nested deeper than 256 levels (a fixed limit)' },
      },
    });
    expect(events.messages).toEqual([]);
  });

  it('waits no less than it would by itself when the server says retry: 0', async () => {
    const askedAt: number[] = [];
    const { transport } = await start((_request, response) => {
      askedAt.push(performance.now());
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\nid: 1\ndata:\n\n');
    });
    transport.listen();
    await waitUntil(() => askedAt.length >= 3, 'the stream was opened three times');
    const [first = 0, second = 0, third = 0] = askedAt;
    expect(second - first).toBeGreaterThan(90); // 100 ms, as timers count them
    expect(third - second).toBeGreaterThan(190);
  });

  it('does not pick a reply up again at once when the server says retry: 0', async () => {
    const askedAt: number[] = [];
    const { request } = await start((asked, response) => {
      askedAt.push(performance.now());
      if (asked.method === 'GET') return response.writeHead(405).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\nid: 1\ndata:\n\n');
    });

    expect(await request(1)).toMatchObject({ name: 'HttpFailure', status: 405 });
    const [posted = 0, resumed = 0] = askedAt;
    expect(resumed - posted).toBeGreaterThan(40);
  });

  it('polls a server that closes its streams before the reply, as often as it does and no longer than is waited', async () => {
    const asked: (string | undefined)[] = [];
    const { request, events } = await start(({ headers, method }, response) => {
      asked.push(method === 'GET' ? String(headers['last-event-id']) : undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (asked.length > 8) response.end('id: 9\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
      else response.end(`retry: 1\nid: ${asked.length}\ndata:\n\n`);
    });

    void request(1);
    await waitUntil(() => events.messages.length === 1, 'the reply is there');
    expect(asked).toEqual([undefined, '1', '2', '3', '4', '5', '6', '7', '8']);
  });

  it('delays no call behind calls that wait', async () => {
    const { request, server } = await start(() => {});
    for (let id = 1; id <= 140; id += 1) void request(id);
    const count = () =>
      new Promise<number>((resolve) => server.getConnections((_error, connections) => resolve(connections)));

    await waitUntil(async () => (await count()) >= 140, 'the sockets are open');
    expect(await count()).toBe(140);
  });

  it('gives up a notification that the server does not take, with its socket', async () => {
    let sockets = 0;
    const { transport, server, events } = await start(() => {}, { sendMs: 50 });
    server.on('connection', (socket) => {
      sockets += 1;
      socket.on('close', () => {
        sockets -= 1;
      });
    });

    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });

    expect(events.logs).toEqual(['could not send notifications/cancelled: took longer than 50 ms']);
    await waitUntil(() => sockets === 0, 'the socket is gone');
  });

  it('does not read a body without end that no call needs', async () => {
    let isClosed = false;
    const { transport } = await start((_request, response) => {
      response.writeHead(202).on('close', () => {
        isClosed = true;
      });
      const write = () => {
        while (!isClosed && response.write('x'.repeat(16_384)));
        response.once('drain', write);
      };
      write();
    });

    await transport.send({ jsonrpc: '2.0', method: 'm' });

    await waitUntil(() => isClosed, 'the reply was given up');
  });

  it('distinguishes a refused request from a server that is not there, once the handshake is over', async () => {
    const { request, transport, url } = await start((_request, response) => response.writeHead(413).end('too large'));

    expect(await request(1)).toMatchObject({
      name: 'HttpFailure',
      status: 413,
      detail: { kind: 'unreachable', sent: true },
    });
    transport.settle('2025-11-25');
    expect(await request(2)).toMatchObject({
      detail: { kind: 'rejected', error: { code: -32603, message: `${url.href} refused the request with HTTP 413` } },
    });
  });
});

describe('the HTTP+SSE transport', () => {
  /** A server that leaves every POST open. */
  const start = async (onPost: (stream: ServerResponse) => void) => {
    const posts = new Set<ServerResponse>();
    let stream: ServerResponse;
    const server = createServer((request, response) => {
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        stream.write('event: endpoint\ndata: /messages\n\n');
        return;
      }
      posts.add(response);
      response.on('close', () => posts.delete(response));
      onPost(stream);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = createHttpClient({ guard: loopbackGuard() });
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`);
    const events = recordTransport();
    const transport = await openSseTransport({ client, url, headers: {}, sendMs: 50 }, events, patience());
    onCleanup(async () => {
      await transport.close();
      server.close();
    });
    return { transport, events, posts };
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'm', params: {} } as const;

  it('lets go of a POST when its request is dropped, and of a notification that is not taken', async () => {
    const { transport, events, posts } = await start(() => {});
    const drop = transport.request(message, { reject() {} }, {});
    await waitUntil(() => posts.size === 1, 'the request is there');

    expect(drop).toBeDefined();
    drop?.();
    await waitUntil(() => posts.size === 0, 'the POST is gone');
    await transport.send({ jsonrpc: '2.0', method: 'n' });

    expect(events.logs).toEqual(['could not send n: took longer than 50 ms']);
    await waitUntil(() => posts.size === 0, 'the POST is gone');
  });

  it('lets go of a POST soon after its reply came by the stream', async () => {
    const { transport, events, posts } = await start((stream) => {
      stream.write(`data: {"jsonrpc":"2.0","id":"1","result":{}}\n\n`);
    });
    transport.request(message, { reject() {} }, {});

    await waitUntil(() => events.messages.length === 1 && posts.size === 0, 'the POST is gone');
  });

  it('lets go of its POSTs when it is closed', async () => {
    const { transport, posts } = await start(() => {});
    transport.request(message, { reject() {} }, {});
    await waitUntil(() => posts.size === 1, 'the request is there');

    await transport.close();

    await waitUntil(() => posts.size === 0, 'the POST is gone');
  });
});
