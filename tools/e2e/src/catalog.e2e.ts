// The compact catalog: lists, descriptions, aliases, profiles, digests and cache validators.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { fixture, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Description, Envelope, ListName } from './support/wire.js';

const lists: readonly ListName[] = ['capabilities', 'resources', 'prompts'];

const longSentence = `This sentence goes on and on ${'and on '.repeat(40)}until it ends.`;

/** Pages of two, so that every kind of list has several. */
const library = {
  pageSize: 2,
  tools: [
    tool('put.away', {
      title: 'Put away',
      description: 'Puts a book away, e.g. on its shelf. It must be closed!',
      inputSchema: { type: 'object', properties: { book: { type: 'string' } }, examples: [{ book: 'Emma' }] },
      annotations: { readOnlyHint: true, destructiveHint: true, idempotentHint: true, openWorldHint: true },
      _meta: { tags: ['Shelf', 'books', 'shelf', 'LIB'] },
    }),
    tool('long', { description: longSentence }),
    tool('lend', { description: 'Lends a book. To anyone.' }),
    tool('Zone'),
  ],
  resources: [
    { uri: 'book://1.0/a.txt', name: 'a', description: 'First', mimeType: 'text/plain' },
    { uri: 'book://2', name: 'b', _meta: { tags: ['Rare'] } },
    { uri: 'book://3', name: 'c' },
  ],
  resourceTemplates: [
    { uriTemplate: 'shelf://{row}/{column}', name: 'shelf', mimeType: 'application/json' },
    { uriTemplate: 'room://{name}', name: 'room' },
    { uriTemplate: 'hall://{name}', name: 'hall' },
  ],
  prompts: [
    { name: 'sum.up', title: 'Sum up', description: 'Sums a book up.', arguments: [{ name: 'book', required: true }] },
    { name: 'greet' },
    { name: 'part' },
  ],
};

const aliases = {
  capabilityAliases: {
    borrow: { target: 'lib.lend', summary: 'Borrow a book', description: 'What borrowing means.' },
    take: 'lib.lend',
    later: 'raw.later',
  },
  resourceAliases: { second: { target: 'lib.book://2', description: 'The second book' } },
  promptAliases: { hello: 'lib.greet' },
};

const profiles = {
  books: { servers: ['lib'], description: 'Only books' },
  others: { servers: ['raw', 'paged'] },
  nothing: { servers: [] },
};

describe('the catalog', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    const mcpServers = {
      lib: scripted(library).server,
      raw: fixture(),
      paged: fixture('--pages', '3', '--per-page', '2'),
    };
    daemon = await startDaemon({ mcpServers, ...aliases, profiles });
    await daemon.connected();
  });

  const ofLibrary = async (name: ListName) => {
    const { body } = await daemon.list(name, { 'x-service-profile': 'books' });
    return body[name];
  };
  const idsUnder = async (profile: string, name: ListName) =>
    (await daemon.list(name, { 'x-service-profile': profile })).body[name].map(({ id }) => id);

  it('lists capabilities as five fields each [catalog-capability-item] [catalog-tags-annotations] [catalog-tags-meta] [catalog-tags-normal-form] [catalog-summary-first-sentence] [catalog-summary-160] [catalog-id-first-dot]', async () => {
    expect(await ofLibrary('capabilities')).toEqual([
      { id: 'borrow', summary: 'Borrow a book', server: 'lib', tool: 'lend', tags: ['lib'] },
      { id: 'lib.Zone', summary: '', server: 'lib', tool: 'Zone', tags: ['lib'] },
      {
        id: 'lib.long',
        summary: `${longSentence.slice(0, 159).trimEnd()}…`,
        server: 'lib',
        tool: 'long',
        tags: ['lib'],
      },
      {
        id: 'lib.put.away',
        summary: 'Puts a book away, e.g. on its shelf.',
        server: 'lib',
        tool: 'put.away',
        tags: ['books', 'destructive', 'idempotent', 'lib', 'open-world', 'read-only', 'shelf'],
      },
      { id: 'take', summary: 'Lends a book.', server: 'lib', tool: 'lend', tags: ['lib'] },
    ]);
  });

  it('lists resources and templates, with description and mime type where they have one [catalog-resource-item] [catalog-resource-item-optional] [catalog-templates-listed]', async () => {
    expect(await ofLibrary('resources')).toEqual([
      {
        id: 'lib.book://1.0/a.txt',
        server: 'lib',
        uri: 'book://1.0/a.txt',
        name: 'a',
        tags: ['lib'],
        description: 'First',
        mime_type: 'text/plain',
      },
      { id: 'lib.book://3', server: 'lib', uri: 'book://3', name: 'c', tags: ['lib'] },
      { id: 'lib.hall://{name}', server: 'lib', uri: 'hall://{name}', name: 'hall', tags: ['lib'] },
      { id: 'lib.room://{name}', server: 'lib', uri: 'room://{name}', name: 'room', tags: ['lib'] },
      {
        id: 'lib.shelf://{row}/{column}',
        server: 'lib',
        uri: 'shelf://{row}/{column}',
        name: 'shelf',
        tags: ['lib'],
        mime_type: 'application/json',
      },
      {
        id: 'second',
        server: 'lib',
        uri: 'book://2',
        name: 'b',
        tags: ['lib', 'rare'],
        description: 'The second book',
      },
    ]);
  });

  it('lists prompts with their arguments [catalog-prompt-item] [catalog-prompt-item-optional]', async () => {
    expect(await ofLibrary('prompts')).toEqual([
      { id: 'hello', server: 'lib', name: 'greet', arguments: [], tags: ['lib'] },
      { id: 'lib.part', server: 'lib', name: 'part', arguments: [], tags: ['lib'] },
      {
        id: 'lib.sum.up',
        server: 'lib',
        name: 'sum.up',
        arguments: [{ name: 'book', required: true }],
        tags: ['lib'],
        title: 'Sum up',
        description: 'Sums a book up.',
      },
    ]);
  });

  it('answers every list with version, digest and cache hints [catalog-capabilities-response] [catalog-resources-response] [catalog-prompts-response] [catalog-ttl-ms] [catalog-cache-scope-public] [version-digest-shape]', async () => {
    for (const name of lists) {
      const { status, body } = await daemon.list(name);
      expect(status).toBe(200);
      expect(body).toEqual({
        version: 'v1',
        catalog_version: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        ttl_ms: 300_000,
        cache_scope: 'public',
        [name]: expect.any(Array),
      });
      expect(body[name].length).toBeGreaterThan(0);
    }
  });

  it('sorts every list by id by code point, capitals first [catalog-sorted-by-id]', async () => {
    for (const name of lists) {
      const ids = await daemon.ids(name);
      expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
    }
    const ids = await daemon.ids('capabilities');
    expect(ids.indexOf('lib.Zone')).toBeLessThan(ids.indexOf('lib.long'));
  });

  it('names entries <server>.<name or uri>, and tags them with their server [catalog-ids-canonical] [catalog-tags-server]', async () => {
    for (const name of lists) {
      const all = (await daemon.list(name)).body[name];
      const ownName = { capabilities: 'tool', resources: 'uri', prompts: 'name' } as const;
      const unaliased = all.filter(({ id }) => id.includes('.'));
      expect(unaliased.map(({ id }) => id)).toEqual(unaliased.map((item) => `${item.server}.${item[ownName[name]]}`));
      expect(all.filter(({ server, tags }) => !tags.includes(server))).toEqual([]);
    }
  });

  it('fetches every page of every list, with every form of cursor [catalog-all-pages]', async () => {
    const generated = (kind: string) => [1, 2, 3].flatMap((page) => [1, 2].map((n) => `${kind}_${page}_${n}`));
    expect(await daemon.ids('capabilities')).toEqual(expect.arrayContaining(generated('paged.tool')));
    expect(await daemon.ids('prompts')).toEqual(expect.arrayContaining(generated('paged.prompt')));
    expect(await daemon.ids('resources')).toEqual(
      expect.arrayContaining(generated('paged.fixture://generated/resource')),
    );
    expect(await daemon.server('lib')).toMatchObject({ tools: 4, resources: 6, prompts: 3 }); // pages of two
  });

  it('describes a capability with its whole schema [catalog-describe-response] [catalog-describe-fields]', async () => {
    const { status, body } = await daemon.get<Description>('/v1/capabilities/lib.put.away');
    expect(status).toBe(200);
    expect(body).toEqual({
      version: 'v1',
      capability: {
        id: 'lib.put.away',
        server: 'lib',
        tool: 'put.away',
        title: 'Put away',
        description: 'Puts a book away, e.g. on its shelf. It must be closed!',
        input_schema: { type: 'object', properties: { book: { type: 'string' } }, examples: [{ book: 'Emma' }] },
        examples: [{ book: 'Emma' }],
        annotations: { readOnlyHint: true, destructiveHint: true, idempotentHint: true, openWorldHint: true },
        tags: ['books', 'destructive', 'idempotent', 'lib', 'open-world', 'read-only', 'shelf'],
      },
    });
  });

  it('says version v1 in every list, search and description [version-field]', async () => {
    const paths = [...lists.map((name) => `/v1/${name}`), '/v1/capabilities/raw.echo'];
    const answers = await Promise.all(paths.map((path) => daemon.get<{ version: string }>(path)));
    answers.push(await daemon.search({}));
    expect(answers.map(({ body }) => body.version)).toEqual(['v1', 'v1', 'v1', 'v1', 'v1']);
  });

  it('answers 404 for a capability that does not exist [catalog-describe-unknown]', async () => {
    const { status, body } = await daemon.get<Envelope>('/v1/capabilities/raw.no_such_tool');
    expect(status).toBe(404);
    expect(body).toMatchObject({ ok: false, data: null, error: { code: 'TOOL_NOT_FOUND', retryable: false } });
  });

  it('carries an ETag on every list, the quoted digest, and answers 304 to it [catalog-capabilities-etag] [catalog-resources-etag] [catalog-prompts-etag] [catalog-etag-is-quoted-version] [catalog-etag-304] [catalog-resources-304] [catalog-prompts-304]', async () => {
    for (const name of lists) {
      const { headers, body } = await daemon.list(name);
      expect(headers.etag).toBe(`"${body.catalog_version}"`);
      const again = await daemon.list(name, { 'if-none-match': `"${body.catalog_version}"` });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });

  it('answers 304 to the ETag of a description, which is not that of the list [catalog-describe-304]', async () => {
    const { headers } = await daemon.get('/v1/capabilities/raw.echo');
    expect(headers.etag).not.toBe((await daemon.list('capabilities')).headers.etag);
    const again = await daemon.get('/v1/capabilities/raw.echo', { 'if-none-match': String(headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('takes weak, unquoted and listed validators and the star [catalog-if-none-match-weak] [catalog-if-none-match-unquoted] [catalog-if-none-match-list] [catalog-if-none-match-star]', async () => {
    const etag = String((await daemon.list('capabilities')).headers.etag);
    const forms = [`W/${etag}`, etag.slice(1, -1), `"other", ${etag} , "third"`, '*'];
    const statuses = await Promise.all(forms.map((form) => daemon.list('capabilities', { 'if-none-match': form })));
    expect(statuses.map(({ status }) => status)).toEqual([304, 304, 304, 304]);
  });

  it('answers in full to a validator that is not the current one [catalog-etag-stale-200]', async () => {
    const { status, body } = await daemon.list('capabilities', { 'if-none-match': `"sha256:${'0'.repeat(64)}"` });
    expect(status).toBe(200);
    expect(body.capabilities.length).toBeGreaterThan(0);
  });

  it('reads what a listed template expands to [catalog-templates-readable]', async () => {
    const { status, body } = await daemon.post<Envelope<unknown>>('/v1/resources/read', {
      resource_id: 'raw.fixture://item/a.7',
    });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      contents: [{ uri: 'fixture://item/a.7', mimeType: 'application/json', text: '{"id":"a.7"}' }],
    });
  });

  describe('aliases', () => {
    it('give entries another id, one listing per alias, none under the canonical id [catalog-alias-shortens-names] [catalog-alias-replaces-canonical]', async () => {
      const ids = [
        ...(await daemon.ids('capabilities')),
        ...(await daemon.ids('resources')),
        ...(await daemon.ids('prompts')),
      ];
      expect(ids.filter((id) => ['borrow', 'take', 'second', 'hello'].includes(id)).sort()).toEqual([
        'borrow',
        'hello',
        'second',
        'take',
      ]);
      expect(ids.filter((id) => ['lib.lend', 'lib.book://2', 'lib.greet'].includes(id))).toEqual([]);
    });

    it.each([
      ['alias [catalog-alias-accepted]', 'borrow', 'second', 'hello'],
      ['canonical id [catalog-canonical-still-accepted]', 'lib.lend', 'lib.book://2', 'lib.greet'],
    ])('are described, called, read, got and completed by %s', async (_, capability, resource, prompt) => {
      const complete = (ref_type: string, ref_name: string) =>
        daemon.post('/v1/completion/complete', { ref_type, ref_name, argument_name: 'x', argument_value: 'y' });
      const answers = await Promise.all([
        daemon.get(`/v1/capabilities/${capability}`),
        daemon.call(capability),
        daemon.post('/v1/resources/read', { resource_id: resource }),
        daemon.post('/v1/prompts/get', { prompt_id: prompt }),
        complete('prompt', prompt),
        complete('resource', resource),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    });

    it('bring a summary and a description of their own [catalog-summary-from-alias] [catalog-alias-description]', async () => {
      const { body } = await daemon.get<Description>('/v1/capabilities/borrow');
      expect(body.capability.description).toBe('What borrowing means.');
      const item = (await daemon.list('capabilities')).body.capabilities.find(({ id }) => id === 'borrow');
      expect(item?.summary).toBe('Borrow a book');
      const plain = await daemon.get<Description>('/v1/capabilities/take');
      expect(plain.body.capability.description).toBe('Lends a book. To anyone.');
    });

    it('without a target are not listed, and appear once it does [catalog-alias-dangling]', async () => {
      expect(await daemon.ids('capabilities')).not.toContain('later');
      await daemon.call('raw.add_tool', { name: 'later' });
      await eventually(async () => expect(await daemon.ids('capabilities')).toContain('later'));
      expect((await daemon.call('later')).status).toBe(200);
    });
  });

  describe('profiles', () => {
    it('hold the entries of their servers only, by header or by query [catalog-profile-filters] [catalog-profile-header] [catalog-profile-query]', async () => {
      for (const name of lists) {
        const all = (await daemon.list(name)).body[name];
        const expected = all.filter(({ server }) => server === 'lib').map(({ id }) => id);
        expect(expected.length).toBeGreaterThan(0);
        expect(await idsUnder('books', name)).toEqual(expected);
        const byQuery = await daemon.get<Record<ListName, { id: string }[]>>(`/v1/${name}?profile=books`);
        expect(byQuery.body[name].map(({ id }) => id)).toEqual(expected);
        expect(await idsUnder('nothing', name)).toEqual([]);
      }
    });

    it('are chosen by the header where both are given [catalog-profile-header-wins]', async () => {
      const { body } = await daemon.get<Record<ListName, { server: string }[]>>('/v1/capabilities?profile=others', {
        'x-service-profile': 'books',
      });
      expect(new Set(body.capabilities.map(({ server }) => server))).toEqual(new Set(['lib']));
    });

    it('have an ETag of their own: <base version>-p:<profile>:<hash> [catalog-etag-per-profile] [version-profile-etag-shape]', async () => {
      const whole = await daemon.list('capabilities');
      const under = async (profile: string) =>
        (await daemon.list('capabilities', { 'x-service-profile': profile })).headers.etag;
      const books = await under('books');
      expect(books).toMatch(new RegExp(`^"${whole.body.catalog_version}-p:books:[0-9a-f]+"$`));
      expect(new Set([whole.headers.etag, books, await under('others')]).size).toBe(3);
      const again = await daemon.list('capabilities', { 'if-none-match': String(books) });
      expect(again.status).toBe(200);
    });

    it('that are unknown answer 404 everywhere, with the code of the route [catalog-profile-unknown] [catalog-profile-unknown-capability-code] [catalog-profile-unknown-resource-code] [catalog-profile-unknown-prompt-code]', async () => {
      const posts = {
        'capabilities/search': {},
        'tools/call': { capability_id: 'raw.echo', args: { text: 'x' } },
        'resources/read': { resource_id: 'raw.fixture://text' },
        'prompts/get': { prompt_id: 'raw.plain' },
      };
      const answers: [string, number, string][] = [];
      for (const path of [...lists, 'capabilities/raw.echo']) {
        const { status, body } = await daemon.get<Envelope>(`/v1/${path}?profile=unknown`);
        answers.push([path, status, body.error.code]);
      }
      for (const [path, body] of Object.entries(posts)) {
        const answer = await daemon.post<Envelope>(`/v1/${path}`, body, { 'x-service-profile': 'unknown' });
        answers.push([path, answer.status, answer.body.error.code]);
      }
      expect(answers).toEqual([
        ['capabilities', 404, 'TOOL_NOT_FOUND'],
        ['resources', 404, 'RESOURCE_NOT_FOUND'],
        ['prompts', 404, 'PROMPT_NOT_FOUND'],
        ['capabilities/raw.echo', 404, 'TOOL_NOT_FOUND'],
        ['capabilities/search', 404, 'TOOL_NOT_FOUND'],
        ['tools/call', 404, 'TOOL_NOT_FOUND'],
        ['resources/read', 404, 'RESOURCE_NOT_FOUND'],
        ['prompts/get', 404, 'PROMPT_NOT_FOUND'],
      ]);
    });

    it('hide what is outside: not listed, not found, 404 [catalog-profile-outside-not-listed] [catalog-profile-outside-404]', async () => {
      const headers = { 'x-service-profile': 'books' };
      expect(await idsUnder('books', 'capabilities')).not.toContain('raw.echo');
      const found = await daemon.post<{ capabilities: object[] }>(
        '/v1/capabilities/search',
        { query: 'echo' },
        headers,
      );
      expect(found.body.capabilities).toEqual([]);
      const asked = await daemon.post<{ capabilities: object[] }>(
        '/v1/capabilities/search',
        { server_ids: ['raw'] },
        headers,
      );
      expect(asked.body.capabilities).toEqual([]);
      const answers = await Promise.all([
        daemon.get('/v1/capabilities/raw.echo', headers),
        daemon.post('/v1/tools/call', { capability_id: 'raw.echo', args: { text: 'x' } }, headers),
        daemon.post('/v1/resources/read', { resource_id: 'raw.fixture://text' }, headers),
        daemon.post('/v1/prompts/get', { prompt_id: 'raw.plain' }, headers),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    });
  });
});
