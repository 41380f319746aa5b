// Why packages could not be installed, in one line that says what to do.
import { describe, expect, it } from 'vitest';
import { reasonFor } from './install.mjs';

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
