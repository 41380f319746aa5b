import { describe, expect, it } from 'vitest';
import { AddressRefused, assertHostAllowed, createGuardedLookup } from './address-guard.js';

describe('the guard on addresses', () => {
  it.each([
    '169.254.0.1',
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '[::ffff:a9fe:a9fe]',
    'fe80::1',
    '[febf::1]',
    'fd00:ec2::254',
    '100.100.100.200',
    '64:ff9b::a9fe:a9fe',
    'metadata.google.internal',
    'METADATA.google.internal.',
  ])('refuses %s', (host) => {
    expect(() => assertHostAllowed(host)).toThrow(AddressRefused);
  });

  it.each(['127.0.0.1', '10.0.0.1', '192.168.1.1', '::1', '[fd00::1]', '169.253.255.255', 'example.com'])(
    'lets %s pass',
    (host) => {
      expect(() => assertHostAllowed(host)).not.toThrow();
    },
  );

  const resolving = (...addresses: { address: string; family: 4 | 6 }[]) =>
    createGuardedLookup((_host, _options, done) => done(null, addresses));

  const lookUp = (lookup: ReturnType<typeof resolving>, all: boolean) =>
    new Promise((resolve, reject) => {
      lookup('host.example', { all }, (error, address, family) =>
        error === null ? resolve(all ? address : { address, family }) : reject(error),
      );
    });

  it('refuses a harmless name that resolves to such an address, in the lookup of the socket itself', async () => {
    const rebinding = resolving({ address: '93.184.216.34', family: 4 }, { address: '169.254.169.254', family: 4 });
    await expect(lookUp(rebinding, true)).rejects.toThrow(AddressRefused);
    await expect(lookUp(rebinding, false)).rejects.toThrow(AddressRefused);
    await expect(lookUp(resolving({ address: 'fe80::1%eth0', family: 6 }), true)).rejects.toThrow(AddressRefused);
  });

  it('gives other addresses in the form the socket asks for', async () => {
    const lookup = resolving({ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 });
    expect(await lookUp(lookup, false)).toEqual({ address: '::1', family: 6 });
    expect(await lookUp(lookup, true)).toEqual([
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ]);
  });

  it('passes a failed lookup on', async () => {
    const lookup = createGuardedLookup((_host, _options, done) => done(new Error('no such host'), []));
    await expect(lookUp(lookup, true)).rejects.toThrow('no such host');
  });
});
