// Bytes that are hardly HTTP, against both listeners: each is answered with an error or cut off, and nothing hangs on it.
import { connect } from 'node:net';
import fc from 'fast-check';
import { type Ran, type RunOptions, runProperty } from './finding.js';
import { limitMs } from './fuzz-http.js';
import type { World } from './world.js';

const call = 'POST /v1/tools/call HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';

const bytes = fc.oneof(
  fc.constantFrom(
    'GET / HTTP/9.9\r\n\r\n',
    'GET /healthz\r\n\r\n',
    '\r\n\r\n\r\nx',
    `${call}Content-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${call}Content-Length: -1\r\n\r\n`,
    `${call}Content-Length: 99999999999\r\n\r\n{`,
    `${call}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${call}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n0\r\n\r\n`,
    `${call}Content-Length: 1000\r\n\r\n{"a":`,
    'GET /v1/capabilities HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil\r\n\r\n',
    'GET http://evil.example/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
    'GET /healthz HTTP/1.1\r\n\r\n'.repeat(20),
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ maxLength: 200 }).map((text) => `GET ${text} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`),
);

export async function fuzzBytes(world: World, { seed, runs }: RunOptions): Promise<Ran & { readonly what: string }> {
  const what = 'bytes';
  const ports = [world.service.url, world.service.mcpUrl].map((url) => Number(new URL(url).port));
  const cases = fc.record({ text: bytes, port: fc.constantFrom(...ports), isCutOff: fc.boolean() });
  const again = ({ text, port }: { readonly text: string; readonly port: number }) =>
    `echo ${Buffer.from(text).toString('base64')} | base64 -d | nc 127.0.0.1 ${port}`;
  const ran = await runProperty(what, cases, problemOf, again, { seed, runs });
  return { what, ...ran };
}

/** The client says no more after that, so the other side has no reason to keep the connection. */
function problemOf({
  text,
  port,
  isCutOff,
}: {
  readonly text: string;
  readonly port: number;
  readonly isCutOff: boolean;
}): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: !isCutOff });
    let answer = '';
    const timer = setTimeout(() => {
      socket.destroy();
      resolve(`the connection is still open after ${limitMs} ms`);
    }, limitMs);
    const finish = () => {
      clearTimeout(timer);
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1];
      if (answer !== '' && status === undefined) return resolve(`an answer that is no HTTP: ${answer.slice(0, 100)}`);
      resolve(Number(status) >= 500 ? `status ${status}: ${answer.slice(-300)}` : undefined);
    };
    socket.setEncoding('latin1').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {}).on('close', finish);
    socket.end(text);
    if (isCutOff) setTimeout(() => socket.destroy(), 5);
  });
}
