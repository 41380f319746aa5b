import { expect, test } from 'vitest';
import { explainEntryOf, type PaletteEntry, toEntries } from './entries.js';
import { createEntryIndex } from './entry-index.js';

const none = { pages: [], servers: [], tools: [], tickets: [], calls: [], actions: [] };
const tools = [
  { id: 'github.create_issue', summary: 'Creates an issue' },
  { id: 'files.read_text_file', summary: 'Reads a file' },
];
const ids = (entries: readonly PaletteEntry[]) => entries.map(({ id }) => id);

test('an entry is found by the start of each of its words, a tool by the parts of its id too', () => {
  const index = createEntryIndex();
  index.update(toEntries({ ...none, tools, pages: [{ path: '/audit', title: 'Audit' }] }));
  expect(ids(index.find('iss', 5))).toEqual(['Tool github.create_issue']);
  expect(ids(index.find('github.create', 5))).toEqual(['Tool github.create_issue']);
  expect(ids(index.find('audit', 5))).toEqual(['Page /audit']);
  expect(index.find('nothing like it', 5)).toEqual([]);
});

test('a long number is found as it is', () => {
  const index = createEntryIndex();
  const numbered = Array.from({ length: 300 }, (_, at) => ({ id: `big.t0${7000 + at}`, summary: 'One of many' }));
  index.update(toEntries({ ...none, tools: numbered }));
  expect(ids(index.find('t07177', 5))).toEqual(['Tool big.t07177']);
});

test('without words the first entries are shown, pages before tools', () => {
  const index = createEntryIndex();
  index.update(toEntries({ ...none, tools, pages: [{ path: '/', title: 'Overview' }] }));
  expect(ids(index.find('', 2))).toEqual(['Page /', 'Tool github.create_issue']);
});

test('a removed entry is not found any more, and a changed entry is found by its new words', () => {
  const index = createEntryIndex();
  index.update(toEntries({ ...none, tools }));
  index.update(toEntries({ ...none, tools: [{ id: 'files.read_text_file', summary: 'Opens a document' }] }));
  expect([ids(index.find('issue', 5)), ids(index.find('document', 5)), ids(index.find('reads', 5))]).toEqual([
    [],
    ['Tool files.read_text_file'],
    [],
  ]);
});

test.each([
  ['appr-1790000000-1', '/?why=appr-1790000000-1'],
  [' aud-000000000012 ', '/?why=aud-000000000012'],
  ['0af7651916cd43dd8448eb211c80319c', '/?why=0af7651916cd43dd8448eb211c80319c'],
  ['approve', undefined],
])('%s leads to %s', (text, href) => {
  expect(explainEntryOf(text)?.href).toBe(href);
});
