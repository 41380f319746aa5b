// Installing packages: the folders that npm gets, and the one line that says why they could not be installed.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { npmFolders, reasonFor } from './install.mjs';

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
