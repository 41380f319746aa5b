// The limits of the transports themselves, with limits small enough to reach.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from './http-client.js';
import { createHttpTransport } from './http-transport.js';
import { openStdioTransport } from './stdio-transport.js';
import { cleanUp, isRunning, node, onCleanup, waitUntil } from './testing/kit.js';
import type { RpcMessage } from './wire.js';

afterEach(cleanUp);

function recordTransport() {
  const messages: RpcMessage[] = [];
  let tellClosed: (reason: string) => void = () => {};
  const closed = new Promise<string>((resolve) => {
    tellClosed = resolve;
  });
  const events = { onMessage: (message: RpcMessage) => messages.push(message), onGap() {}, onLog() {} };
  return { ...events, messages, closed, onClosed: tellClosed };
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

    expect(await events.closed).toBe('the server sent a message of more than 1000 bytes');
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
    const failure = await new Promise((resolve) => transport.request(request, {}, resolve));
    expect(failure).toMatchObject({ message: 'the process no longer reads its stdin', detail: { sent: true } });
  });
});

describe('the HTTP transport', () => {
  const start = async (listener: RequestListener, maxBytes = 1_000) => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = createHttpClient({ allowPrivateMetadata: false });
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const events = recordTransport();
    const transport = createHttpTransport({ client, url, headers: {}, maxBytes }, events);
    onCleanup(async () => {
      await transport.close();
      server.close();
    });
    const request = (id: number) =>
      new Promise((resolve) => transport.request({ jsonrpc: '2.0', id, method: 'm', params: {} }, {}, resolve));
    return { request, url, events };
  };

  it.each(['application/json', 'text/event-stream'])('fails a reply larger than allowed (%s)', async (type) => {
    const { request, url } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': type });
      response.write('data: ');
      response.write('x'.repeat(2_000));
    });

    expect(await request(1)).toMatchObject({
      message: `${url.href} sent a message of more than 1000 bytes`,
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
    const { request, events } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      setTimeout(() => response.end('{"jsonrpc":"2.0","id":1,"result":{}}'), 4_500);
    });
    void request(1);
    await waitUntil(() => events.messages.length === 1, 'the reply is there');
  }, 15_000);
});
