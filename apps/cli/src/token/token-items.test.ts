// Changes of `rbac.tokens` find their token in the list of the write, wherever it is by then.
import { expect, it } from 'vitest';
import { describeItem, withNewDigest, withoutToken, withToken } from './token-items.js';

const digest = (digit: string) => digit.repeat(64);
const ann = { role: 'ops', actorId: 'ann', tokenEnv: 'ANN' };
const bob = { role: 'reader', actorId: 'bob', tokenSha256: digest('B') };
const unnamed = { role: 'reader', tokenSha256: digest('c') };

it('a token is removed by its name or its digest, and not by a place', () => {
  expect(withoutToken([bob, ann], 'ann')).toEqual([bob]);
  expect(withoutToken([unnamed, ann, bob], 'bbbbbbbb')).toEqual([unnamed, ann]);
  expect(describeItem([ann, unnamed], 'cccccccc')).toEqual({ name: null, role: 'reader' });
});

it('a token that is replaced keeps its place and its other fields', () => {
  expect(withNewDigest([bob, ann], 'ann', digest('d'))).toEqual([
    bob,
    { role: 'ops', actorId: 'ann', tokenSha256: digest('d') },
  ]);
});

it.each([
  ['removed', () => withoutToken([bob], 'ann'), 'there is no token "ann"'],
  ['replaced', () => withNewDigest([bob], 'ann', digest('d')), 'there is no token "ann"'],
  ['removed', () => withoutToken([ann, bob, ann], 'ann'), '"ann" names 2 tokens'],
  ['removed', () => withoutToken([bob], 'bbbbbbb'), 'there is no token "bbbbbbb"'],
  ['added', () => withToken([bob, ann], 'ann', 'ops', digest('d')), 'there is a token "ann"'],
])('fails to %s a token if the name does not match exactly one, or is taken (%#)', (_what, change, said) => {
  expect(change).toThrow(said);
});
