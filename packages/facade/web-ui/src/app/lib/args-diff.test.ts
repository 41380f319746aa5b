import { parseExact } from '@portico/contracts';
import { expect, it } from 'vitest';
import { diffOf } from './args-diff.js';

it('shows the lines that an edit takes out and puts in', () => {
  expect(diffOf({ names: ['a', 'b'] }, { names: ['a'] })).toEqual([
    { kind: 'same', text: '{' },
    { kind: 'same', text: '  "names": [' },
    { kind: 'removed', text: '    "a",' },
    { kind: 'removed', text: '    "b"' },
    { kind: 'added', text: '    "a"' },
    { kind: 'same', text: '  ]' },
    { kind: 'same', text: '}' },
  ]);
});

it('shows a value that did not change as it is', () => {
  expect(diffOf({}, {})).toEqual([{ kind: 'same', text: '{}' }]);
});

it('shows the digits that a double cannot hold', () => {
  expect(diffOf(parseExact('{"id":1098765432109876543}'), parseExact('{"id":1098765432109876544}'))).toEqual([
    { kind: 'same', text: '{' },
    { kind: 'removed', text: '  "id": 1098765432109876543' },
    { kind: 'added', text: '  "id": 1098765432109876544' },
    { kind: 'same', text: '}' },
  ]);
});
