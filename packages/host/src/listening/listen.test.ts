// How a listener ends: answers that are on their way arrive whole.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { listen } from './listen.js';

const body = 'x'.repeat(32 * 1024 * 1024);

it('cuts no answer that its client still reads', async () => {
  let tellAsked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    tellAsked = resolve;
  });
  const endpoint = {
    fetch(request: Request) {
      if (!request.url.endsWith('/silent')) return new Response(body);
      tellAsked();
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
