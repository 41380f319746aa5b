import { describe, expect, it } from 'vitest';
import { createSearchIndex, type SearchQuery } from './index.js';
import { documentOf } from './testing/documents.js';

const documents = [
  documentOf('git.git_log', { description: 'Shows the commit history', argumentNames: ['max_count'], mode: 'read' }),
  documentOf('git.git_commit', { description: 'Records changes to the repository', tags: ['vcs', 'versions'] }),
  documentOf('files.readTextFile', {
    description: 'Read the contents of a file from disk',
    mode: 'read',
    tags: ['disk'],
  }),
  documentOf('files.move_file', { description: 'Move or rename files and directories', tags: ['disk'] }),
  documentOf('notes.查询笔记', { description: '按关键词搜索笔记' }),
];
const index = createSearchIndex(documents);

function idsOf(text: string, rest: Partial<SearchQuery> = {}): readonly string[] {
  return index.search({ text, limit: 10, ...rest }).map((hit) => hit.id);
}

describe('text', () => {
  it.each([
    ['a word of the tool name, whatever its inflection', 'moving', 'files.move_file'],
    ['a part of a camelCase name', 'text', 'files.readTextFile'],
    ['a camelCase name written as one word', 'readtextfile', 'files.readTextFile'],
    ['an argument name', 'count', 'git.git_log'],
    ['a tag', 'versions', 'git.git_commit'],
    ['the beginning of its last word', 'the hist', 'git.git_log'],
    ['a word with a letter missing', 'comit', 'git.git_commit'],
    ['a word with two letters swapped', 'reanme', 'files.move_file'],
    ['a word that begins with an indexed stem of five letters', 'commitlog', 'git.git_commit'],
    ['a Chinese word inside an unspaced sentence', '搜索', 'notes.查询笔记'],
    ['one Chinese character', '询', 'notes.查询笔记'],
    ['accents that the document does not have', 'rénamé', 'files.move_file'],
  ])('finds by %s', (_, text, id) => {
    expect(idsOf(text)[0]).toBe(id);
  });

  it('ignores stop words beside other words, and searches them when there is nothing else', () => {
    expect(idsOf('the of commit')).toEqual(['git.git_commit', 'git.git_log']);
    expect(idsOf('of the')).toEqual(['files.readTextFile', 'git.git_commit', 'git.git_log']);
  });

  it('ranks a match in the name above one in the description', () => {
    expect(idsOf('commit')).toEqual(['git.git_commit', 'git.git_log']);
  });

  it('finds nothing for words that nothing resembles, and for text without words', () => {
    expect(idsOf('zeppelin')).toEqual([]);
    expect(idsOf('?! ...')).toEqual([]);
  });

  it('gains nothing from a description that repeats a word', () => {
    const stuffed = documentOf('spam.a', { description: 'invoice '.repeat(50) });
    const honest = documentOf('billing.b', { description: 'Create an invoice' });
    const [best] = createSearchIndex([stuffed, honest]).search({ text: 'invoice', limit: 1 });
    expect(best?.id).toBe('billing.b');
  });

  it('finds an entry by its alias as by a tool name', () => {
    const aliased = createSearchIndex([...documents, documentOf('git.git_show', { id: 'peek_at_commit' })]);
    expect(aliased.search({ text: 'peek', limit: 1 })[0]?.id).toBe('peek_at_commit');
  });
});

describe('no text', () => {
  it.each([[undefined], [null], [''], [' \n\t ']])('lists everything by id with score 0 for %j', (text) => {
    const hits = index.search({ text, limit: 10 });
    expect(hits.map((hit) => hit.id)).toEqual(documents.map((document) => document.id).sort());
    expect(hits.every((hit) => hit.score === 0 && hit.matchTypes.length === 0)).toBe(true);
  });

  it('says tag when the tag filter matched', () => {
    expect(index.search({ limit: 1, tags: ['disk'] })).toEqual([
      {
        id: 'files.move_file',
        score: 0,
        matchTypes: ['tag'],
        words: [],
        coverage: 0,
        similarity: null,
        above: null,
        lead: 0,
      },
    ]);
  });
});

describe('filters', () => {
  it('are intersected', () => {
    expect(idsOf('', { serverIds: ['files'], modes: ['read'] })).toEqual(['files.readTextFile']);
    expect(idsOf('', { serverIds: ['git'], tags: ['disk'] })).toEqual([]);
    expect(idsOf('', { tags: ['vcs', 'versions'] })).toEqual(['git.git_commit']);
  });

  it.each([[{ serverIds: [] }], [{ tags: [] }], [{ modes: [] }]])('give nothing for an empty list: %j', (filter) => {
    expect(idsOf('', filter)).toEqual([]);
    expect(idsOf('file', filter)).toEqual([]);
  });

  it('fill the limit from what is visible', () => {
    expect(idsOf('commit', { limit: 1, isVisible: (id) => id !== 'git.git_commit' })).toEqual(['git.git_log']);
  });
});

describe('match types', () => {
  it('name the tag when a query token equals it', () => {
    expect(index.search({ text: 'disk', limit: 1 })[0]?.matchTypes).toEqual(['lexical', 'tag']);
    expect(index.search({ text: 'rename', limit: 1 })[0]?.matchTypes).toEqual(['lexical']);
  });
});

describe('replaceServer', () => {
  it('forgets a server that has no documents any more', () => {
    const without = index.replaceServer('git', []);
    expect(without.size).toBe(3);
    expect(without.search({ text: 'commit', limit: 10 })).toEqual([]);
    expect(index.size).toBe(5);
  });
});

describe('an entry with an id and a description', () => {
  it('is found, and has the defaults of the other members', () => {
    const short = createSearchIndex([{ id: 'refund', description: 'Pays a customer back' }]);
    const full = createSearchIndex([
      {
        id: 'refund',
        server: '',
        tool: 'refund',
        summary: 'Pays a customer back',
        description: 'Pays a customer back',
        tags: [],
        argumentNames: [],
        mode: 'write',
      },
    ]);
    const query = { text: 'paying customers', limit: 1 };
    expect(short.search(query)).toEqual(full.search(query));
    expect(short.search(query)).toMatchObject([{ id: 'refund' }]);
    expect(short.search({ modes: ['read'], limit: 1 })).toEqual([]);
  });

  it('belongs to the server that it replaces the documents of', () => {
    const changed = createSearchIndex([]).replaceServer('shop', [{ id: 'refund', description: 'Pays back' }]);
    expect(changed.search({ serverIds: ['shop'], limit: 1 })).toMatchObject([{ id: 'refund' }]);
  });
});

describe('hostile input', () => {
  it('answers a huge query and indexes huge descriptions within a second of its CPU', () => {
    const huge = ['a'.repeat(1_000_000), 'aB1'.repeat(350_000), 'word '.repeat(200_000), '查'.repeat(1_000_000)];
    const before = process.cpuUsage();
    const attacked = createSearchIndex(huge.map((description, at) => documentOf(`evil.t${at}`, { description })));
    for (const text of huge) attacked.search({ text: text.slice(0, 100_000), limit: 10 });
    const distinct = Array.from({ length: 20_000 }, (_, at) => `w${at.toString(36)}`).join(' ');
    attacked.search({ text: distinct, limit: 10 });
    const { user, system } = process.cpuUsage(before); // independent of other load on the machine
    expect((user + system) / 1000).toBeLessThan(1_000);
  });
});
