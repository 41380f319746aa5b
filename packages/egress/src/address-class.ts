// Classifies an IP address by its network: this machine, a private network, the internet. Asks nothing.
import { BlockList, isIP } from 'node:net';

/**
 * `loopback`: this machine. `link-local` includes the addresses of cloud metadata. `reserved`: no host of the internet,
 * such as multicast, benchmarks and documentation (IANA special-purpose registries, RFC 6890).
 */
export type AddressClass = 'loopback' | 'link-local' | 'private' | 'reserved' | 'public';

type Family = 'ipv4' | 'ipv6';
type Subnet<T> = readonly [network: string, prefix: number, meaning: T];
type Range<T> = readonly [addresses: BlockList, meaning: T];

const toRanges = <T>(family: Family, subnets: readonly Subnet<T>[]): readonly Range<T>[] =>
  subnets.map(([network, prefix, meaning]) => {
    const addresses = new BlockList();
    addresses.addSubnet(network, prefix, family);
    return [addresses, meaning];
  });

/** The first range that holds the address counts. */
const ipv4Ranges = toRanges<AddressClass>('ipv4', [
  ['127.0.0.0', 8, 'loopback'],
  ['0.0.0.0', 32, 'loopback'], // connects to this machine
  ['169.254.0.0', 16, 'link-local'],
  ['100.100.100.200', 32, 'link-local'], // metadata of Alibaba Cloud
  ['168.63.129.16', 32, 'link-local'], // the host of a machine at Azure
  ['192.0.0.192', 32, 'link-local'], // metadata of Oracle Cloud
  ['10.0.0.0', 8, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['100.64.0.0', 10, 'private'], // carrier-grade NAT (RFC 6598)
  ['0.0.0.0', 8, 'reserved'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'], // documentation (RFC 5737)
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['198.18.0.0', 15, 'reserved'], // benchmarks (RFC 2544)
  ['224.0.0.0', 3, 'reserved'], // multicast, class E, broadcast
]);

const ipv6Ranges = toRanges<AddressClass>('ipv6', [
  ['::1', 128, 'loopback'],
  ['::', 128, 'loopback'], // connects to this machine
  ['fd00:ec2::254', 128, 'link-local'], // metadata of AWS
  ['fd20:ce::254', 128, 'link-local'], // metadata of Google Cloud
  ['fe80::', 10, 'link-local'],
  ['fc00::', 7, 'private'], // unique local (RFC 4193)
  ['fec0::', 10, 'private'], // site-local (RFC 3879)
  ['64:ff9b:1::', 48, 'private'], // NAT64 of a network's own choice (RFC 8215)
  ['2001::', 23, 'reserved'], // Teredo, ORCHID, benchmarks
  ['2001:db8::', 32, 'reserved'],
  ['3fff::', 20, 'reserved'],
  ['5f00::', 16, 'reserved'],
  ['100::', 64, 'reserved'],
  ['ff00::', 8, 'reserved'], // multicast
]);

/** Prefixes of IPv6 addresses that embed an IPv4 address, with the group of 16 bits that it starts at. */
const embeddings = toRanges<number>('ipv6', [
  ['::ffff:0:0', 96, 6], // IPv4-mapped (RFC 4291)
  ['::ffff:0:0:0', 96, 6], // IPv4-translated (RFC 2765)
  ['64:ff9b::', 96, 6], // NAT64 (RFC 6052)
  ['2002::', 16, 1], // 6to4 (RFC 3056)
  ['::', 96, 6], // IPv4-compatible (RFC 4291), after `::` and `::1`
]);

/** Global unicast (RFC 4291). */
const globalUnicast = toRanges<AddressClass>('ipv6', [['2000::', 3, 'public']]);

/**
 * The class of an IP address: public, private, loopback, link-local and others (IANA special-purpose registries).
 * @param text an IP address, with or without an IPv6 zone
 * @throws RangeError for anything else
 */
export function classOf(text: string): AddressClass {
  const address = withoutZone(text);
  const family = isIP(address);
  if (family === 0) throw new RangeError(`${text} is no IP address`);
  if (family === 4) return firstOf(ipv4Ranges, address, 'ipv4') ?? 'public';
  const named = firstOf(ipv6Ranges, address, 'ipv6');
  if (named !== undefined) return named;
  const embedded = ipv4In(address);
  if (embedded !== undefined) return firstOf(ipv4Ranges, embedded, 'ipv4') ?? 'public';
  return firstOf(globalUnicast, address, 'ipv6') ?? 'reserved';
}

/** The IPv4 address that an IPv6 address embeds; undefined if it embeds none. */
export function ipv4In(address: string): string | undefined {
  const group = isIP(address) === 6 ? firstOf(embeddings, address, 'ipv6') : undefined;
  return group === undefined ? undefined : embeddedIn(address, group);
}

export const withoutZone = (address: string): string => address.replace(/%.*$/, '');

const firstOf = <T>(ranges: readonly Range<T>[], address: string, family: Family): T | undefined =>
  ranges.find(([addresses]) => addresses.check(address, family))?.[1];

/** The IPv4 address in two groups of an IPv6 address. */
function embeddedIn(address: string, group: number): string {
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(group, group + 2);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address. The URL parser writes a dotted end as two groups. */
function groupsOf(address: string): readonly number[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const parse = (text: string) => (text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16)));
  const [head, tail] = [parse(before), parse(after ?? '')];
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}
