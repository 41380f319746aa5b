// The catalog over restarts: what was known of the servers is there before any of them is connected, and what differs
// afterwards is a change like any other.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../../memory-stores.js';
import { countsOf, restart, type Started } from '../../testing/restart.js';
import { author, startConfigured } from '../../testing/start-configured.js';
import { everything, hang, stopped, tool } from '../../testing/start-plane.js';
import type { UpdateEvent } from '../updates.js';
import { createMemoryDefinitionStore } from './definition-store.js';

const git: MemoryServer = {
  definitions: { tools: [tool('a', { description: 'Pushes commits' }), tool('b')], prompts: [{ name: 'p' }] },
};
const web: MemoryServer = { definitions: { resources: [{ uri: 'x:y', name: 'y' }] } };
const node = { command: 'node' };
const lazy = { ...node, lifecycle: 'lazy', idleStopSecs: 10 };
const file = { mcpServers: { git: node, web: node } };
const cold: MemoryServer = { onConnect: hang };

type Servers = Readonly<Record<string, MemoryServer>>;

const restartWith = (before: Started, servers: Servers, next: JsonObject = file, run = 2) =>
  restart(before, servers, next, run);

const listed = ({ plane }: Started) => {
  const { capabilities, resources, prompts } = plane.state().catalog;
  return [...capabilities, ...resources, ...prompts].map(({ id }) => id);
};
const version = ({ plane }: Started) => plane.state().catalog.version;
function updatesOf({ plane }: Started) {
  const events: UpdateEvent[] = [];
  plane.onUpdate((event) => events.push(event));
  return events;
}

describe('a start', () => {
  it('lists, finds and describes known definitions, under their version, and notifies no client', async () => {
    const first = await startConfigured({ git, web }, file);
    const { cursor } = first.plane.catalogEvents(undefined);
    const described = first.plane.describe(everything, 'git.a');
    const second = await restartWith(first, { git: cold, web: cold });
    const updates = updatesOf(second);
    expect([listed(second), version(second)]).toEqual([listed(first), version(first)]);
    expect(second.plane.describe(everything, 'git.a')).toEqual(described);
    const { capabilities } = await second.plane.search(everything, { query: 'pushes commits', limit: 5 } as never);
    expect(capabilities.map(({ id }) => id)).toEqual(['git.a']);
    expect(countsOf(second, 'git')).toEqual({ status: 'connecting', tools: 2, resources: 0, prompts: 1 });
    await second.clock.advance(1000);
    expect([second.plane.catalogEvents(cursor).events, updates]).toEqual([[], []]);
  });

  it('reports no change when the servers list the same, and writes nothing', async () => {
    const store = createMemoryDefinitionStore();
    const saved: string[] = [];
    const definitions = {
      ...store,
      async save(stored: Parameters<typeof store.save>[0]) {
        saved.push(stored.server);
        await store.save(stored);
      },
    };
    const first = await startConfigured({ git, web }, file, { ...createMemoryStores(stopped), definitions });
    const { cursor } = first.plane.catalogEvents(undefined);
    const second = await restartWith(first, { git, web });
    const updates = updatesOf(second);
    await second.clock.advance(1000);
    expect([countsOf(second, 'git').status, second.plane.catalogEvents(cursor).events, updates]).toEqual([
      ...['connected', [], []],
    ]);
    expect(saved.sort()).toEqual(['git', 'web']);
  });

  it('reports exactly the differences once a server is connected', async () => {
    const first = await startConfigured({ git, web }, file);
    const { cursor } = first.plane.catalogEvents(undefined);
    let connect = () => {};
    const gate = new Promise<void>((resolve) => {
      connect = resolve;
    });
    const other: MemoryServer = { definitions: { tools: [tool('a'), tool('c')] }, onConnect: () => gate };
    const second = await restartWith(first, { git: other, web });
    const updates = updatesOf(second);
    await second.clock.advance(1000);
    expect([listed(second), updates]).toEqual([listed(first), []]);
    connect();
    await second.clock.advance(1000);
    const events = second.plane.catalogEvents(cursor).events.map((event) => `${event.change_type} ${event.object_id}`);
    expect(events).toEqual(['removed git.b', 'removed git.p', 'updated git.a', 'added git.c']);
    expect(updates.map(({ data }) => data)).toMatchObject([
      { added: ['git.c'], removed: ['git.b', 'git.p'], updated: ['git.a'], servers: ['git'] },
    ]);
    const third = await restartWith(second, { git: cold, web: cold }, file, 3);
    expect(listed(third)).toEqual(listed(second));
  });

  it('keeps the entries of a server that cannot be connected, given up or not, and answers that it is unreachable', async () => {
    const first = await startConfigured({ git, web }, file);
    const refuse: MemoryServer = {
      onConnect() {
        throw new Error('cannot start');
      },
    };
    const off = { mcpServers: { git: { ...node, resilience: { autoRestart: false } }, web: node } };
    const second = await restartWith(first, { git: refuse, web: refuse }, off);
    expect([countsOf(second, 'git').status, countsOf(second, 'web').status]).toEqual(['disabled', 'degraded']);
    expect(listed(second)).toEqual(listed(first));
    const { envelope } = await second.outcome({ kind: 'tool', id: 'git.a' });
    expect(envelope).toMatchObject({ error: { code: 'SERVER_UNREACHABLE' } });
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['another command', { command: 'deno' }, []],
    ['other arguments', { ...node, args: ['x'] }, []],
    ['another variable', { ...node, env: { A: '1' } }, []],
    ['an address', { url: 'http://127.0.0.1:1/mcp' }, []],
    ['another lifecycle', lazy, ['git.a', 'git.b', 'git.p']],
    ['another resilience', { ...node, resilience: { cooldownMs: 1 } }, ['git.a', 'git.b', 'git.p']],
  ])('with %s of a server uses what is still of it', async (_what, definition, kept) => {
    const first = await startConfigured({ git }, { mcpServers: { git: node } });
    const second = await restartWith(first, { git: cold }, { mcpServers: { git: definition } });
    expect(listed(second)).toEqual(kept);
    const third = await restartWith(second, { git: cold }, { mcpServers: { git: node } }, 3);
    expect(listed(third)).toEqual(kept); // unused vectors are deleted
  });

  it('with another secret of a server uses what was known, and no secret is kept', async () => {
    const withToken = (token: string) => ({ mcpServers: { git: { ...node, env: { TOKEN: token } } } });
    const first = await startConfigured({ git }, withToken('old-secret'));
    expect(JSON.stringify(await first.definitions.load())).not.toContain('old-secret');
    const second = await restartWith(first, { git: cold }, withToken('new-secret'));
    expect(listed(second)).toEqual(['git.a', 'git.b', 'git.p']);
  });

  it('knows nothing of servers that were removed while it ran, or since', async () => {
    const first = await startConfigured({ git, web }, file);
    await first.settled(first.configuration.deleteServer(author, 'web'));
    await first.clock.advance(0);
    expect((await first.definitions.load()).map(({ server }) => server)).toEqual(['git']);
    const second = await restartWith(first, {}, { mcpServers: {} });
    const closed = second.plane.close(0);
    await second.clock.advance(0);
    await closed;
    expect(await second.definitions.load()).toEqual([]);
  });

  it('goes on without what it cannot read, and says so', async () => {
    const definitions = { ...createMemoryDefinitionStore(), load: () => Promise.reject(new Error('disk')) };
    const started = await startConfigured(
      { git },
      { mcpServers: { git: node } },
      {
        ...createMemoryStores(stopped),
        definitions,
      },
    );
    expect(listed(started)).toEqual(['git.a', 'git.b', 'git.p']);
    expect(started.log).toContainEqual(expect.objectContaining({ level: 'error' }));
  });
});
