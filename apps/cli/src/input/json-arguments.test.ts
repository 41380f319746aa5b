// Arguments of the command line: pairs and objects together, each number with all of its digits.
import { writeExact } from '@portico/contracts';
import { expect, it } from 'vitest';
import { readArguments } from './json-arguments.js';

it.each([
  [['id:=1098765432109876543'], '{"id":1098765432109876543}'],
  [['id:= 1e400 ', 'name=1.0'], '{"id":1e400,"name":"1.0"}'],
  [['in:=[1.0,{"zero":-0.0}]'], '{"in":[1.0,{"zero":-0.0}]}'],
  [['{"id":1098765432109876543,"n":1.0}', 'n:=2.0'], '{"id":1098765432109876543,"n":2.0}'],
  [['n:=1.0', 'n:=1'], '{"n":1}'],
  [['n:=1.0', 'n=1'], '{"n":"1"}'],
  [['{"n":1}', '{"n":1.0}'], '{"n":1.0}'],
  [['__proto__:=1.0', 'a:=1'], '{"__proto__":1.0,"a":1}'],
])('%j are %s', async (words, expected) => {
  expect(writeExact(await readArguments(words, undefined, new AbortController().signal))).toBe(expected);
});

it.each([
  ['integer=9007199254740993', '{"integer":9007199254740993}'],
  ['integer=-1098765432109876543', '{"integer":-1098765432109876543}'],
  ['number=0.10000000000000000001', '{"number":0.10000000000000000001}'],
  ['number=1e400', '{"number":1e400}'],
  ['list=[9007199254740993, 1.0]', '{"list":[9007199254740993,1.0]}'],
  ['object={"id": 9007199254740993}', '{"object":{"id":9007199254740993}}'],
  ['nullable=9007199254740993', '{"nullable":9007199254740993}'],
])('%s, as its schema wants it, is %s', async (word, expected) => {
  const properties = {
    integer: { type: 'integer' },
    number: { type: 'number' },
    list: { type: 'array' },
    object: { type: 'object' },
    nullable: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  };
  const findSchema = async () => ({ type: 'object', properties });
  expect(writeExact(await readArguments([word], undefined, new AbortController().signal, findSchema))).toBe(expected);
});
