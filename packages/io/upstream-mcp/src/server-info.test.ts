// Names of servers without a digest.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { serverInfoOf } from './server-info.js';
import { cleanUp, connect, httpServer, onCleanup, patience } from './testing/kit.js';

afterEach(cleanUp);

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

it.each([
  [
    'a whole name',
    '{"name":"a","version":"1","icons":[{"src":"b"}]}',
    { name: 'a', version: '1', icons: [{ src: 'b' }] },
  ],
  ['a lone surrogate in a text', '{"name":"a\\ud800"}', { name: 'a\ufffd' }],
  ['a lone surrogate in a name of a member', '{"a\\ud800":[{"\\udc00":1}]}', { 'a\ufffd': [{ '\ufffd': 1 }] }],
  ['more levels than a digest takes', `{"name":"a","deep":${nested(2000)}}`, {}],
  ['more characters than the limit', JSON.stringify({ name: 'a'.repeat(300_000) }), {}],
  ['a number that JSON does not have', '{"name":"a","n":1e999}', {}],
  ['a list', '["a"]', {}],
])('keeps of %s what has a canonical form', (_name, info, expected) => {
  expect(serverInfoOf(JSON.parse(info))).toEqual(expected);
});

it.each([
  ['a lone surrogate', '{"name":"a\\ud800"}', { name: 'a\ufffd' }],
  ['many levels', `{"name":"a","deep":${nested(200)}}`, {}],
])('passes on what has a canonical form of a server with %s', async (_name, info, expected) => {
  const server = createServer(async (request, response) => {
    const { id } = JSON.parse(await text(request));
    const said = `"_meta":{"io.modelcontextprotocol/serverInfo":${info}}`;
    const result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},${said}}`;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => server.close());
  const { session } = await connect(httpServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  const { about } = await session.discover(patience());
  expect(about?.info).toEqual(expected);
});
