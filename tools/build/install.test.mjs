// Installing packages: the folders that npm gets, and the one line that says why they could not be installed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasWhatNpmInstalled, npmFolders, reasonFor } from './install.mjs';
import { root } from './root.mjs';

describe('npmFolders', () => {
  it('leaves npm its own cache where it can be written to, there or not', () => {
    expect([npmFolders(tmpdir()), npmFolders(join(tmpdir(), 'not-there', 'either'))]).toEqual([{}, {}]);
  });

  it('gives npm folders of the checkout where it cannot', () => {
    expect(Object.keys(npmFolders(join(fileURLToPath(import.meta.url), 'cache')))).toEqual([
      'npm_config_cache',
      'npm_config_devdir',
    ]);
  });
});

describe('hasWhatNpmInstalled', () => {
  it('misses a package that npm noted and that was removed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-install-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const packages = ['node_modules/a', 'node_modules/a/node_modules/b', 'packages/own'];
    for (const path of packages) {
      mkdirSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path, 'package.json'), '{}');
    }
    const found = [hasWhatNpmInstalled(folder)];
    const noted = { packages: Object.fromEntries(packages.map((path) => [path, {}])) };
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(noted));
    found.push(hasWhatNpmInstalled(folder));
    rmSync(join(folder, 'node_modules/a/node_modules/b/package.json'));
    found.push(hasWhatNpmInstalled(folder));
    expect(found).toEqual([false, true, false]);
  });

  it('finds what is installed here', () => {
    expect(hasWhatNpmInstalled(root)).toBe(true);
  });
});

describe('reasonFor', () => {
  it.each([
    ['npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write', /no space is left .* free some/],
    ['npm error code EAI_AGAIN\nnpm error errno EAI_AGAIN', /cannot reach its registry: check the network/],
    ['npm error code ECONNREFUSED', /cannot reach its registry/],
    ['npm error network request to https://registry.example failed', /cannot reach its registry/],
    ['npm error code EACCES\nnpm error syscall mkdir', /make them writable/],
    ['npm error code EROFS', /make them writable/],
    ['spawnSync npm ENOENT', /install npm 10 or later/],
    ['npm error code EUSAGE', /`npm ci` failed for the reason above/],
  ])('of %j says what to do, in one line', (text, expected) => {
    expect(reasonFor(text)).toMatch(expected);
    expect(reasonFor(text)).not.toContain('\n');
  });
});
