import { expect, it } from 'vitest';
import { toDefinition } from './add.js';

const { signal } = new AbortController();

it.each([
  [[], { http: 'http://h/mcp', env: ['A=b'] }, /--env goes with a command/],
  [['node'], { header: ['A=b'] }, /--header goes with --http/],
  [[], { definition: '{}', env: ['A=b'] }, /--env/],
  [[], { definition: '{}', header: ['A=b'] }, /--header/],
])('refuses what would have no effect: %j %j', async (words, options, message) => {
  await expect(toDefinition(words, options, signal)).rejects.toThrow(message);
});

it('takes what goes together', async () => {
  expect(await toDefinition(['node', 'x'], { env: ['A=b=c'] }, signal)).toEqual({
    command: 'node',
    args: ['x'],
    env: { A: 'b=c' },
  });
  const http = { http: 'http://h/mcp', header: ['A=b'] };
  expect(await toDefinition([], http, signal)).toEqual({ url: 'http://h/mcp', headers: { A: 'b' } });
});
