// The change feed over restarts: what was added, removed and updated, and where a reader goes on.
import { createManualClock, type MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../../memory-stores.js';
import type { PlaneState } from '../../state/plane-state.js';
import { author, startConfigured } from '../../testing/start-configured.js';
import { hang, type LogLine, stopped, tool } from '../../testing/start-plane.js';
import { createCatalogFeed, maxFeedEvents } from './catalog-feed.js';
import { createMemoryFeedStore, createSharedMemoryFeedStore, type FeedStore } from './feed-store.js';

const git: MemoryServer = { definitions: { tools: [tool('a'), tool('b')], prompts: [{ name: 'a' }] } };
const web: MemoryServer = { definitions: { resources: [{ uri: 'x:y', name: 'y' }] } };
const node = { command: 'node' };
const file = { mcpServers: { git: node, web: node } };
type Started = Awaited<ReturnType<typeof startConfigured>>;

const read = ({ plane }: Started, after?: string) =>
  plane.catalogEvents(after).events.map((event) => `${event.change_type} ${event.object_type} ${event.object_id}`);

/** As a stop of the service and another start of it. */
async function restart(before: Started, servers: Readonly<Record<string, MemoryServer>>, next: object = file, run = 2) {
  const closed = before.plane.close(0);
  await before.clock.advance(0);
  await closed;
  const { feed } = before;
  return await startConfigured(servers, { ...next }, { ...createMemoryStores(stopped), feed }, run);
}

describe('the change feed', () => {
  it('reports entries that appear, change and disappear, with their kind, and the version that they came with', async () => {
    const started = await startConfigured({ git, web }, file);
    expect(read(started)).toEqual([
      'added capability git.a',
      'added capability git.b',
      'added prompt git.a',
      'added resource web.x:y',
    ]);
    const { cursor } = started.plane.catalogEvents(undefined);
    started.server('git').change({ tools: [tool('a', { description: 'new' }), tool('c')] });
    await started.clock.advance(1000);
    expect(read(started, cursor)).toEqual([
      'removed capability git.b',
      'updated capability git.a',
      'added capability git.c',
    ]);
    expect(started.plane.catalogEvents(cursor).events[0]).toEqual({
      id: expect.stringMatching(/^evt-[0-9a-f]{24}$/),
      timestamp: 0,
      object_type: 'capability',
      object_id: 'git.b',
      change_type: 'removed',
      catalog_version: started.plane.state().catalog.version,
    });
  });

  it("reports the removal of a server's entries when a program that does not run takes its place", async () => {
    let gate = Promise.resolve();
    const started = await startConfigured({ git: { ...git, onConnect: () => gate }, web }, file);
    const { cursor } = started.plane.catalogEvents(undefined);
    gate = new Promise(() => {});
    void started.plane.configuration.upsertServer(author, 'git', { command: 'another' });
    await started.clock.advance(0);
    expect(read(started, cursor)).toEqual([
      'removed capability git.a',
      'removed capability git.b',
      'removed prompt git.a',
    ]);
  });

  it('reports changes of aliases and the policy', async () => {
    const started = await startConfigured({ git, web }, file);
    const { configuration, settled, plane } = started;
    const { cursor } = plane.catalogEvents(undefined);
    await settled(configuration.updateAlias(author, { kind: 'tool', alias: 'z', target: 'git.a' }));
    await settled(configuration.mergePolicy(author, { deny: ['git.b'] }));
    await settled(configuration.deleteServer(author, 'web'));
    expect(read(started, cursor)).toEqual([
      'removed capability git.a',
      'added capability z',
      'removed capability git.b',
      'removed resource web.x:y',
    ]);
  });

  it('is silent about a start that finds everything as it was, and goes on from cursors of earlier runs', async () => {
    const first = await startConfigured({ git, web }, file);
    const { cursor } = first.plane.catalogEvents(undefined);
    const second = await restart(first, { git, web });
    expect(second.plane.catalogEvents(cursor)).toEqual({ cursor, events: [], isReset: false });
    expect(read(second)).toHaveLength(4);
  });

  it('reports what changed while the service did not run', async () => {
    const first = await startConfigured({ git, web }, file);
    const { cursor } = first.plane.catalogEvents(undefined);
    const other: MemoryServer = { definitions: { tools: [tool('a', { description: 'new' })] } };
    const second = await restart(first, { git: other }, { mcpServers: { git: node } });
    expect(read(second, cursor)).toEqual([
      'removed resource web.x:y',
      'removed capability git.b',
      'removed prompt git.a',
      'updated capability git.a',
    ]);
  });

  it('reports that a server has no entries left, though the catalog is as empty as at the start', async () => {
    const first = await startConfigured({ web }, { mcpServers: { web: node } });
    const { cursor } = first.plane.catalogEvents(undefined);
    const second = await restart(first, { web: {} }, { mcpServers: { web: node } });
    expect(read(second, cursor)).toEqual(['removed resource web.x:y']);
    const third = await restart(second, {}, { mcpServers: {} }, 3);
    expect(read(third, cursor)).toEqual(['removed resource web.x:y']);
  });

  it('takes a server that has not been read yet as it was', async () => {
    const first = await startConfigured({ git, web }, file);
    const { cursor } = first.plane.catalogEvents(undefined);
    const second = await restart(first, { git, web: { onConnect: hang } });
    expect(read(second, cursor)).toEqual([]);
    const third = await restart(second, { git, web: { onConnect: hang } }, { mcpServers: { git: node } }, 3);
    expect(read(third, cursor)).toEqual(['removed resource web.x:y']);
  });
});

/** The part of a state that a feed reads: entries of a hundred servers, by number, with a digest each. */
function stateOf(digests: readonly string[]): PlaneState {
  const servers = new Map(Array.from({ length: 100 }, (_, n) => [`s${n}`, {}]));
  const capabilities = digests.map((digest, n) => ({
    kind: 'capability',
    id: `s${n % 100}.tool_${n}`,
    server: `s${n % 100}`,
    digest,
  }));
  capabilities.sort((a, b) => (a.id < b.id ? -1 : 1));
  const catalog = { capabilities, resources: [], prompts: [], version: 'sha256:1' };
  return { catalog, servers, config: { servers } } as unknown as PlaneState;
}

function openFeed(store: FeedStore = createMemoryFeedStore(), run = '') {
  const log: LogLine[] = [];
  let count = 0;
  const feed = createCatalogFeed({
    store,
    clock: createManualClock(),
    log: (level, message, fields) => log.push({ level, message, fields }),
    randomHex() {
      count += 1;
      return `${run}${count}`;
    },
  });
  const note = (digests: readonly string[]) => feed.note(stateOf(digests));
  return { feed, log, note };
}

describe('a cursor', () => {
  it('of a feed without events is followed by all later events', () => {
    const { feed, note } = openFeed();
    const { cursor } = feed.read(undefined);
    expect(feed.read(cursor)).toEqual({ cursor, events: [], isReset: false });
    note(['a']);
    expect(feed.read(cursor)).toMatchObject({ cursor: 'evt-1', events: [{ id: 'evt-1' }], isReset: false });
  });

  it('that is unknown gives everything, and says so', () => {
    const { feed, note } = openFeed();
    expect(feed.read('nope')).toEqual({ cursor: 'start', events: [], isReset: true });
    note(['a', 'b']);
    expect(feed.read('evt-9')).toMatchObject({ events: [{ id: 'evt-1' }, { id: 'evt-2' }], isReset: true });
    expect(feed.read('evt-1')).toMatchObject({ cursor: 'evt-2', events: [{ id: 'evt-2' }], isReset: false });
  });

  it('that is too old gives the last 5,000, and says so', async () => {
    const store = createMemoryFeedStore();
    const { feed, note } = openFeed(store);
    const { cursor } = feed.read(undefined);
    note(['a']);
    note(['b', ...Array.from({ length: maxFeedEvents - 1 }, (_, n) => String(n))]);
    for (const after of [cursor, 'evt-1']) {
      const { events, isReset } = feed.read(after);
      expect([events.length, events[0]?.id, isReset]).toEqual([5000, 'evt-2', true]);
    }
    await feed.close();
    expect((await store.load(10_000)).events).toHaveLength(5000);
  });
});

describe('keeping the feed', () => {
  it('fails into the log, and goes on', async () => {
    const store = createMemoryFeedStore();
    let isBroken = true;
    const { feed, note, log } = openFeed({
      ...store,
      append: (...change) => (isBroken ? Promise.reject(new Error('disk full')) : store.append(...change)),
    });
    note(['a']);
    await feed.close();
    isBroken = false;
    note(['b']);
    await feed.close();
    expect(log).toEqual([
      {
        level: 'error',
        message: 'changes of the catalog are not kept over a restart',
        fields: { error: new Error('disk full') },
      },
    ]);
    expect(feed.read(undefined).events).toHaveLength(2);
    expect((await store.load(10)).events).toHaveLength(1);
  });

  it('costs little for one change among 10,000 entries', () => {
    const { feed, note } = openFeed();
    const digests = Array.from({ length: 10_000 }, (_, n) => `sha256:${n}`);
    note(digests);
    const costsMs = Array.from({ length: 20 }, (_, run) => {
      const changed = stateOf(digests.with(5, `run ${run}`));
      const startMs = performance.now();
      feed.note(changed);
      return performance.now() - startMs;
    });
    expect(feed.read(undefined).events).toHaveLength(5000);
    expect(Math.min(...costsMs)).toBeLessThan(20);
  });
});

describe('a feed that several share', () => {
  const idle = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Two that have started on it. */
  const openBoth = async (store: FeedStore, ofB: FeedStore = store) => {
    const [a, b] = [openFeed(store, 'a'), openFeed(ofB, 'b')];
    await Promise.all([a.feed.recover(), b.feed.recover()]);
    const changes = (of: typeof a) =>
      of.feed.read(undefined).events.map((event) => `${event.id} ${event.change_type} ${event.object_id}`);
    return { a, b, changes };
  };

  it('has each change once, for any order of observers, and the same cursors', async () => {
    const { a, b, changes } = await openBoth(createSharedMemoryFeedStore());
    a.note(['x', 'y']);
    b.note(['x', 'y']);
    await idle();
    const { cursor } = b.feed.read(undefined);
    b.note(['x', 'z']);
    await idle();
    a.note(['x', 'z']);
    a.note(['x']);
    await idle();
    expect(changes(a)).toEqual([
      'evt-a1 added s0.tool_0',
      'evt-a2 added s1.tool_1',
      'evt-b3 updated s1.tool_1',
      'evt-a4 removed s1.tool_1',
    ]);
    expect(a.feed.read(undefined)).toEqual(b.feed.read(undefined));
    expect(a.feed.read(cursor).events).toHaveLength(2);
  });

  it('is not corrected by one that is behind the others', async () => {
    const { a, b, changes } = await openBoth(createSharedMemoryFeedStore());
    b.note(['x']);
    a.note(['x']);
    a.note(['y']);
    await idle();
    b.note(['x']);
    await idle();
    expect(changes(a)).toEqual(['evt-b1 added s0.tool_0', 'evt-a2 updated s0.tool_0']);
    b.note(['y']);
    await idle();
    expect(changes(b)).toEqual(changes(a));
  });

  it('has nothing that could not be kept, and has it when that is possible again', async () => {
    const store = createSharedMemoryFeedStore();
    let isAway = true;
    const { a, b, changes } = await openBoth(store, {
      ...store,
      append: (...change) => (isAway ? Promise.reject(new Error('away')) : store.append(...change)),
    });
    b.note(['x', 'y']);
    await idle();
    expect([changes(b), b.log]).toEqual([
      [],
      [
        {
          level: 'error',
          message: 'changes of the catalog are not in the change feed yet',
          fields: { error: new Error('away') },
        },
      ],
    ]);
    isAway = false;
    a.note(['x']);
    await idle();
    expect(changes(b)).toEqual(['evt-a1 added s0.tool_0', 'evt-b3 added s1.tool_1']);
    expect(changes(a)).toEqual(changes(b));
  });

  it('reads once for all notifications that arrive while it reads, and logs when it cannot', async () => {
    const store = createSharedMemoryFeedStore();
    const { shared } = store;
    let reads = 0;
    const events: NonNullable<typeof shared>['events'] = async (max) => {
      reads += 1;
      if (reads === 2) throw new Error('away');
      return (await shared?.events(max)) ?? [];
    };
    const { a, b } = await openBoth(store, { ...store, shared: shared && { ...shared, events } });
    await idle();
    for (const digest of ['1', '2', '3', '4']) a.note([digest]);
    await idle();
    expect(b.log).toMatchObject([{ level: 'error', fields: { error: new Error('away') } }]);
    expect(reads).toBeLessThanOrEqual(5);
    a.note(['5']);
    await idle();
    expect(b.feed.read(undefined).events).toHaveLength(5);
    await b.feed.close();
    const before = reads;
    a.note(['6']);
    await idle();
    expect(reads).toBe(before);
  });
});
