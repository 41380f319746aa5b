// Requests over real sockets: what is refused never arrives.
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createEgress, type EgressOptions } from './egress.js';
import { refusalIn } from './egress-refused.js';
import { systemInterfaceAddresses } from './own-listeners.js';

const open = new Set<Server>();
afterEach(() => {
  for (const server of open) {
    server.close();
    server.closeAllConnections();
  }
  open.clear();
});

async function start(answer: RequestListener, host = '127.0.0.1') {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  open.add(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return { seen, port, url: `http://127.0.0.1:${port}` };
}

const victim = () => start((_request, response) => response.end('{"ok":true}'));
const resolving =
  (...answers: string[]): NonNullable<EgressOptions['lookup']> =>
  (_host, _options, done) =>
    done(null, [{ address: answers.length > 1 ? (answers.shift() ?? '') : (answers[0] ?? ''), family: 4 }]);

const post = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };

it('arrives at a configured address, with its body', async () => {
  const { url, seen } = await victim();
  const { fetch } = createEgress();
  expect(await (await fetch(`${url}/hook`, post)).json()).toEqual({ ok: true });
  expect(seen).toEqual(['POST /hook']);
});

it.each([
  ['127.0.0.1', undefined],
  ['localhost', undefined],
  ['localhost.', '127.0.0.1'],
  ['2130706433', undefined],
  ['0x7f000001', undefined],
  ['0.0.0.0', undefined],
  ['[::ffff:127.0.0.1]', undefined],
  ['rebinding.example', '127.0.0.1'],
])('does not arrive at a listener of Portico itself, by the name of %s', async (host, address) => {
  const { port, seen } = await victim();
  const egress = createEgress(address === undefined ? {} : { lookup: resolving(address) });
  egress.own.add(port);
  const error = await egress.fetch(`http://${host}:${port}/v1/config/import`, post).catch((error) => error);
  expect(refusalIn(error)?.rule).toBe('own-listener');
  expect(seen).toEqual([]);
});

it.each([301, 302, 303, 307, 308])('does not arrive there by a redirect with status %i', async (status) => {
  const { port, seen, url } = await victim();
  const hop = await start((_request, response) => response.writeHead(status, { location: `${url}/v1/x` }).end());
  const egress = createEgress();
  egress.own.add(port);
  const error = await egress.fetch(`${hop.url}/hook`, post).catch((error) => error);
  expect(refusalIn(error)?.rule).toBe('own-listener');
  expect([hop.seen, seen]).toEqual([['POST /hook'], []]);
});

it('sends nothing there by an address that no list of interfaces has', async () => {
  const [address] = systemInterfaceAddresses().filter((text) => isIP(text) === 4 && !text.startsWith('127.'));
  // Without a network, any address can play another machine: the ends of the socket decide.
  const { port, seen } = await start((_request, response) => response.end('{}'), address ?? '127.0.0.1');
  const egress = createEgress({ interfaceAddresses: () => [] });
  egress.own.add(port);
  const error = await egress.fetch(`http://${address ?? '127.0.0.1'}:${port}/v1/config/import`, post).catch((e) => e);
  expect(refusalIn(error)?.rule).toBe('own-listener');
  expect(seen).toEqual([]);
});

it('uses no proxy of the environment', async () => {
  const { url, seen } = await victim();
  const proxy = await victim();
  process.env.HTTP_PROXY = proxy.url;
  process.env.NODE_USE_ENV_PROXY = '1';
  try {
    await createEgress().fetch(url);
  } finally {
    delete process.env.HTTP_PROXY;
    delete process.env.NODE_USE_ENV_PROXY;
  }
  expect([seen, proxy.seen]).toEqual([['GET /'], []]);
});
