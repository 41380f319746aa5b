// The table of rules: which address, named by whom, for which server, is connected to.
import type { NameableClass } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { createEgress } from './egress.js';
import { EgressRefused, type EgressRule } from './egress-refused.js';
import { destinationOf } from './guard.js';

const interfaceAddresses = () => ['192.168.7.7', 'fd00::7', '8.8.4.4'];

interface Given {
  readonly allowPrivateMetadata?: boolean;
  readonly allowedAddressClasses?: readonly NameableClass[];
}

function guardOf(origin: string, given: Given = {}) {
  const egress = createEgress({ interfaceAddresses });
  egress.own.add(9090);
  return egress.upstream(new URL(origin), { allowPrivateMetadata: false, allowedAddressClasses: [], ...given });
}

/** The rule that refuses, or the addresses that are admitted. */
function verdict<T>(admit: () => T): EgressRule | T {
  try {
    return admit();
  } catch (error) {
    if (error instanceof EgressRefused) return error.rule;
    throw error;
  }
}

const servers = {
  loopback: 'http://127.0.0.1:1/mcp',
  private: 'http://10.0.0.1:1/mcp',
  reserved: 'http://198.18.0.1:1/mcp',
  public: 'https://93.184.216.34/mcp',
};

/** Addresses named by a server of each class: admitted or refused, for the classes in the order of the columns. */
describe('an address that a server names', () => {
  const refused = 'named-address';
  it.each([
    // address, loopback server, private server, reserved server, public server
    ['127.0.0.1', 'yes', refused, refused, refused],
    ['127.9.9.9', 'yes', refused, refused, refused],
    ['0.0.0.0', 'yes', refused, refused, refused],
    ['::', 'yes', refused, refused, refused],
    ['::1', 'yes', refused, refused, refused],
    ['::ffff:127.0.0.1', 'yes', refused, refused, refused],
    ['::127.0.0.1', 'yes', refused, refused, refused],
    ['64:ff9b::7f00:1', 'yes', refused, refused, refused],
    ['2002:7f00:1::', 'yes', refused, refused, refused],
    ['8.8.4.4', 'yes', refused, refused, refused], // an interface of this machine
    ['10.0.0.2', refused, 'yes', refused, refused],
    ['172.16.0.1', refused, 'yes', refused, refused],
    ['192.168.0.1', refused, 'yes', refused, refused],
    ['100.64.0.1', refused, 'yes', refused, refused],
    ['fd12::1', refused, 'yes', refused, refused],
    ['::ffff:10.0.0.2', refused, 'yes', refused, refused],
    ['64:ff9b::a00:2', refused, 'yes', refused, refused],
    ['64:ff9b:1::a00:2', refused, 'yes', refused, refused],
    ['198.18.0.9', refused, refused, 'yes', refused],
    ['224.0.0.1', refused, refused, 'yes', refused],
    ['255.255.255.255', refused, refused, 'yes', refused],
    ['ff02::1', refused, refused, 'yes', refused],
    ['2001:db8::1', refused, refused, 'yes', refused],
    ['4000::1', refused, refused, 'yes', refused],
    ['93.184.216.35', 'yes', 'yes', 'yes', 'yes'],
    ['2606:2800:220:1::1', 'yes', 'yes', 'yes', 'yes'],
    ['64:ff9b::5db8:d823', 'yes', 'yes', 'yes', 'yes'],
    ['169.254.169.254', 'link-local', 'link-local', 'link-local', 'link-local'],
    ['100.100.100.200', 'link-local', 'link-local', 'link-local', 'link-local'],
    ['fe80::1%eth0', 'link-local', 'link-local', 'link-local', 'link-local'],
    ['fd00:ec2::254', 'link-local', 'link-local', 'link-local', 'link-local'],
    ['fd20:ce::254', 'link-local', 'link-local', 'link-local', 'link-local'],
    ['168.63.129.16', 'link-local', 'link-local', 'link-local', 'link-local'],
    ['192.0.0.192', 'link-local', 'link-local', 'link-local', 'link-local'],
    ['64:ff9b::a9fe:a9fe', 'link-local', 'link-local', 'link-local', 'link-local'],
  ])('%s: of a loopback server %s, a private one %s, a reserved one %s, a public one %s', (address, ...expected) => {
    const destination = destinationOf(new URL('https://named.example/register'));
    const found = Object.values(servers).map((origin) => {
      const result = verdict(() => guardOf(origin).admit(destination, [address]));
      return typeof result === 'string' ? result : 'yes';
    });
    expect(found).toEqual(expected);
  });

  it.each([
    ['http://127.0.0.1:2/', servers.loopback, undefined],
    ['http://localhost:2/', servers.loopback, undefined],
    ['http://10.0.0.2/', servers.private, 'https-only'],
    ['http://93.184.216.35/', servers.public, 'https-only'],
    ['http://as.example/', servers.public, 'https-only'],
    ['https://as.example/', servers.public, undefined],
    ['http://10.0.0.1:1/register', servers.private, undefined], // the origin that the operator configured
    ['http://localhost./', servers.public, 'named-address'],
    ['http://a.localhost/', servers.public, 'named-address'],
    ['http://2130706433/', servers.public, 'named-address'],
    ['http://0x7f.1/', servers.public, 'named-address'],
    ['http://0177.0.0.1/', servers.public, 'named-address'],
    ['https://metadata.google.internal./', servers.public, 'link-local'],
  ])('is screened before it is resolved: %s, of %s', (url, origin, expected) => {
    expect(verdict(() => guardOf(origin).screen(new URL(url)))).toBe(expected);
  });

  it('may be in a class that the settings of the server allow', () => {
    const guard = guardOf(servers.public, { allowedAddressClasses: ['private'] });
    const destination = destinationOf(new URL('https://named.example/'));
    expect(verdict(() => guard.admit(destination, ['10.0.0.2']))).toEqual(['10.0.0.2']);
    expect(verdict(() => guard.admit(destination, ['127.0.0.1']))).toBe('named-address');
    const metadata = guardOf(servers.public, { allowPrivateMetadata: true });
    expect(verdict(() => metadata.admit(destination, ['169.254.169.254']))).toEqual(['169.254.169.254']);
  });

  it('is not used, of several addresses of one name, where it is in a class that is refused', () => {
    const destination = destinationOf(new URL('https://named.example/'));
    const mixed = ['93.184.216.35', '127.0.0.1', '10.0.0.2'];
    expect(verdict(() => guardOf(servers.public).admit(destination, mixed))).toEqual(['93.184.216.35']);
  });
});

describe('a host that the operator configured for a server', () => {
  const origin = 'https://mcp.example/mcp';
  const destination = destinationOf(new URL(origin));

  it('may be at any class of address, and stays there', () => {
    const guard = guardOf(origin);
    expect(verdict(() => guard.admit(destination, ['10.0.0.1']))).toEqual(['10.0.0.1']);
    expect(verdict(() => guard.admit(destination, ['127.0.0.1']))).toBe('moved-address');
    expect(verdict(() => guard.admit(destination, ['10.9.9.9']))).toEqual(['10.9.9.9']);
  });

  it('does not become a neighbour once it was on the internet', () => {
    const guard = guardOf(origin);
    expect(verdict(() => guard.admit(destination, ['127.0.0.1']))).toEqual(['127.0.0.1']);
    expect(verdict(() => guard.admit(destination, ['93.184.216.34', '127.0.0.1']))).toEqual(['93.184.216.34']);
    expect(verdict(() => guard.admit(destination, ['127.0.0.1']))).toBe('moved-address');
    const named = destinationOf(new URL('https://named.example/'));
    expect(verdict(() => guard.admit(named, ['127.0.0.1']))).toBe('named-address');
  });

  it('names public addresses only, as long as its own is not known', () => {
    const named = destinationOf(new URL('https://named.example/'));
    expect(verdict(() => guardOf(origin).admit(named, ['127.0.0.1']))).toBe('named-address');
    expect(verdict(() => guardOf(origin).admit(named, ['93.184.216.34']))).toEqual(['93.184.216.34']);
  });
});

describe('a listener of Portico itself', () => {
  const own = [
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '192.168.7.7',
    'fd00::7',
    '8.8.4.4',
    '::ffff:192.168.7.7',
    '::192.168.7.7',
    '::ffff:0:192.168.7.7',
    '64:ff9b::192.168.7.7',
    '2002:c0a8:707::1',
  ];

  it.each(own)(
    'is not connected to at %s, under every setting, whether a server or the operator named it',
    (address) => {
      const everything: Given = {
        allowPrivateMetadata: true,
        allowedAddressClasses: ['loopback', 'private', 'reserved'],
      };
      for (const origin of [
        ...Object.values(servers),
        'http://127.0.0.1:9090/mcp',
        'http://portico.example:9090/mcp',
      ]) {
        const guard = guardOf(origin, everything);
        for (const host of ['named.example', 'portico.example']) {
          const destination = destinationOf(new URL(`http://${host}:9090/v1/config/import`));
          expect(verdict(() => guard.admit(destination, [address]))).toBe('own-listener');
        }
      }
    },
  );

  it('is known by the ends of a socket that are one address, independent of the listed interfaces', () => {
    const destination = destinationOf(new URL('http://host.example:9090/'));
    const elsewhere = destinationOf(new URL('http://host.example:9091/'));
    const same = { localAddress: '172.17.0.1', remoteAddress: '172.17.0.1' };
    const apart = { localAddress: '172.17.0.2', remoteAddress: '172.17.0.1' };
    const guard = guardOf(servers.private);
    expect(verdict(() => guard.confirm(destination, same))).toBe('own-listener');
    expect(verdict(() => guard.confirm(destination, apart))).toBeUndefined();
    expect(verdict(() => guard.confirm(elsewhere, same))).toBeUndefined();
    expect(verdict(() => guard.confirm(destination, {}))).toBeUndefined();
  });

  it('is one until it is closed, and its port of another machine is not', () => {
    const { own, upstream } = createEgress({ interfaceAddresses });
    const forget = [own.add(9090), own.add(9090)];
    const guard = upstream(new URL(servers.loopback), { allowPrivateMetadata: false, allowedAddressClasses: [] });
    const destination = destinationOf(new URL('https://named.example:9090/'));
    expect(verdict(() => guard.admit(destination, ['93.184.216.35']))).toEqual(['93.184.216.35']);
    for (const end of forget) {
      expect(verdict(() => guard.admit(destination, ['127.0.0.1']))).toBe('own-listener');
      end();
      end();
    }
    expect(verdict(() => guard.admit(destination, ['127.0.0.1']))).toEqual(['127.0.0.1']);
  });
});

it('a refusal names the host, the address, the class, the rule and the setting that allows it', () => {
  const refusal = (origin: string, url: string, address: string) => {
    try {
      guardOf(origin).admit(destinationOf(new URL(url)), [address]);
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };
  expect(refusal(servers.public, 'https://as.example/r?secret', '10.0.0.2')).toBe(
    'as.example:443 (10.0.0.2) is a private address, which a server with a public address may not name (rule named-address); add "private" to allowedAddressClasses of the server to allow it',
  );
  expect(refusal(servers.loopback, 'http://127.0.0.1:9090/', '127.0.0.1')).toBe(
    '127.0.0.1:9090 is a listener of Portico itself, which Portico never connects to (rule own-listener); no setting allows it, use another address',
  );
  expect(refusal(servers.private, 'http://as.example/', '10.0.0.2')).toBe(
    'as.example:80 (10.0.0.2) is beyond loopback and named for a login without https (rule https-only); no setting allows it, the authorization server must use https',
  );
});
