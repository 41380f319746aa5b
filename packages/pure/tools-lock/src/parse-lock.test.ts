// The text of the file: the same for the same lock, and what is wrong with one that cannot be used.
import { finish } from '@portico/async';
import { expect, it } from 'vitest';
import { otherConfiguration, parseLock, UnusableLock } from './parse-lock.js';
import { serializeLock } from './serialize-lock.js';
import { accepted, listed, lockOf } from './testing/listed.js';

const tool = { name: 'read', description: 'Reads', inputSchema: { type: 'object', ['__proto__']: 1 } };
const lock = lockOf(listed({ tools: [tool], identity: { info: { name: 'files' } } }));
const text = serializeLock(lock);

it('writes a sorted block of lines for each definition, and reads it back', () => {
  expect(finish(parseLock(text))).toEqual(lock);
  expect(serializeLock(finish(parseLock(text)))).toBe(text);
  const digest = lock.get('s')?.lists.tool.get('read')?.digest;
  expect(text).toContain(
    `      "tools": {
        "read": {
          "accepted": {
            "at": "${accepted.at}",
            "by": "ann"
          },
          "definition": {
            "description": "Reads",`,
  );
  expect(text).toContain(`          "digest": "${digest}"\n`);
  expect(text.endsWith('}\n')).toBe(true);
});

it.each<[string, string, string, RegExp]>([
  ['that is no JSON', text.slice(0, -3), 'unreadable', /no JSON.*portico lock init/],
  ['that is a list', '[]', 'unreadable', /no JSON object/],
  ['without a version', '{"servers":{}}', 'unreadable', /lockVersion is undefined, expected 1/],
  ['without servers', '{"lockVersion":1}', 'unreadable', /servers is not an object/],
  ['of a newer format', text.replace('"lockVersion": 1', '"lockVersion": 2'), 'newer', /lockVersion 2.*update Portico/],
  [
    'with marks of a merge',
    text.replace('  "servers"', '<<<<<<< HEAD\n"servers"'),
    'merge_conflict',
    /line \d+ is a conflict/,
  ],
  [
    'with a changed description',
    text.replace('Reads', 'Writes'),
    'hand_edited',
    /servers\.s\.tools\.read was changed by hand/,
  ],
  ['with a changed digest', text.replace(/("digest": ")[0-9a-f]/, '$1x'), 'hand_edited', /changed by hand/],
  ['with a changed server', text.replace('"files"', '"other"'), 'hand_edited', /servers\.s\.server was changed/],
])('refuses a file %s', (_name, found, fault, message) => {
  const parse = () => finish(parseLock(found));
  expect(parse).toThrow(UnusableLock);
  expect(parse).toThrow(message);
  expect(parse).toThrow(expect.objectContaining({ fault }));
});

it('recognizes the lock of another configuration', () => {
  expect(otherConfiguration(lock, ['t'])).toMatch(/another configuration: it has the servers s, and none of t/);
  expect([otherConfiguration(lock, ['s', 't']), otherConfiguration(new Map(), ['t'])]).toEqual([undefined, undefined]);
});
