// Servers that are added, replaced, removed and restarted while the service runs.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { author, startConfigured } from '../testing/start-configured.js';
import { hang, tool } from '../testing/start-plane.js';

const git: MemoryServer = { definitions: { tools: [tool('push'), tool('log')] } };
const web: MemoryServer = { definitions: { tools: [tool('fetch')] } };
const slow: MemoryServer = { onConnect: hang };
const node = { command: 'node' };
const start = (more: JsonObject = {}) =>
  startConfigured({ git, web, slow, late: web }, { mcpServers: { git: node, web: node }, ...more });

const ids = ({ plane }: Awaited<ReturnType<typeof start>>) => plane.state().catalog.capabilities.map(({ id }) => id);

describe('upsert', () => {
  it('mounts a new server, and says so on record', async () => {
    const started = await start();
    const { configuration, settled, changes, plane } = started;
    const changed = { mounted: ['late'], unmounted: [], updated: [], unchanged: ['git', 'web'] };
    expect(await settled(configuration.upsertServer(author, 'late', node))).toEqual({
      status: 'connected',
      changes: changed,
    });
    expect(ids(started)).toEqual(['git.log', 'git.push', 'late.fetch', 'web.fetch']);
    expect(changes()).toEqual([
      {
        status: 'success',
        server_id: 'late',
        action: 'server_upsert',
        server: 'late',
        mounted: ['late'],
        unmounted: [],
        updated: [],
        catalog_version: expect.stringMatching(/^sha256:/),
      },
    ]);
    await plane.close(0);
  });

  it('keeps the sessions of the others, and that of a server that stays as it is', async () => {
    const { configuration, settled, server } = await start();
    const { changes } = await settled(configuration.upsertServer(author, 'git', node));
    expect([changes.updated, server('git').connects()]).toEqual([[], 1]);
    await settled(configuration.upsertServer(author, 'git', { command: 'node', args: ['x'] }));
    expect([server('git').connects(), server('git').sessions(), server('web').connects()]).toEqual([2, 1, 1]);
  });

  it('waits for the first connection, for 5 seconds', async () => {
    const { configuration, clock } = await start();
    let status: string | undefined;
    void configuration.upsertServer(author, 'slow', node).then((upserted) => {
      status = upserted.status;
    });
    await clock.advance(4999);
    expect(status).toBeUndefined();
    await clock.advance(1);
    expect(status).toBe('connecting');
  });

  it('answers for a server that cannot be reached', async () => {
    const { configuration, settled } = await start();
    expect(await settled(configuration.upsertServer(author, 'nowhere', node))).toMatchObject({ status: 'degraded' });
  });

  it('lists what the same program had offered while it comes back, and nothing of another', async () => {
    let gate = Promise.resolve();
    const gated: MemoryServer = { ...web, onConnect: () => gate };
    const started = await startConfigured({ gated }, { mcpServers: { gated: node } });
    const { configuration, clock, statusOf } = started;
    const listed = () => started.plane.state().catalog.capabilities.map(({ id }) => id);
    gate = new Promise(() => {});
    void configuration.upsertServer(author, 'gated', { command: 'node', env: { A: '1' } });
    await clock.advance(0);
    expect([listed(), statusOf('gated')]).toEqual([['gated.fetch'], 'connecting']);
    void configuration.upsertServer(author, 'gated', { command: 'deno' });
    await clock.advance(0);
    expect(listed()).toEqual([]);
  });

  it('replaces a server that is still connecting', async () => {
    let gate: Promise<void> = hang();
    const gated: MemoryServer = { ...web, onConnect: () => gate };
    const { configuration, clock, server, settled } = await startConfigured({ gated }, { mcpServers: { gated: node } });
    gate = Promise.resolve();
    expect(await settled(configuration.upsertServer(author, 'gated', { command: 'deno' }))).toMatchObject({
      status: 'connected',
    });
    await clock.advance(10_000);
    expect([server('gated').connects(), server('gated').sessions()]).toEqual([2, 1]);
  });
});

describe('delete', () => {
  it('lets running calls end for 5 seconds, and takes no new ones', async () => {
    let answer = (_result: JsonObject) => {};
    const busy: MemoryServer = { ...git, handle: () => new Promise<JsonObject>((resolve) => (answer = resolve)) };
    const { configuration, clock, outcome, server, plane } = await startConfigured(
      { busy },
      { mcpServers: { busy: node } },
    );
    const running = outcome({ kind: 'tool', id: 'busy.log' });
    await clock.advance(0);
    let isGone = false;
    void configuration.deleteServer(author, 'busy').then(() => {
      isGone = true;
    });
    await clock.advance(4000);
    expect([isGone, server('busy').sessions(), plane.servers()]).toEqual([false, 1, []]);
    expect((await outcome({ kind: 'tool', id: 'busy.log' })).envelope).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND' },
    });
    answer({ content: [] });
    await clock.advance(0);
    expect((await running).envelope).toMatchObject({ ok: true });
    expect([isGone, server('busy').sessions()]).toEqual([true, 0]);
  });

  it('ends a call that takes longer', async () => {
    const busy: MemoryServer = { ...git, handle: hang };
    const { configuration, clock, outcome, server } = await startConfigured(
      { busy },
      { mcpServers: { busy: node }, toolTimeoutMs: 60_000 },
    );
    const running = outcome({ kind: 'tool', id: 'busy.log' });
    await clock.advance(0);
    const gone = configuration.deleteServer(author, 'busy');
    await clock.advance(5000);
    await gone;
    expect(server('busy').sessions()).toBe(0);
    expect((await running).envelope).toMatchObject({ ok: false });
  });

  it('takes what it offered out of the catalog, and it out of its profiles', async () => {
    const started = await start({ profiles: { dev: { servers: ['git', 'web'] } } });
    const { configuration, settled, plane } = started;
    await settled(configuration.deleteServer(author, 'git'));
    expect([ids(started), plane.state().config.profiles.get('dev')?.servers]).toEqual([['web.fetch'], ['web']]);
    expect((await plane.search({ profile: null, role: null }, { query: 'push' })).capabilities).toEqual([]);
  });
});

describe('restart', () => {
  it('lets running calls end for 5 seconds, and then starts the server again', async () => {
    let answer = (_result: JsonObject) => {};
    const busy: MemoryServer = { ...git, handle: () => new Promise<JsonObject>((resolve) => (answer = resolve)) };
    const { configuration, clock, outcome, server } = await startConfigured({ busy }, { mcpServers: { busy: node } });
    const running = outcome({ kind: 'tool', id: 'busy.log' });
    await clock.advance(0);
    const restarting = configuration.restartServer(author, 'busy');
    await clock.advance(4000);
    answer({ content: [] });
    await clock.advance(0);
    expect((await running).envelope).toMatchObject({ ok: true });
    expect([await restarting, server('busy').connects()]).toEqual(['connected', 2]);
  });

  it('ends a call that takes longer', async () => {
    const busy: MemoryServer = { ...git, handle: hang };
    const { configuration, clock, outcome, server } = await startConfigured({ busy }, { mcpServers: { busy: node } });
    const running = outcome({ kind: 'tool', id: 'busy.log' });
    await clock.advance(0);
    const restarting = configuration.restartServer(author, 'busy');
    await clock.advance(5000);
    expect((await running).envelope).toMatchObject({ error: { code: 'SERVER_UNREACHABLE' } });
    expect([await restarting, server('busy').connects()]).toEqual(['connected', 2]);
  });

  it('brings a server back that was given up', async () => {
    let isBroken = true;
    const flaky: MemoryServer = {
      ...web,
      onConnect() {
        if (isBroken) throw new Error('no');
      },
    };
    const { configuration, clock, statusOf, settled, changes } = await startConfigured(
      { flaky },
      { mcpServers: { flaky: { ...node, resilience: { autoRestart: false } } } },
    );
    await clock.advance(1000);
    expect(statusOf('flaky')).toBe('disabled');
    isBroken = false;
    expect(await settled(configuration.restartServer(author, 'flaky'))).toBe('connected');
    expect(changes()).toEqual([
      expect.objectContaining({ action: 'server_restart', status: 'success', server: 'flaky', server_id: 'flaky' }),
    ]);
  });

  it('and a reload does so too', async () => {
    let isBroken = true;
    const flaky: MemoryServer = {
      ...web,
      onConnect() {
        if (isBroken) throw new Error('no');
      },
    };
    const { configuration, clock, statusOf, settled } = await startConfigured(
      { flaky, git },
      { mcpServers: { flaky: { ...node, resilience: { autoRestart: false } }, git: node } },
    );
    await clock.advance(1000);
    isBroken = false;
    expect(await settled(configuration.reload(author))).toMatchObject({ updated: ['flaky'], unchanged: ['git'] });
    await clock.advance(0);
    expect(statusOf('flaky')).toBe('connected');
  });
});
