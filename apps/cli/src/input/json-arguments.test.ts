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
