// The shared part of a file, and the changes to it since.
import type { JsonObject } from '@portico/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyEdits } from '../config-source.js';
import { editsSince, outlineOf } from './outline.js';
import { sharedPart } from './shared-fields.js';

const file = {
  $schema: './config.schema.json',
  'x-mine': 1,
  port: 9000,
  storage: { url: 'postgres://u:secret@h/db' },
  mcpServers: { git: { command: 'git-mcp', env: { TOKEN: 'secret' }, args: ['a', 'b'] } },
  policy: null,
  rbac: { roles: {} },
};

it('leaves out the fields of the host, of others, and those without sharing', () => {
  expect(Object.keys(sharedPart(file))).toEqual(['mcpServers', 'policy', 'rbac']);
});

it('has no value in it', () => {
  const text = JSON.stringify(outlineOf(file));
  expect(text).not.toContain('secret');
  expect(text).not.toContain('git-mcp');
  expect(JSON.parse(text)).toEqual(outlineOf(file));
});

it('reports later changes, field by field, and lists as a whole', () => {
  const git = { command: 'git-mcp', env: { TOKEN: 'secret', MORE: '1' }, args: ['b'] };
  const now = { ...file, port: 1, mcpServers: { git, web: { url: 'https://h' } }, policy: {}, rbac: undefined };
  expect(editsSince(outlineOf(file), now as JsonObject)).toEqual([
    { path: ['mcpServers', 'git', 'env', 'MORE'], value: '1' },
    { path: ['mcpServers', 'git', 'args'], value: ['b'] },
    { path: ['mcpServers', 'web'], value: { url: 'https://h' } },
    { path: ['policy'], value: {} },
  ]);
  const { rbac: _, ...without } = file;
  expect(editsSince(outlineOf(file), without)).toEqual([{ path: ['rbac'], value: undefined }]);
});

it('reports a new object field by field, except the definition of a server', () => {
  const now = {
    profiles: { p: { servers: ['x'], policy: {} }, none: {} },
    mcpServers: { web: { url: 'https://h', headers: { a: '1' } } },
    rbac: {},
  };
  expect(editsSince({}, now)).toEqual([
    { path: ['profiles', 'p', 'servers'], value: ['x'] },
    { path: ['profiles', 'p', 'policy'], value: {} },
    { path: ['profiles', 'none'], value: {} },
    { path: ['mcpServers', 'web'], value: { url: 'https://h', headers: { a: '1' } } },
    { path: ['rbac'], value: {} },
  ]);
});

it('reports every edit that turns one file into another, and no more', () => {
  const name = fc.constantFrom('a', 'b', '__proto__', 'toString');
  const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 }));
  const object = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf)));
  const files = fc.dictionary(fc.constantFrom('policy', 'rbac', 'port', 'x'), fc.oneof(leaf, object));
  fc.assert(
    fc.property(files, files, (before, after) => {
      const edits = editsSince(outlineOf(before), after);
      expect(sharedPart(applyEdits(before, edits))).toEqual(sharedPart(after));
      expect(editsSince(outlineOf(after), after)).toEqual([]);
      for (const [index] of edits.entries()) {
        const others = edits.filter((_, at) => at !== index);
        expect(sharedPart(applyEdits(before, others))).not.toEqual(sharedPart(after));
      }
    }),
  );
});
