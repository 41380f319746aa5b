// A connection is looked up once; one that is not found is not taken for this user's.
import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { createPeerCheck } from './peer-check.js';
import { hasSocketTables, type ReadTable, readTable } from './read-tables.js';
import { rowsBetween, startOfRow } from './socket-table.js';

const ends = { remoteAddress: '127.0.0.1', remotePort: 40_000, localAddress: '127.0.0.1', localPort: 9090 };
const [first] = rowsBetween(ends.remoteAddress, ends.localAddress);
const startOf = (port: number) => (first === undefined ? '' : startOfRow(first, port, ends.localPort));
const start = startOf(ends.remotePort);
const isConnected = () => true;
const rowOf = (uid: number, of = start) => `   0: ${of}01 00000000:00000000 00:00000000 00000000 ${uid} 0 4242 1\n`;

it.each([
  [1000, { kind: 'own' }],
  [0, { kind: 'own' }],
  [1001, { kind: 'other', uid: 1001 }],
])('finds the owner of a connection of the user %i, and looks once', async (uid, peer) => {
  let reads = 0;
  const readTable = async () => {
    reads += 1;
    return rowOf(uid);
  };
  const check = createPeerCheck(1000, { readTable, isConnected });
  const connection = { ...ends };
  expect([await check.look(connection), await check.look(connection)]).toEqual([peer, peer]);
  expect([reads, check.own.has(connection)]).toEqual([1, peer.kind === 'own']);
});

it('reads again where the table has missed a row', async () => {
  const tables = ['', '', '', '', rowOf(1000)]; // each of the three reads has two tables
  const check = createPeerCheck(1000, { readTable: async () => tables.shift() ?? '', isConnected });
  expect(await check.look({ ...ends })).toEqual({ kind: 'own' });
});

it('does not guess where there is no row, no table, or no other end', async () => {
  const check = createPeerCheck(1000, { readTable: async () => '', isConnected });
  expect(await check.look({ ...ends })).toMatchObject({ kind: 'unknown' });
  expect(await check.look({})).toMatchObject({ kind: 'unknown', reason: 'the connection is closed' });
  const noTable = () => Promise.reject(new Error('EMFILE'));
  const blind = createPeerCheck(1000, { readTable: noTable, isConnected });
  const connection = { ...ends };
  expect(await blind.look(connection)).toEqual({
    kind: 'unknown',
    reason: 'the socket table cannot be read: EMFILE',
  });
  expect(blind.own.has(connection)).toBe(false);
});

it('shares one read among those who ask while another runs', async () => {
  const begun: ((text: string) => void)[] = [];
  const readTable = () => new Promise<string>((resolve) => void begun.push(resolve));
  const check = createPeerCheck(1000, { readTable, isConnected });
  const first = check.look({ ...ends });
  await vi.waitFor(() => expect(begun).toHaveLength(1));
  const others = [40_000, 40_001].map((remotePort) => check.look({ ...ends, remotePort }));
  begun[0]?.(rowOf(1000));
  expect(await first).toEqual({ kind: 'own' });
  await vi.waitFor(() => expect(begun).toHaveLength(2));
  begun[1]?.(`${rowOf(0)}${rowOf(1001, startOf(40_001))}`);
  expect(await Promise.all(others)).toEqual([{ kind: 'own' }, { kind: 'other', uid: 1001 }]);
  expect(begun).toHaveLength(2);
});

it('looks up connections that are open with the first that asks, and forgets those that close', async () => {
  let reads = 0;
  const readTable = async () => {
    reads += 1;
    return [40_000, 40_001, 40_002].map((port) => rowOf(1000, startOf(port))).join('');
  };
  const check = createPeerCheck(1000, { readTable, isConnected });
  const open = [40_000, 40_001, 40_002].map((remotePort) => Object.assign(new EventEmitter(), { ...ends, remotePort }));
  const [asks = {}, waits = {}, closes] = open;
  for (const connection of open) check.expect(connection);
  closes?.emit('close');
  expect(reads).toBe(0);
  expect(await check.look(asks)).toEqual({ kind: 'own' });
  expect(open.map((connection) => check.own.has(connection))).toEqual([true, true, false]);
  expect(await check.look(waits)).toEqual({ kind: 'own' });
  expect(reads).toBe(1);
});

it('finds each of many connections of this process', async () => {
  if (!(await hasSocketTables())) return expect(process.platform).not.toBe('linux');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // a TCP server has one
  const accepted: Socket[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  const clients = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'));
  while (accepted.length < clients.length) await once(server, 'connection');
  const check = createPeerCheck(process.geteuid?.() ?? 0);
  const peers = await Promise.all(accepted.map((socket) => check.look(socket)));
  expect(peers).toEqual(clients.map(() => ({ kind: 'own' })));
  for (const socket of [...clients, ...accepted]) socket.destroy();
  server.close();
});

it.each(['127.0.0.1', '::1'])('finds this process at the other end of a connection over %s', async (address) => {
  if (!(await hasSocketTables())) return expect(process.platform).not.toBe('linux');
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const port = (server.address() as { port: number }).port; // a TCP server has one
  const client = connect(port, address);
  const [accepted] = (await once(server, 'connection')) as [Socket];
  expect(await createPeerCheck(process.geteuid?.() ?? 0).look(accepted)).toEqual({ kind: 'own' });
  client.destroy();
  accepted.destroy();
  server.close();
});

it('does not take a connection for that which follows on its port once it is reset', async () => {
  if (!(await hasSocketTables())) return expect(process.platform).not.toBe('linux');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = (server.address() as { port: number }).port; // a TCP server has one
  const first = connect(port, '127.0.0.1');
  const [reset] = (await once(server, 'connection')) as [Socket];
  reset.on('error', () => {}).pause(); // as while a body waits to be read: Node does not notice that it was reset
  const { remotePort = 0 } = reset;
  let second: Socket | undefined;
  const replacing: ReadTable = async (table) => {
    if (second === undefined) {
      first.resetAndDestroy();
      await once(first, 'close');
      second = connect({ port, host: '127.0.0.1', localPort: remotePort });
      await once(second, 'connect');
    }
    return readTable(table);
  };
  const check = createPeerCheck(process.geteuid?.() ?? 0, { readTable: replacing });
  expect(await check.look(reset)).toMatchObject({ kind: 'unknown' });
  expect(check.own.has(reset)).toBe(false);
  second?.destroy();
  reset.destroy();
  server.close();
});
