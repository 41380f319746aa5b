// The bill of materials of an app: what the lock file gives it in production, the same bytes each time.
import { describe, expect, it } from 'vitest';
import { lockedPackages } from './locked-packages.mjs';
import { sbomOf } from './write-sbom.mjs';

const lock = {
  packages: {
    '': { name: 'root', devDependencies: { shared: '1' } },
    'apps/one': {
      name: '@p/one',
      version: '1.0.0',
      dependencies: { '@p/lib': '1', shared: '2' },
      devDependencies: { tool: '1' },
    },
    'node_modules/@p/lib': { link: true, resolved: 'packages/lib' },
    'packages/lib': {
      name: '@p/lib',
      version: '1.0.0',
      dependencies: { shared: '1' },
      optionalDependencies: { native: '1', elsewhere: '1' },
      peerDependencies: { guest: '*' },
      peerDependenciesMeta: { guest: { optional: true } },
    },
    'node_modules/shared': { version: '1.2.3', dev: true, integrity: 'sha512-AAEC', license: 'MIT' },
    'node_modules/guest': { version: '9.0.0', dev: true },
    'node_modules/tool': { version: '7.0.0', dev: true },
    'node_modules/native': {
      version: '3.0.0',
      optional: true,
      license: '(MIT OR Apache-2.0)',
      dependencies: { shared: '1' },
    },
    'apps/one/node_modules/shared': { version: '2.0.0' },
  },
};

describe('the packages of an app', () => {
  it('are those that Node finds from it, without tools and optional peers, and with what tools need as well', () => {
    const found = lockedPackages('apps/one', lock);
    expect([...found].map(([key, { optional }]) => [key, optional])).toEqual([
      ['@p/one@1.0.0', false],
      ['@p/lib@1.0.0', false],
      ['shared@1.2.3', false],
      ['native@3.0.0', true],
      ['shared@2.0.0', false],
    ]);
    expect(found.get('@p/lib@1.0.0')?.needs).toEqual(['native@3.0.0', 'shared@1.2.3']);
  });

  it('have to be in the lock file unless they are optional', () => {
    const { 'node_modules/shared': _gone, ...packages } = lock.packages;
    expect(() => lockedPackages('apps/one', { packages })).toThrow(
      '@p/lib@1.0.0 needs shared, which the lock file does not have',
    );
  });
});

describe('the bill of materials', () => {
  it('has the same bytes each time, with another serial number for other content', () => {
    const make = (version) => {
      const packages = { ...lock.packages, 'node_modules/native': { version } };
      return sbomOf(lockedPackages('apps/one', { packages }));
    };
    expect(JSON.stringify(make('3.0.0'))).toBe(JSON.stringify(make('3.0.0')));
    expect(make('3.0.0').serialNumber).not.toBe(make('3.0.1').serialNumber);
    expect(make('3.0.0').serialNumber).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
  });

  it('names each package with version, digest, licence and what it needs', () => {
    const { metadata, components, dependencies } = sbomOf(lockedPackages('apps/one', lock));
    expect(metadata.component).toMatchObject({
      type: 'application',
      group: '@p',
      name: 'one',
      purl: 'pkg:npm/%40p/one@1.0.0',
    });
    expect(components.map((component) => component['bom-ref'])).toEqual([
      ...['@p/lib@1.0.0', 'native@3.0.0', 'shared@1.2.3', 'shared@2.0.0'],
    ]);
    expect(components[1]).toMatchObject({ scope: 'optional', licenses: [{ expression: 'MIT OR Apache-2.0' }] });
    expect(components[2]).toEqual({
      type: 'library',
      'bom-ref': 'shared@1.2.3',
      name: 'shared',
      version: '1.2.3',
      scope: 'required',
      hashes: [{ alg: 'SHA-512', content: '000102' }],
      licenses: [{ license: { id: 'MIT' } }],
      purl: 'pkg:npm/shared@1.2.3',
    });
    expect(dependencies[0]).toEqual({ ref: '@p/lib@1.0.0', dependsOn: ['native@3.0.0', 'shared@1.2.3'] });
  });
});
