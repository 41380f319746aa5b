// JSON texts that may be passed on in place of their values.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type JsonValue, standsFor } from './json.js';

const standsForOwn = (text: string) => standsFor(text, JSON.parse(text) as JsonValue);

it.each([
  '{}',
  ' { "a" : [ ] , "b":{ } }\t',
  '{"a":[1.0,-0.0,1e400,1098765432109876543,0.1e1]}',
  String.raw`{"a":"\u0041\ud800\/","\u0062":":,{}[]\"\\"}`,
  '{"__proto__":{"a":1},"constructor":{"__proto__":null}}',
  '[{"a":1},{"a":2},null,["a",{"a":{"a":[]}}]]',
  '{"a":"\u2028\u0085"}',
  '"text"',
])('%s represents its value', (text) => {
  expect(standsForOwn(text)).toBe(true);
});

it.each([
  '{"a":1,"a":2}',
  '{"a":1,"a":1}',
  String.raw`{"a":1,"\u0061":2}`,
  '{"b":[{"c":{"a":1,"b":2,"a":3}}]}',
  '{"__proto__":1,"__proto__":2}',
  '{"a":\n1}',
  '{"a":1\r}',
])('%j does not, since a reader may take it for more than one line or for another value', (text) => {
  expect(standsForOwn(text)).toBe(false);
});

it('holds for every value written once, and for none with a member added twice', () => {
  const member = fc.tuple(fc.string({ unit: 'binary' }), fc.jsonValue());
  const check = (value: unknown, [key, other]: readonly [string, unknown]) => {
    expect(standsForOwn(JSON.stringify(value))).toBe(true);
    const twice = `${JSON.stringify(key)}:${JSON.stringify(value)},${JSON.stringify(key)}:${JSON.stringify(other)}`;
    expect(standsForOwn(`{"around":[{${twice}}]}`)).toBe(false);
  };
  fc.assert(fc.property(fc.jsonValue(), member, check), { numRuns: 2000 });
});
