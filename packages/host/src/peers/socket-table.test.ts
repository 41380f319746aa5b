// Whose a connection is, in the kernel's own text: proc(5), on a machine that stores words with the low byte first.
import { endianness } from 'node:os';
import { describe, expect, it } from 'vitest';
import { findUser, rowsToFind } from './socket-table.js';

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (ends: string, state: string, uid: number, inode: number) =>
  `   0: ${ends} ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0000000000000000 20 4 30 10 -1\n`;

const ipv4 = { remoteAddress: '127.0.0.1', remotePort: 40_000, localAddress: '127.0.0.1', localPort: 9090 };

describe.runIf(endianness() === 'LE')('rows of the table', () => {
  it('are found by both ends, by their plain and their mapped addresses', () => {
    expect(rowsToFind(ipv4)).toEqual([
      { table: 'tcp', start: '0100007F:9C40 0100007F:2382 ' },
      { table: 'tcp6', start: '0000000000000000FFFF00000100007F:9C40 0000000000000000FFFF00000100007F:2382 ' },
    ]);
    const mapped = { ...ipv4, remoteAddress: '::ffff:127.0.0.1', localAddress: '::ffff:127.0.0.1' };
    expect(rowsToFind(mapped)).toEqual(rowsToFind(ipv4));
    expect(rowsToFind({ ...ipv4, remoteAddress: '::1', localAddress: '::1' })).toEqual([
      { table: 'tcp6', start: '00000000000000000000000001000000:9C40 00000000000000000000000001000000:2382 ' },
    ]);
    expect(rowsToFind({ ...ipv4, remoteAddress: 'fe80::1:2%eth0', localAddress: '::1' })[0]?.start).toBe(
      '000080FE000000000000000002000100:9C40 00000000000000000000000001000000:2382 ',
    );
  });

  const [{ start = '' } = {}] = rowsToFind(ipv4);

  it('name the user of the other end, and never that of our own', () => {
    const ours = row('0100007F:2382 0100007F:9C40', '01', 0, 7);
    expect(findUser(`${head}${ours}`, start)).toBeUndefined();
    expect(findUser(`${head}${ours}${row('0100007F:9C40 0100007F:2382', '01', 1000, 8)}`, start)).toBe(1000);
    expect(findUser(`${head}${row('0100007F:9C41 0100007F:2382', '01', 1000, 8)}`, start)).toBeUndefined();
  });

  it('prove nothing where the socket belongs to no process: the kernel shows it as of root', () => {
    const orphan = row('0100007F:9C40 0100007F:2382', '04', 0, 0);
    expect(findUser(`${head}${orphan}`, start)).toBeUndefined();
    expect(findUser(`${head}${orphan}${row('0100007F:9C40 0100007F:2382', '01', 1000, 8)}`, start)).toBe(1000);
  });
});
