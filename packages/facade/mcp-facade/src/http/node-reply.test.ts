// The memory of an answer without a session, for a client that does not read.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NodeReply, replyHeadsWith, writePlainHead } from './node-reply.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('leaves out progress, log messages and pings while too much is unread, but not the answer', () => {
  const outgoing = new ServerResponse(new IncomingMessage(new Socket())); // it is on no connection, so that all of it waits
  const options = {
    heads: replyHeadsWith({}),
    writeHead: writePlainHead,
    keepAliveMs: 1000,
    pingsFromStart: false,
    isAlwaysStream: false,
    statusOf: () => 200,
    endWithout: 499,
  } as const;
  const reply = new NodeReply(outgoing, 1, {}, options, () => {});
  const data = 'x'.repeat(1024 * 1024);
  reply.notify({ method: 'notifications/progress', params: { data } });
  const held = outgoing.writableLength;
  reply.notify({ method: 'notifications/progress', params: { data } });
  reply.notify({ method: 'notifications/message', params: { data } });
  vi.advanceTimersByTime(options.keepAliveMs);
  expect([held > data.length, outgoing.writableLength]).toEqual([true, held]);
  const answer = JSON.stringify({ result: {}, jsonrpc: '2.0', id: 1 });
  reply.answer(answer);
  expect(outgoing.writableLength).toBeGreaterThanOrEqual(held + answer.length);
});
