import { expect, test } from 'vitest';
import { emptyForm, readForm, toForm } from './server-form.js';

const definitions = [
  { command: 'npx', args: ['-y', 'a b'], env: { KEY: '********', OTHER: 'x=y' } },
  { url: 'https://mcp.example/', headers: { Authorization: 'Bearer: x' }, auth: { type: 'bearer', tokenEnv: 'T' } },
  { command: 'sh', args: ['-c', 'a\nb'], env: { TEXT: 'two\nlines' }, resilience: { maxRestarts: 1 } },
];

test.each(definitions)('%j comes back as it was', (definition) => {
  expect(readForm(toForm('one', definition))).toEqual({ ok: true, name: 'one', server: definition });
});

test('what is missing is said beside its field', () => {
  expect(readForm({ ...emptyForm, env: 'A=1\nB', more: '[' })).toEqual({
    ok: false,
    errors: {
      name: 'Give the server a name.',
      command: 'Name the program to start.',
      env: 'Line 2 has no "=" between name and value.',
      more: expect.stringMatching(/^This is not valid JSON/),
    },
  });
  expect(readForm({ ...emptyForm, name: 'x', transport: 'http' })).toEqual({
    ok: false,
    errors: { url: 'Give the address of the server.' },
  });
});
