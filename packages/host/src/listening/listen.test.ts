// How a listener ends: answers that are on their way arrive whole.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Endpoint, listen } from './listen.js';
import type { UnreadLimits } from './unread-answers.js';

const body = 'x'.repeat(32 * 1024 * 1024);

describe('an answer that its client does not read', () => {
  const endpoint = { fetch: () => new Response(body), malformedRequestBody: (message: string) => message };

  /** Clients that have the beginning of an answer each and read no more, and what was logged. */
  async function startUnread(clients: number, limits: Omit<UnreadLimits, 'maxRestMs'>, served: Endpoint = endpoint) {
    const logged: unknown[] = [];
    const log = (level: string, message: string, fields?: object) => logged.push([level, message, fields]);
    const unread = { ...limits, maxRestMs: 60_000 };
    const { url, stopAccepting } = await listen(served, log, '127.0.0.1', 0, { unread });
    const sockets = Array.from({ length: clients }, () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => {}); // a connection that is cut with bytes on the way is reset
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'data').then(() => socket.pause())));
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy();
      await stopAccepting()();
    });
    return { sockets, logged };
  }

  /** The data that arrives after reading resumes. */
  const rest = async (socket: Socket) => {
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.resume();
    await once(socket, 'close');
    return bytes;
  };

  it('is cut when nothing of it was taken for too long', async () => {
    const limits = { patienceMs: 100, maxBytes: Number.POSITIVE_INFINITY, lookEveryMs: 20 };
    const { sockets, logged } = await startUnread(1, limits);
    await vi.waitFor(() => expect(logged).toHaveLength(1));
    expect(logged).toMatchObject([['warn', expect.any(String), { connections: 1 }]]);
    for (const socket of sockets) expect(await rest(socket)).toBeLessThan(body.length);
  });

  it('is cut also while more is written to it all the time', async () => {
    const serveNode: Endpoint['serveNode'] = (_incoming, outgoing) => {
      outgoing.write(body);
      const writing = setInterval(() => outgoing.write('x'), 5);
      outgoing.on('close', () => clearInterval(writing));
      return true;
    };
    const limits = { patienceMs: 100, maxBytes: Number.POSITIVE_INFINITY, lookEveryMs: 20 };
    const { logged } = await startUnread(1, limits, { ...endpoint, serveNode });
    await vi.waitFor(() => expect(logged).toMatchObject([['warn', expect.any(String), { connections: 1 }]]));
  });

  it('is cut sooner where all of them are too large together, and the others are kept', async () => {
    const limits = { patienceMs: 60_000, maxBytes: 1.5 * body.length, lookEveryMs: 20 };
    const { sockets, logged } = await startUnread(2, limits);
    await vi.waitFor(() => expect(logged).toHaveLength(1));
    expect(logged).toMatchObject([['warn', expect.any(String), { connections: 1 }]]);
    const [less, more] = (
      await Promise.all(sockets.map((socket) => Promise.race([rest(socket), untilWhole(socket)])))
    ).sort((a, b) => a - b);
    expect([(less ?? 0) < body.length * 0.9, (more ?? 0) > body.length * 0.9]).toEqual([true, true]);
  });

  /** Resolves when most of it has arrived. */
  const untilWhole = (socket: Socket) =>
    new Promise<number>((resolve) => {
      let bytes = 0;
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > body.length * 0.95) resolve(bytes);
      });
    });
});

it('leaves no timer where it cannot listen', async () => {
  const endpoint = { fetch: () => new Response(body), malformedRequestBody: (message: string) => message };
  const { url, stopAccepting } = await listen(endpoint, () => {}, '127.0.0.1', 0);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(async () => {
    vi.useRealTimers();
    await stopAccepting()();
  });
  await expect(listen(endpoint, () => {}, '127.0.0.1', Number(new URL(url).port))).rejects.toThrow('is in use');
  expect(vi.getTimerCount()).toBe(0);
});

it('cuts no answer that its client still reads', async () => {
  let signalAsked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    signalAsked = resolve;
  });
  const endpoint = {
    fetch(request: Request) {
      if (!request.url.endsWith('/silent')) return new Response(body);
      signalAsked();
      return new Promise<Response>(() => {});
    },
    malformedRequestBody: (message: string) => message,
  };
  const limits = { sendMs: 60_000 }; // it is read as slowly as this machine does
  const { url, stopAccepting } = await listen(endpoint, () => {}, '127.0.0.1', 0, limits);
  const ask = (path: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    return socket;
  };
  const silent = ask('/silent').resume();
  await isAsked;
  const socket = ask('/');
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  const cut = stopAccepting();
  const stopped = cut();
  await once(silent, 'close'); // those that send nothing have been cut
  let received = first.length;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  socket.resume();
  await Promise.all([once(socket, 'close'), stopped]);
  const head = first.indexOf('\r\n\r\n') + 4;
  expect(received - head).toBe(body.length);
});
