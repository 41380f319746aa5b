// No known secret stays in a text, however it is written there; what holds none stays as it is.
import { parseExact, writeExact } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createKnownSecrets } from './known-secrets.js';

function knowing(...values: readonly string[]) {
  const secrets = createKnownSecrets();
  secrets.learn('s', values);
  return secrets;
}

test.each([
  ['as it is', 'hunter2hunter2', 'got hunter2hunter2 and hunter2hunter2', 'got [REDACTED] and [REDACTED]'],
  ['in JSON', 'a"quoted"\nkey', `{"k":${JSON.stringify('a"quoted"\nkey')}}`, '{"k":"[REDACTED]"}'],
  ['in a URL', 'a secret/ü', 'https://h/?k=a%20secret%2F%C3%BC', 'https://h/?k=[REDACTED]'],
  ['line by line', 'first line\nsecond line', 'stderr: second line', 'stderr: [REDACTED]'],
  ['cut off at the end', 'hunter2hunter2', 'got hunter2hun…', 'got [REDACTED]'],
  ['cut off at the end of a line', 'hunter2hunter2', 'got hunter2hunter', 'got [REDACTED]'],
])('replaces a secret %s', (_how, value, text, expected) => {
  const { mask } = knowing(value);
  expect(mask(text)).toBe(expected);
  expect(mask(expected)).toBe(expected);
});

test('replaces the longest of several that overlap', () => {
  expect(knowing('secret', 'secretsecret').mask('secretsecret!')).toBe('[REDACTED]!');
});

test('leaves values alone that are words of everyday', () => {
  expect(knowing('true', '').mask('it is true')).toBe('it is true');
});

test('knows a rotated secret as long as those who got it may run, and those of other servers always', () => {
  const secrets = knowing('the first');
  secrets.learn('other', ['another']);
  secrets.learn('s', ['the second']);
  secrets.learn('s', ['the second']);
  expect(secrets.mask('the first, the second, another')).toBe('[REDACTED], [REDACTED], [REDACTED]');
  secrets.learn('s', ['the third']);
  expect(secrets.mask('the first, the second, the third')).toBe('the first, [REDACTED], [REDACTED]');
});

test('looks into objects and lists, and gives back what holds nothing', () => {
  const { maskJson } = knowing('hunter2');
  expect(maskJson({ a: ['hunter2', 1, null], hunter2: { b: true } })).toEqual({
    a: ['[REDACTED]', 1, null],
    '[REDACTED]': { b: true },
  });
  const value = { a: [1] };
  expect(createKnownSecrets().maskJson(value)).toBe(value);
  expect(maskJson(value)).toEqual(value);
});

test('finds a secret of digits that is sent as a number', () => {
  const { maskJson } = knowing('482915637');
  expect(maskJson({ pin: 482915637, other: [12345678, 482915637] })).toEqual({
    pin: '[REDACTED]',
    other: [12345678, '[REDACTED]'],
  });
  expect(maskJson(482915637)).toBe('[REDACTED]');
});

test('keeps the numbers beside a masked text as they were written', () => {
  const secrets = createKnownSecrets();
  secrets.learn('s', ['hunter2hunter2']);
  const args = parseExact('{"id":1098765432109876543,"in":[{"password":"hunter2hunter2","n":1.0}]}');
  const text = writeExact(secrets.maskObject(args));
  expect(text).toMatch(/^\{"id":1098765432109876543,"in":\[\{"password":"[^"]*","n":1\.0\}\]\}$/);
  expect(text).not.toContain('hunter2');
});

test('masks a secret of digits that is sent as a number, to the last digit', () => {
  const secrets = knowing('8675309112', '1098765432109876543');
  const args = '{"a":8675309112,"b":[1098765432109876543,1098765432109876544,7],"c":{"d":1.0}}';
  expect(writeExact(secrets.maskObject(parseExact(args)))).toBe(
    '{"a":"[REDACTED]","b":["[REDACTED]",1098765432109876544,7],"c":{"d":1.0}}',
  );
  const plain = parseExact('{"a":[1,2.5]}');
  expect(secrets.maskObject(plain)).toBe(plain);
});
