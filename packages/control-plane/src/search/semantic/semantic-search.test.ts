// Search by meaning as the plane does it: vectors computed once in the background, and words alone whenever they are not
// there in time.
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../../memory-stores.js';
import { noMetrics } from '../../observability/metrics/metrics.js';
import { connectPlane, hang, stopped, tool } from '../../testing/start-plane.js';
import type { Embedder } from './embedder.js';
import { createSemanticSearch } from './semantic-search.js';

const described = (name: string, description: string) => tool(name, { description });
const tools = [
  described('send', 'Sends a letter'),
  described('archive', 'Puts letters away'),
  described('copy', 'Duplicates a file'),
  described('list', 'Shows a folder'),
];
const servers = { s: { definitions: { tools } } };

/** Words that mean one thing have one direction. */
const concepts = [
  ['letter', 'letters', 'correspondence'],
  ['file', 'document'],
  ['folder', 'directory'],
];
const vectorOf = (text: string): Float32Array =>
  Float32Array.from([
    ...concepts.map((words) => (words.some((word) => text.toLowerCase().includes(word)) ? 1 : 0)),
    0.1,
  ]);

/** An embedder that counts what it is asked, and does what the test says. */
function createFake(answer: (texts: readonly string[]) => unknown = (texts) => texts.map(vectorOf)) {
  const asked: (readonly string[])[] = [];
  const fake = { answer, asked, embedder: {} as Embedder };
  fake.embedder = {
    id: 'fake',
    async embed(texts) {
      asked.push(texts);
      return (await fake.answer(texts)) as readonly Float32Array[]; // a wrong answer is what some tests are about
    },
  };
  return fake;
}

const dead = () => {
  throw new Error('connection refused');
};
const start = (fake: ReturnType<typeof createFake>, stores = createMemoryStores(stopped), file: object = {}) =>
  connectPlane(servers, file, { ...stores, embedder: fake.embedder });
type Started = Awaited<ReturnType<typeof start>>;

const hits = async ({ plane }: Started, query: string, request: object = {}) =>
  (await plane.search({ profile: null, role: null }, { query, ...request })).capabilities.map(({ id, match_types }) => [
    id,
    ...match_types,
  ]);
const warnings = ({ log }: Started) => log.filter(({ level, message }) => level === 'warn' && /embedder/.test(message));
const byMeaning = [
  ['s.archive', 'semantic'],
  ['s.send', 'semantic'],
];

describe('search with an embedder', () => {
  it('finds what shares no word with the query', async () => {
    const started = await start(createFake());
    expect(await hits(started, 'correspondence')).toEqual(byMeaning);
    expect(await hits(started, 'document letter')).toEqual([
      ['s.archive', 'lexical', 'semantic'],
      ['s.send', 'lexical', 'semantic'],
      ['s.copy', 'semantic'],
    ]);
  });

  it('keeps to filters and profiles, and asks nothing for a profile that is not there', async () => {
    const fake = createFake();
    const profiles = { narrow: { servers: ['s'], policy: { deny: ['s.send'] } }, none: { servers: [] } };
    const started = await start(fake, createMemoryStores(stopped), { profiles });
    expect(await hits(started, 'correspondence', { server_ids: [] })).toEqual(byMeaning);
    expect(await hits(started, 'correspondence', { server_ids: ['none'] })).toEqual([]);
    expect(await hits(started, 'correspondence', { modes: ['read'] })).toEqual([]);
    const inProfile = async (profile: string) =>
      (await started.plane.search({ profile, role: null }, { query: 'correspondence' })).capabilities.map(
        ({ id }) => id,
      );
    expect(await inProfile('narrow')).toEqual(['s.archive']);
    expect(await inProfile('none')).toEqual([]);
    const before = fake.asked.length;
    await expect(started.plane.search({ profile: 'nope', role: null }, { query: 'new' })).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
    });
    expect(fake.asked).toHaveLength(before);
  });

  it('shows a denied definition to no user, and not to the embedder', async () => {
    const fake = createFake();
    await start(fake, createMemoryStores(stopped), { policy: { deny: ['s.send'] } });
    expect(fake.asked.flat().join()).not.toContain('Sends');
  });

  it('asks for each vector once, also for a query that comes again', async () => {
    const fake = createFake();
    const started = await start(fake);
    await Promise.all([hits(started, 'correspondence'), hits(started, 'correspondence')]);
    await hits(started, ' correspondence ');
    await hits(started, '');
    expect(fake.asked.map((texts) => texts.length)).toEqual([4, 1]);
  });

  it('computes only what is new when a definition changes', async () => {
    const fake = createFake();
    const started = await start(fake);
    const changed = [...tools.slice(1), described('send', 'Posts a parcel')];
    started.server('s').change({ tools: changed });
    await started.clock.advance(1000);
    expect(fake.asked.map((texts) => texts.length)).toEqual([4, 1]);
    expect(fake.asked[1]).toEqual(['s: send\nPosts a parcel']);
  });

  it('computes nothing again after a restart', async () => {
    const stores = createMemoryStores(stopped);
    await (await start(createFake(), stores)).plane.close(0);
    const again = createFake();
    const restarted = await start(again, stores);
    expect(await hits(restarted, 'correspondence')).toEqual(byMeaning);
    expect(again.asked).toEqual([['correspondence']]);
  });

  it('computes all of them again when the model gives vectors of another length', async () => {
    const stores = createMemoryStores(stopped);
    await (await start(createFake(), stores)).plane.close(0);
    const longer = createFake((texts) => texts.map((text) => Float32Array.from([...vectorOf(text), 0])));
    const restarted = await start(longer, stores);
    expect(await hits(restarted, 'letter')).toEqual([
      ['s.archive', 'lexical'],
      ['s.send', 'lexical'],
    ]);
    await restarted.clock.advance(0);
    expect(await hits(restarted, 'correspondence')).toEqual(byMeaning);
  });

  it('takes a few definitions at a time', async () => {
    const fake = createFake();
    const many = Array.from({ length: 40 }, (_, at) => described(`t${at}`, `Letter ${at}`));
    await connectPlane({ s: { definitions: { tools: many } } }, {}, { ...createMemoryStores(stopped), ...fake });
    expect(fake.asked.map((texts) => texts.length)).toEqual([16, 16, 8]);
  });
});

describe('an embedder that fails', () => {
  it('leaves search to words, and the log says so once a minute', async () => {
    const fake = createFake(dead);
    const started = await start(fake);
    expect(await hits(started, 'letter')).toEqual([
      ['s.archive', 'lexical'],
      ['s.send', 'lexical'],
    ]);
    expect(warnings(started)).toEqual([
      {
        level: 'warn',
        message: 'the embedder fails; search uses words only',
        fields: { model: 'fake', reason: 'connection refused', failures: 1 },
      },
    ]);
    await started.clock.advance(59_999);
    expect(warnings(started)).toHaveLength(1);
    await started.clock.advance(60_000);
    expect(warnings(started)).toHaveLength(2);
    expect(started.metrics.read('portico_search_vectors_missing')).toBe(4);
    expect(started.metrics.read('portico_embedder_failures_total')).toBe(fake.asked.length);
  });

  it('is tried again, and takes part once it answers', async () => {
    const fake = createFake(dead);
    const started = await start(fake);
    fake.answer = (texts) => texts.map(vectorOf);
    await started.clock.advance(500);
    expect(await hits(started, 'correspondence')).toEqual(byMeaning);
    expect(started.log.at(-1)).toMatchObject({ level: 'info', message: 'the embedder answers again' });
    expect(started.metrics.read('portico_search_vectors_ready')).toBe(4);
    expect(started.metrics.read('portico_search_vectors_missing')).toBe(0);
  });

  it('slows two searches by a second at most, and then none for half a minute', async () => {
    const fake = createFake();
    const started = await start(fake);
    fake.answer = hang;
    for (const query of ['letter', 'Letter']) {
      const search = hits(started, query);
      await started.clock.advance(1000);
      expect(await search).toHaveLength(2);
    }
    const asked = fake.asked.length;
    expect(await hits(started, 'LETTER')).toHaveLength(2); // time stands still
    expect(fake.asked).toHaveLength(asked);
    expect(warnings(started)).toMatchObject([{ fields: { reason: 'no answer within 1000 ms' } }]);

    await started.clock.advance(30_000);
    fake.answer = (texts) => texts.map(vectorOf);
    expect(await hits(started, 'correspondence')).toEqual(byMeaning);
  });

  it.each<[string, (texts: readonly string[]) => unknown, string]>([
    ['too few', () => [vectorOf('x')], 'it gave 1 vectors for 4 texts'],
    ['empty', (texts) => texts.map(() => new Float32Array()), 'it gave vectors that are empty or of several lengths'],
    [
      'uneven',
      (texts) => texts.map((_, at) => new Float32Array(at + 1)),
      'it gave vectors that are empty or of several lengths',
    ],
  ])('may give vectors that are %s', async (_what, answer, reason) => {
    const started = await start(createFake(answer));
    expect(await hits(started, 'letter')).toHaveLength(2);
    expect(warnings(started)).toMatchObject([{ fields: { reason } }]);
  });

  it('does not delay the end of the service', async () => {
    const fake = createFake();
    const started = await start(fake);
    fake.answer = hang;
    const search = hits(started, 'letter');
    started.server('s').change({ tools: [described('send', 'Another letter')] });
    await started.clock.advance(100);
    await started.plane.close(0);
    expect(await search).toHaveLength(2);
    expect(warnings(started)).toEqual([]);
  });
});

describe('kept vectors', () => {
  it('that cannot be read or written are of use until the next start', async () => {
    const stores = createMemoryStores(stopped);
    const broken = async () => {
      throw new Error('disk full');
    };
    const vectors = { ...stores.vectors, load: broken, save: broken };
    const started = await start(createFake(), { ...stores, vectors });
    expect(await hits(started, 'correspondence')).toEqual(byMeaning);
    expect(started.log.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'kept vectors could not be read; they are computed again',
      'vectors are not kept over a restart',
    ]);
  });

  it('stay when the service is restarted every day', async () => {
    const { vectors } = createMemoryStores(stopped);
    const { plane } = await start(createFake());
    const digests = plane.state().catalog.capabilities.map(({ digest }) => digest);
    const dayMs = 86_400_000;
    await vectors.save(
      'fake text-1',
      digests.map((digest) => ({ digest, vector: vectorOf('letter') })),
      0,
    );
    for (let day = 1; day < 40; day++) {
      const { embedder } = createFake();
      const clock = createManualClock();
      const semantic = createSemanticSearch({ embedder, vectors, clock, log: () => {}, metrics: noMetrics });
      await semantic.purge(day * dayMs); // before any list has been read
      semantic.note(plane.state());
      await semantic.purge(day * dayMs + 600_000);
      await semantic.close();
    }
    expect(await vectors.load('fake text-1', digests)).toHaveLength(4);
  });

  it('go when nothing has used them for a month, and stay while something does', async () => {
    const clock = createManualClock();
    const stores = createMemoryStores(clock);
    await stores.vectors.save('other', [{ digest: 'd', vector: vectorOf('letter') }], 0);
    const started = await start(createFake(), stores);
    await started.clock.advance(32 * 86_400_000);
    expect(await stores.vectors.load('other', ['d'])).toEqual([]);
    const digests = started.plane.state().catalog.capabilities.map(({ digest }) => digest);
    expect(await stores.vectors.load('fake text-1', digests)).toHaveLength(4);
  });
});
