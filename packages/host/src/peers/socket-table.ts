// Whose a TCP connection of this machine is, in the text of the kernel's socket tables (proc(5), /proc/net/tcp and
// tcp6). Only computations.
import { isIPv6 } from 'node:net';

/** Both ends of a connection, as the process sees them that accepted it. */
export interface Ends {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
}

export type Family = 'tcp' | 'tcp6';

/** Which tables may have the other end, and as what: a socket of IPv6 reaches an IPv4 address as a mapped one. */
export function rowsToFind(ends: Ends): readonly { readonly table: Family; readonly start: string }[] {
  const remote = toPlain(ends.remoteAddress);
  const local = toPlain(ends.localAddress);
  const startOf = (toHex: (address: string) => string) =>
    `${toHex(remote)}:${hexPort(ends.remotePort)} ${toHex(local)}:${hexPort(ends.localPort)} `;
  if (isIPv6(remote)) return [{ table: 'tcp6', start: startOf(hexOfIpv6) }];
  return [
    { table: 'tcp', start: startOf(hexOfIpv4) },
    { table: 'tcp6', start: startOf((address) => mappedStart + hexOfIpv4(address)) },
  ];
}

/**
 * The user of the socket whose row starts so; undefined where the table has none. Sockets that belong to no process any
 * more have the inode 0, and the kernel shows them as root's: they prove nothing.
 */
export function findUser(table: string, start: string): number | undefined {
  for (let at = table.indexOf(start); at !== -1; at = table.indexOf(start, at + 1)) {
    const end = table.indexOf('\n', at);
    const fields = table
      .slice(at, end === -1 ? undefined : end)
      .trim()
      .split(/ +/);
    const [, , , , , , uid, , inode] = fields;
    if (uid !== undefined && inode !== undefined && inode !== '0' && /^\d+$/.test(uid)) return Number(uid);
  }
  return undefined;
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

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

function toPlain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
