// References between the steps of a batch.
import type { JsonObject, JsonValue } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveReferences } from './index.js';

const outputs = new Map<string, JsonValue>([
  ['list', { content: [{ type: 'text', text: '{"files":["x.txt",{"size":3}],"content":"hidden"}' }], isError: false }],
  ['user', { content: [], structuredContent: { id: 7, 'full name': 'Ann "A"', tags: ['a', null], 'x-id': 'h', é: 1 } }],
  ['user.v2', { value: 'longer id' }],
  ['rows', [[1, 2], { a: '${user.id}' }]],
  ['1', { a: 'one' }],
  ['texts', { content: [{ type: 'text', text: '[{"id":5}]' }] }],
]);
const stepIds = [...outputs.keys(), 'failed', 'later'];
const resolve = (value: JsonValue) => resolveReferences({ value }, outputs, stepIds);

describe('a string that is a reference', () => {
  it.each<[string, JsonValue]>([
    ['$list.isError', false],
    ['$list.content[0].type', 'text'],
    ['$list.files[0]', 'x.txt'],
    ['$list.files[1]', { size: 3 }],
    ['$user.id', 7],
    ['$user.structuredContent.id', 7],
    ['$user["full name"]', 'Ann "A"'],
    ['$user.tags', ['a', null]],
    ['$user.tags[1]', null],
    ['$user.x-id', 'h'],
    ['$user.é', 1],
    ['$user["\\u00e9"]', 1],
    ['$user.v2.value', 'longer id'],
    ['$rows[0][1]', 2],
    ['$rows[1].a', '${user.id}'],
    ['$1.a', 'one'],
    ['$texts[0].id', 5],
  ])('%s becomes the value', (text, value) => {
    expect(resolve(text)).toEqual({ ok: true, args: { value } });
  });

  it('is found at any depth, and the arguments stay as they were', () => {
    const args = { a: [{ b: ['$user.id', 1, null] }], c: { d: '$list.files' } };
    const before = structuredClone(args);
    expect(resolveReferences(args, outputs, stepIds)).toEqual({
      ok: true,
      args: { a: [{ b: [7, 1, null] }], c: { d: ['x.txt', { size: 3 }] } },
    });
    expect(args).toEqual(before);
  });

  it('does not resolve in keys, and keeps keys such as __proto__', () => {
    const args: JsonObject = JSON.parse('{"__proto__": "$user.id", "$user.id": 1}');
    const resolved = resolveReferences(args, outputs, stepIds);
    expect(resolved.ok && JSON.stringify(resolved.args)).toBe('{"__proto__":7,"$user.id":1}');
  });
});

describe('a reference inside a text', () => {
  it.each<[string, string]>([
    ['id ${user.id}!', 'id 7!'],
    ['${user.id}', '7'],
    ['${user.id}${user["full name"]}', '7Ann "A"'],
    ['tags: ${user.tags}', 'tags: ["a",null]'],
    ['${list.files[1]} ${list.files[0]}', '{"size":3} x.txt'],
    ['$user.id ${user.id}', '$user.id 7'],
    ['${${user.id}}', '${7}'],
    ['row: ${rows[1].a}', 'row: ${user.id}'],
  ])('%j becomes %j', (text, value) => {
    expect(resolve(text)).toEqual({ ok: true, args: { value } });
  });
});

describe('a text that names no step', () => {
  it.each([
    '$5.00',
    '$1.50',
    '$1',
    '$HOME',
    '${HOME}',
    '${home.x}',
    '$',
    '${',
    '$.content',
    '$["a"]',
    '$..a',
    'costs $user.id',
    '$user',
    '${user}',
    '$user.',
    '$HOME.x/y',
    '$user.id is the id',
    '$user[x]',
    '${1.50}',
  ])('%s stays as it is', (text) => {
    expect(resolve(text)).toEqual({ ok: true, args: { value: text } });
  });
});

describe('a text that begins with $$', () => {
  it.each([
    ['$$user.id', '$user.id'],
    ['$$users.id', '$users.id'],
    ['$$', '$'],
    ['$$5', '$5'],
    ['$$$user.id', '$$user.id'],
    ['$$HOME is ${user.id}', '$HOME is 7'],
    ['$${user.id}', '$7'],
  ])('%s becomes %s', (text, value) => {
    expect(resolve(text)).toEqual({ ok: true, args: { value } });
  });
});

describe('a reference without a value', () => {
  it.each([
    ['$users.id', 'the batch has no step users; if the text itself is meant, write $$users.id'],
    ['$HOME.x', 'the batch has no step HOME; if the text itself is meant, write $$HOME.x'],
    ['$s11[0].sum', 'the batch has no step s11; if the text itself is meant, write $$s11[0].sum'],
    ['$2.sum', 'the batch has no step 2; if the text itself is meant, write $$2.sum'],
  ])('%s is an issue, since it names no step', (text, message) => {
    const issue = { path: 'args.value', message: `${text} cannot be resolved: ${message}` };
    expect(resolve(text)).toEqual({ ok: false, issue });
  });

  it.each([
    ['$later.a', '$later.a cannot be resolved: step later has no result'],
    ['x ${failed.a}', '${failed.a} cannot be resolved: step failed has no result'],
    ['$user.nobody', '$user.nobody cannot be resolved: the result has nothing there'],
    ['$user.tags[2]', '$user.tags[2] cannot be resolved: the result has nothing there'],
    ['$user.tags.length', '$user.tags.length cannot be resolved: the result has nothing there'],
    ['$user.__proto__', '$user.__proto__ cannot be resolved: the result has nothing there'],
    ['$user.constructor.name', '$user.constructor.name cannot be resolved: the result has nothing there'],
    ['$list.content.files', '$list.content.files cannot be resolved: the result has nothing there'],
    ['$user.tags[x]', '$user.tags[x] is not a reference: a path takes .name, [n] and ["name"]'],
    ['$user.id.', '$user.id. is not a reference: a path takes .name, [n] and ["name"]'],
    ['$user["a\\x"]', '$user["a\\x"] is not a reference: a path takes .name, [n] and ["name"]'],
    ['a ${user.id', '${user.id is not a reference: a path takes .name, [n] and ["name"]'],
    ['a ${user.tags[-1]} b', '${user.tags[ is not a reference: a path takes .name, [n] and ["name"]'],
  ])('%s is an issue', (text, message) => {
    expect(resolveReferences({ a: [{ b: text }] }, outputs, stepIds)).toEqual({
      ok: false,
      issue: { path: 'args.a[0].b', message },
    });
  });

  it('includes results that together would be too large', () => {
    const large = new Map([['big', { text: 'x'.repeat(1024 * 1024) }]]);
    expect(resolveReferences({ all: new Array(20).fill('$big.text') }, large, ['big'])).toEqual({
      ok: false,
      issue: {
        path: 'args.all[3]',
        message: '$big.text cannot be resolved: the results come to more than 4 MiB (a fixed limit)',
      },
    });
  });

  it('includes arguments that are nested too deeply', () => {
    const args = JSON.parse(`{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(resolveReferences(args, outputs, stepIds)).toEqual({
      ok: false,
      issue: { path: 'args', message: 'is nested too deeply' },
    });
  });
});

it('leaves arguments without a dollar sign as they are', () => {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('$', ''));
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text), fc.integer())), (args) => {
      expect(resolveReferences(args, outputs, stepIds)).toEqual({ ok: true, args });
    }),
  );
});
