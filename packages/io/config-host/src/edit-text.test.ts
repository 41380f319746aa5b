// An edit changes what it names, in a text that may be laid out in any way.
import { applyEdits, type ConfigEdit } from '@portico/control-plane';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editText } from './edit-text.js';
import { parseConfig } from './load-config.js';

const set = (path: string, value: ConfigEdit['value']): ConfigEdit => ({ path: path.split('/'), value });
const remove = (path: string) => set(path, undefined);

describe('editText', () => {
  it('leaves comments, order and layout as they are', () => {
    const text = `// mine
{
\t"b": 1, // about b
\t/* about a */
\t"a": {
\t\t"x": [1, 2], // inside
\t},
}
`;
    expect(editText(text, [set('b', 2), set('a/x', [3]), set('a/y', { z: true }), set('c', 'd')])).toBe(`// mine
{
\t"b": 2, // about b
\t/* about a */
\t"a": {
\t\t"x": [3], // inside
\t\t"y": {
\t\t\t"z": true
\t\t},
\t},
\t"c": "d",
}
`);
  });

  it('leaves the comment of a last line in its line', () => {
    expect(editText('{\n  "a": 1 // about a\n}', [set('b', 2)])).toBe('{\n  "a": 1, // about a\n  "b": 2\n}');
  });

  it('takes a line out, and no comment', () => {
    const text = '{\n  // about a\n  "a": 1, // one\n  "b": 2, // two\n  // about c\n  "c": 3\n}';
    expect(editText(text, [remove('b')])).toBe(
      '{\n  // about a\n  "a": 1, // one\n  // two\n  // about c\n  "c": 3\n}',
    );
    expect(editText('{\n  // x\n  "a": 1,\n  // y\n  "b": 2\n}', [remove('a')])).toBe('{\n  // x\n  // y\n  "b": 2\n}');
    expect(editText('{\n  "a": 1, // x\n  "b": 2\n}', [remove('b')])).toBe('{\n  "a": 1 // x\n}');
  });

  it.each([
    ['{"a":1,}', '{}'],
    ['{"a": 1, "b": 2}', '{"b": 2}'],
    ['{"b": 2, "a": 1}', '{"b": 2}'],
    ['{\n  "a": 1,\n}', '{\n}'],
    ['{\n  "a": 1 /* c */ ,\n  "b": 2\n}', '{\n /* c */ \n  "b": 2\n}'],
    ['{\n  "b": 2\n  , "a": 1\n}', '{\n  "b": 2\n  \n}'],
  ])('takes a field out of %j', (text, expected) => {
    expect(editText(text, [remove('a')])).toBe(expected);
  });

  it('removes nothing where there is nothing', () => {
    for (const text of ['{}', '{"a": null}', '{"a": {}}'])
      expect(editText(text, [remove('a/b'), remove('c')])).toBe(text);
  });

  it.each([
    ['{}', '{"a": {"b": 1}}'],
    ['{\n}\n', '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['{"a": null}', '{"a": { "b": 1 }}'],
    ['{"a": {}}', '{"a": {"b": 1}}'],
    ['{\n  "a": {}\n}', '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['{\n  "a": { // none\n  }\n}', '{\n  "a": { // none\n    "b": 1\n  }\n}'],
    ['{\n  "a": null\n}', '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['{\n  "a": { "c": 2 }\n}', '{\n  "a": { "c": 2, "b": 1 }\n}'],
    ['{\n  "a": { "c": 2, }\n}', '{\n  "a": { "c": 2, "b": 1, }\n}'],
  ])('puts a field into %j', (text, expected) => {
    expect(editText(text, [set('a/b', 1)]).replaceAll('{ "b": 1 }', '{"b": 1}')).toBe(
      expected.replaceAll('{ "b": 1 }', '{"b": 1}'),
    );
  });

  it('goes on with the line endings, the tabs and the byte order mark of the text', () => {
    expect(editText('\uFEFF{\r\n\t"a": 1\r\n}\r\n', [set('b', { c: 'x\ny' })])).toBe(
      '\uFEFF{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": "x\\ny"\r\n\t}\r\n}\r\n',
    );
  });

  it('meets names of every kind', () => {
    const names = ['a.b', 'a/b', '', '__proto__', 'constructor', '0', 'é 🙅', 'a"b\\c', '//'];
    const edits = names.map((name) => ({ path: ['mcpServers', name], value: { command: name } }));
    const text = editText('{\n  "mcpServers": {} // none\n}', edits);
    const value = parseConfig('f', text);
    expect(Object.entries(value.mcpServers ?? {}).sort()).toEqual(
      names.map((name) => [name, { command: name }]).sort(),
    );
    const none = editText(
      text,
      names.map((name) => ({ path: ['mcpServers', name], value: undefined })),
    );
    expect(parseConfig('f', none)).toEqual({ mcpServers: {} });
    expect(none).toContain('// none');
  });

  it('means what an edit of the object means', () => {
    const name = fc.constantFrom('a', 'b', 'c', '__proto__');
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 }));
    const objects = fc.dictionary(
      name,
      fc.oneof(leaf, fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf)))),
      {
        noNullPrototype: true,
      },
    );
    const edit = fc.record({
      path: fc.array(name, { minLength: 1, maxLength: 3 }),
      value: fc.oneof(leaf, fc.constant(undefined), fc.dictionary(name, leaf, { noNullPrototype: true })),
    });
    const layouts = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => JSON.stringify(JSON.parse(text)),
      (text) => text.replaceAll('\n', '\r\n'),
      (text) =>
        text
          .replace(/([^\s{[,])\n/g, '$1,\n')
          .replace(/,\n$/, '\n')
          .replace(/,$/, ''),
      (text) => text.replace(/\n( *)(?=[\]}"\d])/g, ' // note\n$1'),
      (text) => text.replace(/,\n/g, '\n, /* note */ '),
    );
    fc.assert(
      fc.property(objects, fc.array(edit, { maxLength: 4 }), layouts, (object, edits, layOut) => {
        const text = layOut(JSON.stringify(object, null, 2));
        const edited = editText(text, edits);
        expect(JSON.stringify(sorted(parseConfig('f', edited)))).toBe(
          JSON.stringify(sorted(applyEdits(object, edits))),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '{"mcpServers": {}}',
    '{\n  "mcpServers": {}\n}\n',
    '{\n  "mcpServers": {\n    // none\n  },\n}\n',
    '{\r\n\t"mcpServers": {\r\n\t\t"b": {} // c\r\n\t}\r\n}\r\n',
  ])('leaves no trace in %j of servers that are added and taken out again', (text) => {
    const edits = (value: ConfigEdit['value']) => ['n', 'm'].map((id) => ({ path: ['mcpServers', id], value }));
    const added = editText(text, edits({ command: 'x', args: ['a'] }));
    expect(editText(added, edits(undefined))).toBe(text);
  });

  it.each(['{\n  "port": 1\n}\n', '{\n  "port": 1, // c\n}\n', '{}', '{"port": 1}'])(
    'leaves no trace in %j of an object that is added and taken out again',
    (text) => {
      const added = editText(text, [{ path: ['mcpServers', 'n'], value: { command: 'x' } }]);
      expect(editText(added, [{ path: ['mcpServers'], value: undefined }])).toBe(text);
    },
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, sorted(each)]);
}
