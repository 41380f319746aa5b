// The owner of a TCP connection of this machine, from the text of the kernel's socket tables (proc(5), /proc/net/tcp
// and tcp6). Pure functions.
import { isIPv6 } from 'node:net';

export type Family = 'tcp' | 'tcp6';

/** Both addresses of a row, as the table prints them. */
export interface Addresses {
  readonly table: Family;
  readonly of: string;
  readonly to: string;
}

/**
 * The tables that may contain the other end, and its form there: a socket of IPv6 reaches an IPv4 address as a mapped
 * one.
 */
export function rowsBetween(remoteAddress: string, localAddress: string): readonly Addresses[] {
  const [of, to] = [toPlain(remoteAddress), toPlain(localAddress)];
  if (isIPv6(of)) return [{ table: 'tcp6', of: hexOfIpv6(of), to: hexOfIpv6(to) }];
  const [ofHex, toHex] = [hexOfIpv4(of), hexOfIpv4(to)];
  return [
    { table: 'tcp', of: ofHex, to: toHex },
    { table: 'tcp6', of: mappedStart + ofHex, to: mappedStart + toHex },
  ];
}

/** How the row of the other end starts, from its address on. */
export function startOfRow({ of, to }: Addresses, remotePort: number, localPort: number): string {
  const [ofPort = '', toPort = ''] = [remotePort, localPort].map((port) =>
    port.toString(16).toUpperCase().padStart(4, '0'),
  );
  return `${of}:${ofPort} ${to}:${toPort} `;
}

/** How rows of one table start (`startOfRow`). */
type Starts = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'> | ReadonlySet<string>;

/**
 * The users of the sockets whose rows start so, without those that the table does not have. Sockets that belong to no
 * process any more have the inode 0, and the kernel shows them as root's: they prove nothing.
 */
export function findUsers(table: string, starts: Starts): Map<string, number> {
  const users = new Map<string, number>();
  const [{ length } = ''] = starts.keys(); // the same for all rows of one table
  for (let end = 0, at = 0; end !== -1; at = end + 1) {
    end = table.indexOf('\n', at);
    const from = table.indexOf(': ', at) + 2; // behind the number of the row
    const start = table.slice(from, from + length);
    if (!starts.has(start)) continue;
    const fields = table.slice(from, end === -1 ? undefined : end).split(/ +/);
    const [, , , , , , uid, , inode] = fields;
    if (uid !== undefined && inode !== undefined && inode !== '0' && /^\d+$/.test(uid)) users.set(start, Number(uid));
  }
  return users;
}

const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** Words of 32 bits, each printed as this machine reads it. */
function hexOfBytes(bytes: readonly number[]): string {
  let text = '';
  for (let word = 0; word < bytes.length; word += 4) {
    const four = bytes.slice(word, word + 4);
    for (const byte of isLittleEndian ? four.reverse() : four) text += byte.toString(16).padStart(2, '0');
  }
  return text.toUpperCase();
}

const mappedStart = hexOfBytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

function hexOfIpv4(address: string): string {
  return hexOfBytes(address.split('.').map(Number));
}

/** As the system writes it, which `URL` writes in the same way. */
function hexOfIpv6(address: string): string {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groupsOf = (text: string | undefined) => (text ? text.split(':') : []).flatMap(bytesOfGroup);
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  return hexOfBytes([...first, ...new Array<number>(16 - first.length - last.length).fill(0), ...last]);
}

function bytesOfGroup(group: string): readonly number[] {
  if (group.includes('.')) return group.split('.').map(Number);
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

function toPlain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
