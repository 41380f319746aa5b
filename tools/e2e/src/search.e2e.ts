// Search over the capabilities of several servers: the request, the ranking, the filters and the answer.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';
import type { Envelope } from './support/wire.js';

/** These tests are about words; built-in-search.e2e.ts is about meaning. */
const byWords = { semantic: 'off' };
const reads = { annotations: { readOnlyHint: true } };

const disk = {
  tools: [
    tool('read_file', { description: 'Fetches what is stored under a path.', ...reads }),
    tool('writeFile', { description: 'Stores a text under a path.', _meta: { tags: ['danger'] } }),
    tool('list_directory', {
      description: 'Shows what a folder holds.',
      ...reads,
      _meta: { tags: ['danger', 'tree'] },
    }),
    tool('copy', {
      description: 'Duplicates something. Afterwards there are two.',
      inputSchema: { type: 'object', properties: { destination: { type: 'string' } } },
    }),
  ],
};
const mail = {
  tools: [
    tool('send_message', { description: 'Sends a message to a mailbox.' }),
    tool('search_messages', { description: 'Finds messages in a mailbox.', ...reads }),
    tool('archive2024', { description: 'Puts old messages away.' }),
  ],
};
/** More tools than the default limit, equal but for their names. */
const many = {
  tools: Array.from({ length: 12 }, (_, i) => tool(`twin${'abcdefghijkl'[i]}`, { description: 'Equal.' })),
};

describe('search', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    daemon = await startDaemon({
      search: byWords,
      mcpServers: { disk: scripted(disk).server, mailbox: scripted(mail).server, many: scripted(many).server },
      capabilityAliases: { remainder: 'many.twinl' },
    });
    await daemon.connected();
  });

  const ids = async (request: object) => (await daemon.search(request)).body.capabilities.map(({ id }) => id);
  const first = async (query: string) => (await ids({ query }))[0];

  it('answers version, digest and items of seven fields [search-route] [search-result-item] [search-mode-value] [search-catalog-version-shape]', async () => {
    const { status, headers, body } = await daemon.search({ query: 'directory' });
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(body).toEqual({
      version: 'v1',
      catalog_version: (await daemon.list('capabilities')).body.catalog_version,
      capabilities: [
        {
          id: 'disk.list_directory',
          summary: 'Shows what a folder holds.',
          server: 'disk',
          tags: ['danger', 'disk', 'read-only', 'tree'],
          mode: 'read',
          score: expect.any(Number),
          match_types: ['lexical'],
        },
      ],
    });
    expect(body.catalog_version).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect((await daemon.search({ query: 'writeFile', limit: 1 })).body.capabilities[0]?.mode).toBe('write');
  });

  it('asks for nothing: {} and nulls are valid [search-request-all-optional]', async () => {
    const nulls = { query: null, limit: null, server_ids: null, tags: null, modes: null };
    const answers = [await daemon.search({}), await daemon.search(nulls)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
  });

  it.each([
    ['query', { query: 1 }],
    ['limit', { limit: '8' }],
    ['limit', { limit: 1.5 }],
    ['server_ids', { server_ids: 'disk' }],
    ['tags[0]', { tags: [1] }],
    ['modes', { modes: 'read' }],
  ])('answers 400 naming %s to another type: %j [search-request-types]', async (path, request) => {
    const { status, body } = await daemon.post<Envelope>('/v1/capabilities/search', request);
    expect([status, body.error.code]).toEqual([400, 'INVALID_ARGS']);
    expect(body.error.message).toMatch(new RegExp(`^${path.replace('[', '\\[')}: `));
  });

  it('returns 8 entries at most without a limit, and takes 1 to 100 [search-limit-default] [search-limit-bounds]', async () => {
    expect(await ids({})).toHaveLength(8);
    expect(await ids({ limit: 1 })).toHaveLength(1);
    expect(await ids({ limit: 100 })).toHaveLength(19);
    for (const limit of [0, 101, -1]) {
      const { status, body } = await daemon.post<Envelope>('/v1/capabilities/search', { limit });
      expect([status, body.error.code]).toEqual([400, 'INVALID_ARGS']);
      expect(body.error.message).toMatch(/^limit: /);
    }
  });

  it('without a query is every entry by id, with score 0 [search-no-query]', async () => {
    const all = await daemon.ids('capabilities');
    const { body } = await daemon.search({ limit: 100 });
    expect(body.capabilities.map(({ id, score, match_types }) => ({ id, score, match_types }))).toEqual(
      all.map((id) => ({ id, score: 0, match_types: [] })),
    );
    expect(await ids({ query: '  ', limit: 3 })).toEqual(all.slice(0, 3));
  });

  it('ranks what matches more and rarer words first [search-lexical-ranking]', async () => {
    const { body } = await daemon.search({ query: 'search message mailbox', server_ids: ['mailbox'] });
    expect(body.capabilities.map(({ id }) => id)).toEqual([
      'mailbox.search_messages',
      'mailbox.send_message',
      'mailbox.archive2024',
    ]);
    const scores = body.capabilities.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(new Set(scores).size).toBe(3);
  });

  it.each([
    ['id', 'remainder', 'remainder'],
    ['server', 'disk', 'disk.copy'],
    ['tool', 'archive', 'mailbox.archive2024'],
    ['summary', 'duplicates', 'disk.copy'],
    ['description', 'afterwards', 'disk.copy'],
    ['tags', 'tree', 'disk.list_directory'],
    ['argument names', 'destination', 'disk.copy'],
  ])('finds a word in %s [search-fields]', async (_, query, id) => {
    expect(await ids({ query })).toContain(id);
  });

  it('splits names at camelCase, snake_case, dots and digits, in lower case [search-tokens]', async () => {
    expect(await first('WRITE FILE')).toBe('disk.writeFile');
    expect(await first('directory list')).toBe('disk.list_directory');
    expect(await first('2024')).toBe('mailbox.archive2024');
    expect(await first('disk copy')).toBe('disk.copy');
  });

  it('matches other forms of English words [search-stemming]', async () => {
    expect(await first('reading files')).toBe('disk.read_file');
    expect(await ids({ query: 'directories listed' })).toEqual(['disk.list_directory']);
  });

  it('completes the last word, and only the last [search-last-token-prefix]', async () => {
    expect(await ids({ query: 'show direc' })).toEqual(['disk.list_directory']);
    expect(await ids({ query: 'desti' })).toEqual(['disk.copy']);
    expect(await ids({ query: 'desti qqqq' })).toEqual([]);
  });

  it('tries a word that nothing matches with one typo, not with two [search-typo]', async () => {
    expect(await ids({ query: 'dirctory' })).toEqual(['disk.list_directory']);
    expect(await ids({ query: 'drctory' })).toEqual([]);
  });

  it('says why: words, tags or both [search-match-types-values] [search-match-lexical] [search-match-tag]', async () => {
    const types = async (request: object) =>
      Object.fromEntries(
        (await daemon.search(request)).body.capabilities.map((found) => [found.id, found.match_types]),
      );
    expect(await types({ query: 'duplicates' })).toEqual({ 'disk.copy': ['lexical'] });
    expect(await types({ query: 'tree' })).toEqual({ 'disk.list_directory': ['lexical', 'tag'] });
    expect(await types({ tags: ['tree'] })).toEqual({ 'disk.list_directory': ['tag'] });
    const members = Object.values(await types({ query: 'danger mailbox tree copy', limit: 100 })).flat();
    expect(new Set(members)).toEqual(new Set(['lexical', 'tag']));
  });

  it('orders equal scores by id, rounded to 4 decimals [search-ties-by-id] [search-score-rounded]', async () => {
    const { body } = await daemon.search({ query: 'equal', limit: 100 });
    expect(body.capabilities.map(({ id }) => id)).toEqual([
      ...[...'abcdefghijk'].map((letter) => `many.twin${letter}`),
      'remainder',
    ]);
    expect(new Set(body.capabilities.slice(0, -1).map(({ score }) => score)).size).toBe(1);
    const mixed = (await daemon.search({ query: 'message mailbox file', limit: 100 })).body.capabilities;
    const scores = mixed.map(({ score }) => score);
    expect(scores).toEqual(scores.map((score) => Number(score.toFixed(4))));
    expect(scores.some((score) => !Number.isInteger(score))).toBe(true);
  });

  it('keeps only entries of the given servers [search-filter-servers]', async () => {
    expect(await ids({ server_ids: ['mailbox'], limit: 100 })).toEqual([
      'mailbox.archive2024',
      'mailbox.search_messages',
      'mailbox.send_message',
    ]);
    expect(await ids({ server_ids: ['nope'] })).toEqual([]);
    expect(await ids({ server_ids: [], tags: [], modes: [] })).toEqual(await ids({}));
  });

  it('keeps only entries with every one of the tags [search-filter-tags]', async () => {
    expect(await ids({ tags: ['danger'] })).toEqual(['disk.list_directory', 'disk.writeFile']);
    expect(await ids({ tags: ['danger', 'tree'] })).toEqual(['disk.list_directory']);
  });

  it('keeps only entries of the given modes, read or write [search-filter-modes] [search-modes-invalid]', async () => {
    const reading = ['disk.list_directory', 'disk.read_file', 'mailbox.search_messages'];
    expect(await ids({ modes: ['read'], limit: 100 })).toEqual(reading);
    expect(await ids({ modes: ['write'], limit: 100 })).toHaveLength(16);
    expect(await ids({ modes: ['read', 'write'], limit: 100 })).toHaveLength(19);
    const { status, body } = await daemon.post<Envelope>('/v1/capabilities/search', { modes: ['read', 'execute'] });
    expect([status, body.error.code]).toEqual([400, 'INVALID_ARGS']);
    expect(body.error.message).toMatch(/^modes\[1\]: /);
  });

  it('intersects the filters; nothing in common is no result [search-filters-intersect]', async () => {
    expect(await ids({ server_ids: ['disk'], tags: ['danger'], modes: ['read'] })).toEqual(['disk.list_directory']);
    expect(await ids({ server_ids: ['mailbox'], tags: ['danger'] })).toEqual([]);
    expect(await ids({ query: 'message', server_ids: ['disk'] })).toEqual([]);
  });
});

describe('the lexical score', () => {
  it('is BM25 with k1 1.2 and b 0.75: names weigh 3, text 1, each by its own average length [search-bm25-parameters]', async () => {
    // One server, three tools; `alpha` is in the text of one, `beta` in the text of another and the name of the third.
    const tools = [
      tool('one', { description: 'alpha gamma' }),
      tool('two', { description: 'beta gamma delta epsilon' }),
      tool('beta', { description: 'gamma' }),
    ];
    const daemon = await startDaemon({ search: byWords, mcpServers: { s: scripted({ tools }).server } });
    await daemon.connected();
    const scoresOf = async (query: string) =>
      Object.fromEntries((await daemon.search({ query })).body.capabilities.map(({ id, score }) => [id, score]));

    // The description is a single sentence, so it is the summary as well and every word counts twice.
    const averageLength = (4 + 8 + 2) / 3;
    const idf = (documents: number) => Math.log(1 + (3 - documents + 0.5) / (documents + 0.5));
    const bm25 = (idfOfTerm: number, frequency: number) => idfOfTerm * ((frequency * (1.2 + 1)) / (frequency + 1.2));
    const inText = (length: number) => 2 / (1 - 0.75 + (0.75 * length) / averageLength);
    const inName = 3; // every name is one word long, which is average
    const rounded = (score: number) => Number(score.toFixed(4));

    expect(await scoresOf('alpha')).toEqual({ 's.one': rounded(bm25(idf(1), inText(4))) });
    expect(await scoresOf('beta')).toEqual({
      's.two': rounded(bm25(idf(2), inText(8))),
      's.beta': rounded(bm25(idf(2), inName)),
    });
    expect(await scoresOf('alpha beta')).toEqual({
      's.one': rounded(bm25(idf(1), inText(4))),
      's.two': rounded(bm25(idf(2), inText(8))),
      's.beta': rounded(bm25(idf(2), inName)),
    });
  });
});
