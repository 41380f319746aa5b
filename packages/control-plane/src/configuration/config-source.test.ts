// The effect of an edit on the object of a configuration file.
import { describe, expect, it } from 'vitest';
import { configOf } from '../testing/start-plane.js';
import { applyEdits, createFixedConfigSource } from './config-source.js';

describe('applyEdits', () => {
  it('sets, replaces and removes, and leaves the rest', () => {
    const file = { a: { b: 1, c: 2 }, d: null };
    const edits = [
      { path: ['a', 'b'], value: 3 },
      { path: ['a', 'c'], value: undefined },
      { path: ['d', 'e', 'f'], value: true },
      { path: ['g'], value: [1] },
    ];
    expect(applyEdits(file, edits)).toEqual({ a: { b: 3 }, d: { e: { f: true } }, g: [1] });
    expect(file).toEqual({ a: { b: 1, c: 2 }, d: null });
  });

  it('makes nothing on the way to what is to be removed', () => {
    const file = { a: null };
    for (const path of [['a', 'b'], ['c', 'd'], ['e']])
      expect(applyEdits(file, [{ path, value: undefined }])).toEqual(file);
  });

  it.each(['__proto__', 'constructor', 'toString'])('takes %s for a name like any other', (name) => {
    const set = applyEdits({ mcpServers: {} }, [{ path: ['mcpServers', name, 'command'], value: 'node' }]);
    expect(JSON.stringify(set)).toBe(`{"mcpServers":{"${name}":{"command":"node"}}}`);
    expect(applyEdits(set, [{ path: ['mcpServers', name], value: undefined }])).toEqual({ mcpServers: {} });
  });
});

describe('a fixed source', () => {
  it('is never changed', async () => {
    const source = createFixedConfigSource(configOf({ mcpServers: {} }));
    await expect(source.change(() => [])).rejects.toThrow('has no configuration file to change');
    expect(await source.load()).toBe(source.current());
  });
});
