import { expect, it } from 'vitest';
import { childEnv } from './child-env.js';

const base = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_TIME: 'C',
  TERM: 'xterm',
  NODE_OPTIONS: '--inspect',
  GITHUB_TOKEN: 'secret',
  SHELL: '() { evil; }',
  LANG: undefined,
};

it('gives a child the harmless variables and the configured ones, which win', () => {
  expect(childEnv(base, { TERM: 'dumb', API_KEY: 'k' }, 'linux')).toEqual({
    PATH: '/bin',
    HOME: '/home/me',
    LC_TIME: 'C',
    TERM: 'dumb',
    API_KEY: 'k',
  });
});

it('knows the variables that Windows programs need, in any case', () => {
  expect(childEnv({ Path: 'C:\\bin', SystemRoot: 'C:\\Windows', HOME: '/x', TOKEN: 's' }, {}, 'win32')).toEqual({
    Path: 'C:\\bin',
    SystemRoot: 'C:\\Windows',
  });
});
