// The owner of a connection, in the kernel's own text: proc(5), on a machine that stores words with the low byte first.
import { endianness } from 'node:os';
import { describe, expect, it } from 'vitest';
import { findUsers, rowsBetween, startOfRow } from './socket-table.js';

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (ends: string, state: string, uid: number, inode: number) =>
  `   0: ${ends} ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0000000000000000 20 4 30 10 -1\n`;

const startsBetween = (remote: string, local: string) =>
  rowsBetween(remote, local).map((row) => [row.table, startOfRow(row, 40_000, 9090)]);

describe.runIf(endianness() === 'LE')('rows of the table', () => {
  it('are found by both ends, by their plain and their mapped addresses', () => {
    const both = [
      ['tcp', '0100007F:9C40 0100007F:2382 '],
      ['tcp6', '0000000000000000FFFF00000100007F:9C40 0000000000000000FFFF00000100007F:2382 '],
    ];
    expect(startsBetween('127.0.0.1', '127.0.0.1')).toEqual(both);
    expect(startsBetween('::ffff:127.0.0.1', '::ffff:127.0.0.1')).toEqual(both);
    expect(startsBetween('::1', '::1')).toEqual([
      ['tcp6', '00000000000000000000000001000000:9C40 00000000000000000000000001000000:2382 '],
    ]);
    expect(startsBetween('fe80::1:2%eth0', '::1')[0]?.[1]).toBe(
      '000080FE000000000000000002000100:9C40 00000000000000000000000001000000:2382 ',
    );
  });

  const [, start = ''] = startsBetween('127.0.0.1', '127.0.0.1')[0] ?? [];
  const findUser = (table: string) => findUsers(table, new Set([start])).get(start);

  it('name the user of the other end, and never that of our own', () => {
    const ours = row('0100007F:2382 0100007F:9C40', '01', 0, 7);
    expect(findUser(`${head}${ours}`)).toBeUndefined();
    expect(findUser(`${head}${ours}${row('0100007F:9C40 0100007F:2382', '01', 1000, 8)}`)).toBe(1000);
    expect(findUser(`${head}${row('0100007F:9C41 0100007F:2382', '01', 1000, 8)}`)).toBeUndefined();
  });

  it('are found for several connections in one pass, where the table is cut as well', () => {
    const other = start.replace('9C40', '9C41');
    const both = `${head}${row(start.trim(), '01', 1000, 8)}${row(other.trim(), '01', 1001, 9)}`;
    const starts = new Set([other, start, start.replace('9C40', '9C42')]);
    expect([...findUsers(both, starts)]).toEqual([
      [start, 1000],
      [other, 1001],
    ]);
    for (let length = 0; length < both.length; length += 1)
      for (const [, uid] of findUsers(both.slice(0, length), starts)) expect([1000, 1001]).toContain(uid);
  });

  it('prove nothing where the socket belongs to no process: the kernel shows it as of root', () => {
    const orphan = row('0100007F:9C40 0100007F:2382', '04', 0, 0);
    expect(findUser(`${head}${orphan}`)).toBeUndefined();
    expect(findUser(`${head}${orphan}${row('0100007F:9C40 0100007F:2382', '01', 1000, 8)}`)).toBe(1000);
  });
});
