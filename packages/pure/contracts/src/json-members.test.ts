import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isJsonObject, membersOf, withoutMembers } from './index.js';

describe('membersOf', () => {
  it.each<[string, readonly (readonly [string, string])[]]>([
    ['{}', []],
    [' { } ', []],
    ['{"a":1.0}', [['a', '1.0']]],
    [
      '{ "a" : [ 1, {"b":"]}"} ] , "c":"\\",\\"d\\":1" }',
      [
        ['a', '[ 1, {"b":"]}"} ]'],
        ['c', '"\\",\\"d\\":1"'],
      ],
    ],
    [
      '{"\\u0061":{"x":1},"a":2}',
      [
        ['a', '{"x":1}'],
        ['a', '2'],
      ],
    ],
    ['{"__proto__":null}', [['__proto__', 'null']]],
  ])('of %s', (text, expected) => {
    expect(membersOf(text).map(({ name, valueText }) => [name, valueText])).toEqual(expected);
  });

  test('of any object are its members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (object, space) => {
        const text = JSON.stringify(object, null, space);
        const read = membersOf(text).map(({ name, valueText }) => [name, JSON.parse(valueText)]);
        expect(read).toEqual(Object.entries(JSON.parse(text)));
      }),
    );
  });
});

test('an object without some of its members is the others', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 0, max: 3 }), (object, at) => {
      const dropped = Object.keys(object).slice(at, at + 1);
      const expected: unknown = JSON.parse(JSON.stringify(object));
      if (isJsonObject(expected)) for (const name of dropped) Reflect.deleteProperty(expected, name);
      expect(JSON.parse(withoutMembers(JSON.stringify(object), dropped))).toEqual(expected);
    }),
  );
});
