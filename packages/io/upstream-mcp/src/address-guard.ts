// Keeps HTTP upstreams away from link-local and cloud-metadata addresses, whose answers are credentials.
// The check sits in the lookup that the socket itself uses, so an address cannot change between check and connect.
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const metadataHosts = new Set(['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal']);

// BlockList also matches the IPv4-mapped IPv6 form (::ffff:a.b.c.d) of its IPv4 rules.
const metadataAddresses = new BlockList();
metadataAddresses.addSubnet('169.254.0.0', 16, 'ipv4');
metadataAddresses.addAddress('100.100.100.200', 'ipv4');
metadataAddresses.addSubnet('fe80::', 10, 'ipv6');
metadataAddresses.addAddress('fd00:ec2::254', 'ipv6');
metadataAddresses.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6'); // 169.254.0.0/16 behind NAT64 (RFC 6052)
metadataAddresses.addAddress('64:ff9b::6464:64c8', 'ipv6');

export class AddressRefused extends Error {
  constructor(host: string) {
    super(`${host} is a link-local or cloud-metadata address; set allowPrivateMetadata: true to use it`);
    this.name = 'AddressRefused';
  }
}

/** Refuses a host that is such an address, or such a name, as it stands. @throws AddressRefused */
export function assertHostAllowed(host: string): void {
  const name = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (metadataHosts.has(name) || isMetadataAddress(name)) throw new AddressRefused(name);
}

type Lookup = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A DNS lookup for sockets that fails when any address of the host is one to stay away from. */
export function createGuardedLookup(lookup: Lookup = systemLookup): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      if (addresses.some(({ address }) => isMetadataAddress(address))) return done(new AddressRefused(host), []);
      const first = addresses[0];
      if (options.all || first === undefined) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };
}

function isMetadataAddress(text: string): boolean {
  const address = text.replace(/%.*$/, ''); // an IPv6 zone, such as fe80::1%eth0
  const family = isIP(address);
  return family !== 0 && metadataAddresses.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
