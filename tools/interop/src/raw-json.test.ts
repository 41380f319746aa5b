import { describe, expect, it } from 'vitest';
import { itemsOf, membersOf, objectOf } from './raw-json.js';

describe('the texts of the parts of a JSON text', () => {
  it('are those of the members of an object, as they are written', () => {
    const text = ' { "a" : 1.0, "b\\"": {"c": [1, "},]"]}, "d":[] ,"e": "x\\\\" } ';
    expect([...membersOf(text)]).toEqual([
      ['a', '1.0'],
      ['b"', '{"c": [1, "},]"]}'],
      ['d', '[]'],
      ['e', '"x\\\\"'],
    ]);
  });

  it('are those of the items of an array', () => {
    expect(itemsOf('[1e400, {"a":[2,3]}, "[", 1098765432109876543]')).toEqual([
      '1e400',
      '{"a":[2,3]}',
      '"["',
      '1098765432109876543',
    ]);
    expect(itemsOf('[]')).toEqual([]);
  });

  it('make an object again', () => {
    expect(objectOf(membersOf('{"a": 1.0,"b":"2"}'))).toBe('{"a":1.0,"b":"2"}');
  });

  it('are refused where the text is something else', () => {
    expect(() => membersOf('[]')).toThrow('not the JSON text');
  });
});
