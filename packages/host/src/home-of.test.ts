// The home directory that a host reads.
import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { defaultStateDir } from './default-state-dir.js';
import { homeOf } from './home-of.js';

describe('homeOf', () => {
  it('is the home that the environment names, as each platform names it', () => {
    expect(homeOf({ HOME: '/home/ann', USERPROFILE: 'C:\\ann' }, 'linux')).toBe('/home/ann');
    expect(homeOf({ HOME: '/home/ann', USERPROFILE: 'C:\\ann' }, 'win32')).toBe('C:\\ann');
  });

  it('is that of the process where the environment names none', () => {
    expect([homeOf({}), homeOf({ HOME: '' }, 'linux')]).toEqual([homedir(), homedir()]);
  });

  it('is where state is kept by default', () => {
    expect(defaultStateDir('/c.json', { HOME: '/home/ann' })).toMatch(
      /^\/home\/ann\/\.local\/state\/portico\/[0-9a-f]{16}$/,
    );
  });
});
