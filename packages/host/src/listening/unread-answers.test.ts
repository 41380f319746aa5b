// Tests which connections are cut, over sockets whose clients take as much as the test says.
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchUnread } from './unread-answers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { patienceMs: 30, maxBytes: 1000, maxRestMs: 100, lookEveryMs: 10 };

/** A socket that its server writes to and its client reads from. */
function fakeSocket(name: string) {
  const handle = { bytesWritten: 0, writeQueueSize: 0 };
  return {
    name,
    held: 0,
    isCut: false,
    _handle: handle,
    get writableLength() {
      return handle.writeQueueSize;
    },
    get bytesWritten() {
      return handle.bytesWritten;
    },
    destroy() {
      this.isCut = true;
    },
    write(bytes: number) {
      handle.bytesWritten += bytes;
      handle.writeQueueSize += bytes;
    },
    read(bytes: number) {
      handle.writeQueueSize -= bytes;
    },
  };
}
type FakeSocket = ReturnType<typeof fakeSocket>;

function start(...names: readonly string[]) {
  const server = new EventEmitter();
  const sockets = names.map(fakeSocket);
  const logged: unknown[] = [];
  watchUnread(server as Server, {
    sockets: () => (sockets as unknown as Socket[]).filter(({ isCut }: Socket & { isCut?: boolean }) => isCut !== true), // as much as is used
    heldFor: (socket) => (socket as unknown as FakeSocket).held,
    limits,
    onCut: (connections, bytes) => logged.push([connections, bytes]),
  });
  return {
    server,
    sockets: sockets as [FakeSocket, ...FakeSocket[]],
    logged,
    cut: () => sockets.filter(({ isCut }) => isCut).map(({ name }) => name),
    /** @param before called before each look */
    look(times: number, before: () => void = () => {}) {
      for (let count = 0; count < times; count += 1) {
        before();
        vi.advanceTimersByTime(limits.lookEveryMs);
      }
    },
  };
}

describe('a client that takes nothing', () => {
  it('is cut after the patience', () => {
    const { sockets, look, cut, logged } = start('a');
    sockets[0].write(100);
    look(3);
    expect(cut()).toEqual([]);
    look(1);
    expect([cut(), logged]).toEqual([['a'], [[1, 100]]]);
  });

  it('is cut after the patience also while more is written to it', () => {
    const { sockets, look, cut } = start('a');
    look(4, () => sockets[0].write(10));
    expect(cut()).toEqual(['a']);
  });

  it('is not cut for what it left unread of an answer before', () => {
    const { sockets, look, cut } = start('a');
    sockets[0].write(100);
    look(3);
    sockets[0].read(100);
    look(1);
    sockets[0].write(100);
    look(3);
    expect(cut()).toEqual([]);
  });
});

it('does not cut a client that reads slowly while there is room', () => {
  const { sockets, look, cut } = start('a');
  sockets[0].write(900);
  look(50, () => sockets[0].read(1));
  expect(cut()).toEqual([]);
});

it('cuts the largest that read too slowly where all together are too large, until they are not', () => {
  const { sockets, look, cut } = start('small', 'large', 'larger but read');
  const [small, large, larger] = sockets as [FakeSocket, FakeSocket, FakeSocket];
  small.write(300);
  large.write(400);
  larger.write(500);
  look(2, () => {
    small.read(1);
    large.read(1);
    larger.read(60);
  });
  expect(cut()).toEqual(['large']);
});

it('counts what waits for a connection in front of its socket', () => {
  const { sockets, look, cut, logged } = start('a', 'b');
  const [a, b] = sockets as [FakeSocket, FakeSocket];
  a.write(10);
  a.held = 900;
  b.write(200);
  look(2);
  expect([cut(), logged]).toEqual([['a'], [[1, 910]]]);
});

it('ends with its server', () => {
  const { server } = start('a');
  server.emit('close');
  expect(vi.getTimerCount()).toBe(0);
});
