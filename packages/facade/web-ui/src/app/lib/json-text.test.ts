import { parseExact, writeExact } from '@portico/contracts';
import { expect, it } from 'vitest';
import { isEdited, parseJsonObject } from './json-text.js';

const parsed = (text: string) => {
  const result = parseJsonObject(text);
  if (!result.ok) throw new Error(result.message);
  return result.value;
};

it.each([
  ['{"id":1098765432109876543}', '{"id":1098765432109876544}', true],
  ['{"id":1098765432109876543,"a":1}', '{"id":1098765432109876543,"a":2}', true],
  ['{"n":1e400}', '{"n":1e401}', true],
  ['{"n":1e400}', '{"n":null}', true],
  ['{"n":[1]}', '{"n":[1.0]}', true],
  ['{"id":1098765432109876543,"n":1e400}', '{ "id": 1098765432109876543,\n "n": 1e400 }', false],
  ['{"a":"é"}', '{"a":"\\u00e9"}', false],
])('from %s to %s: edited %s', (before, after, expected) => {
  expect(isEdited(parseExact(before), parsed(after))).toBe(expected);
});

it('what is typed keeps every digit', () => {
  const text = '{"id":1098765432109876543,"n":1e400,"in":[1.0,{"zero":-0.0}]}';
  expect(writeExact(parsed(text))).toBe(text);
});
