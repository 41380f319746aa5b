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
