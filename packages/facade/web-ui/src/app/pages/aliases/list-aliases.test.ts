import { expect, test } from 'vitest';
import { listAliases } from './list-aliases.js';

test('both spellings of an alias are read', () => {
  const none = { summary: '', description: '', isPassthrough: false };
  expect(
    listAliases({
      capabilityAliases: { a: 's.t', b: { target: 's.u', summary: 'Does', passthrough: true } },
      promptAliases: { p: 's.p' },
    }),
  ).toEqual([
    { kind: 'tool', alias: 'a', target: 's.t', ...none },
    { kind: 'tool', alias: 'b', target: 's.u', summary: 'Does', description: '', isPassthrough: true },
    { kind: 'prompt', alias: 'p', target: 's.p', ...none },
  ]);
});
