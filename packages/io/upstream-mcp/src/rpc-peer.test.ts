import { AbortSource } from '@portico/async';
import { expect, it } from 'vitest';
import { establish } from './attempt.js';
import { createRpcPeer } from './rpc-peer.js';
import { clientInfo, patience } from './testing/kit.js';
import type { Transport, TransportEvents } from './transport.js';
import { parseMessages } from './wire.js';

/** A transport that notes what it is asked to do, and whose sends never come to an end. */
function idleTransport() {
  const done: string[] = [];
  let letSend = () => {};
  const transport: Transport = {
    hasReplyStreams: true,
    sessionId: () => 'session',
    request: ({ method }) => {
      done.push(`request ${method}`);
      return () => done.push('drop');
    },
    send: ({ method }) => {
      done.push(`send ${method ?? 'answer'}`);
      return new Promise((resolve) => {
        letSend = resolve;
      });
    },
    settle() {},
    listen() {},
    close: async () => {},
  };
  return { transport, done, letSend: () => letSend() };
}

/** Nothing that these tests send is a defect. */
const onDefect = (error: unknown) => {
  throw error;
};

it('lets go of the reply at once when the caller leaves, even if the server never takes the cancel', async () => {
  const { transport, done } = idleTransport();
  const peer = createRpcPeer({
    clientInfo,
    transport: () => transport,
    onNotification() {},
    onServerRequest: async () => ({}),
    onDefect,
  });
  const caller = new AbortController();
  const running = peer.request('tools/call', {}, { signal: caller.signal });

  caller.abort(new Error('the user left'));

  await expect(running).rejects.toThrow('the user left');
  expect(done).toEqual(['request tools/call', 'drop', 'send notifications/cancelled']);
});

it('reports once the end of a request that cannot be written, and forgets it', async () => {
  const { transport } = idleTransport();
  const request = () => {
    throw new TypeError('Do not know how to serialize a BigInt');
  };
  const peer = createRpcPeer({
    clientInfo,
    transport: () => ({ ...transport, request }),
    onNotification() {},
    onServerRequest: async () => ({}),
    onDefect,
  });
  const ends: unknown[] = [];
  const settle = { resolve: () => ends.push('resolved'), reject: (error: unknown) => ends.push(String(error)) };

  peer.dispatch('tools/call', {}, { signal: new AbortSource() }, settle);
  peer.disconnect('the server has gone');

  expect(ends).toEqual(['TypeError: Do not know how to serialize a BigInt']);
});

it('answers at most 2,000 requests of the server at a time', async () => {
  const { transport, done, letSend } = idleTransport();
  const peer = createRpcPeer({
    clientInfo,
    transport: () => transport,
    onNotification() {},
    onServerRequest: async () => ({}),
    onDefect,
  });
  const ping = (id: number) => peer.receive({ jsonrpc: '2.0', id, method: 'ping' });

  for (let id = 0; id < 2100; id += 1) ping(id);
  expect(done).toHaveLength(2000);

  letSend();
  await new Promise(setImmediate);
  ping(2100);
  ping(2101);
  expect(done).toHaveLength(2001);
});

it('logs a message whose handling throws, and goes on', async () => {
  const { transport } = idleTransport();
  const logs: string[] = [];
  let events: TransportEvents | undefined;
  await establish({
    clientInfo,
    signal: patience(),
    parseLarge: parseMessages,
    events: {
      onNotification(method) {
        throw new RangeError(`cannot take ${method}`);
      },
      onServerRequest: async () => ({}),
      onClosed() {},
      onGap() {},
      onLog: (line) => logs.push(line),
    },
    openTransport(transportEvents) {
      events = transportEvents;
      return transport;
    },
    negotiate: async () => ({ era: 'legacy', revision: '2025-11-25', capabilities: {} }),
  });

  events?.onMessage({ jsonrpc: '2.0', method: 'notifications/message' });

  expect(logs).toEqual(['a message could not be taken: cannot take notifications/message']);
});

it.each([
  ['hands a result over at once', 1000, ['result', 'other work']],
  ['lets other work have its turn before a large result', 1_000_000, ['other work', 'result']],
])('%s', async (_, length, expected) => {
  const { transport } = idleTransport();
  const peer = createRpcPeer({
    clientInfo,
    transport: () => transport,
    onNotification() {},
    onServerRequest: async () => ({}),
    onDefect,
  });
  const order: string[] = [];
  const running = peer.request('tools/call', {}, { signal: patience() }).then(() => order.push('result'));
  setImmediate(() => order.push('other work'));
  peer.receive({ jsonrpc: '2.0', id: 1, result: {} }, null, length);
  await running;
  await new Promise(setImmediate);
  expect(order).toEqual(expected);
});
