// A connection is looked at once; what cannot be told is not taken for this user.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createPeerCheck } from './peer-check.js';
import { createTableReader, hasSocketTables, type ReadTable } from './read-tables.js';
import { rowsBetween, startOfRow } from './socket-table.js';

const ends = { remoteAddress: '127.0.0.1', remotePort: 40_000, localAddress: '127.0.0.1', localPort: 9090 };
const [first] = rowsBetween(ends.remoteAddress, ends.localAddress);
const start = first === undefined ? '' : startOfRow(first, ends.remotePort, ends.localPort);
const isConnected = () => true;
const rowOf = (uid: number) => `${start}01 00000000:00000000 00:00000000 00000000 ${uid} 0 4242 1\n`;

it.each([
  [1000, { kind: 'own' }],
  [0, { kind: 'own' }],
  [1001, { kind: 'other', uid: 1001 }],
])('tells whose a connection of the user %i is, and looks once', async (uid, peer) => {
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
  const tables = ['', '', rowOf(1000)];
  const check = createPeerCheck(1000, { readTable: async () => tables.shift() ?? '', isConnected });
  expect(await check.look({ ...ends })).toEqual({ kind: 'own' });
});

it('does not guess where there is no row, no table, or no other end', async () => {
  const check = createPeerCheck(1000, { readTable: async () => '', isConnected });
  expect(await check.look({ ...ends })).toMatchObject({ kind: 'unknown' });
  expect(await check.look({})).toMatchObject({ kind: 'unknown', reason: 'the connection is closed' });
  const blind = createPeerCheck(1000, { readTable: () => Promise.reject(new Error('EMFILE')), isConnected });
  const connection = { ...ends };
  expect(await blind.look(connection)).toEqual({
    kind: 'unknown',
    reason: 'the socket table cannot be read: EMFILE',
  });
  expect(blind.own.has(connection)).toBe(false);
});

it('shares one read among those who ask while another runs', async () => {
  const ends: ((text: string) => void)[] = [];
  const read = createTableReader(() => new Promise((resolve) => void ends.push(resolve)));
  const first = read('tcp');
  await Promise.resolve();
  const others = [read('tcp'), read('tcp'), read('tcp')];
  expect(ends).toHaveLength(1);
  ends[0]?.('first');
  expect(await first).toBe('first');
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends).toHaveLength(2);
  ends[1]?.('second');
  expect(await Promise.all(others)).toEqual(['second', 'second', 'second']);
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
  reset.on('error', () => {}).pause(); // as while a body waits to be read: Node does not hear that it was reset
  const { remotePort = 0 } = reset;
  let second: Socket | undefined;
  const readTable = createTableReader();
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
