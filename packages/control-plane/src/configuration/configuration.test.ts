// Changes of operators while the service runs: all of it or nothing, in force at once, and on record.
import { type JsonObject, mask } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { AuditUnavailable } from '../audit/audit-log.js';
import { createMemoryStores } from '../memory-stores.js';
import { author, startConfigured } from '../testing/start-configured.js';
import { hang, stopped, tool } from '../testing/start-plane.js';
import { createMemoryAiClients } from './clients/memory-ai-clients.js';

const git: MemoryServer = { definitions: { tools: [tool('push'), tool('log')] } };
const web: MemoryServer = { definitions: { tools: [tool('fetch')] } };
const slow: MemoryServer = { onConnect: hang };
const node = { command: 'node' };
const file = { mcpServers: { git: node, web: node } };
const start = (more: JsonObject = {}, stores = createMemoryStores(stopped)) =>
  startConfigured({ git, web, slow, late: web }, { ...file, ...more }, stores);

const ids = ({ plane }: Awaited<ReturnType<typeof start>>) => plane.state().catalog.capabilities.map(({ id }) => id);

describe('a refused change', () => {
  it.each<
    readonly [string, (c: Awaited<ReturnType<typeof start>>['configuration']) => Promise<unknown>, string, RegExp]
  >([
    [
      'a server with both transports',
      (c) => c.upsertServer(author, 'git', { command: 'a', url: 'https://h' }),
      'INVALID_ARGS',
      /^mcpServers\.git/,
    ],
    [
      'a mask of nothing',
      (c) => c.upsertServer(author, 'new', { command: 'a', env: { A: mask } }),
      'INVALID_ARGS',
      /^server\.env\.A/,
    ],
    ['an unknown server', (c) => c.deleteServer(author, 'nope'), 'RESOURCE_NOT_FOUND', /"nope"/],
    [
      'a server named as what every object has',
      (c) => c.deleteServer(author, 'toString'),
      'RESOURCE_NOT_FOUND',
      /"toString"/,
    ],
    ['a restart of an unknown server', (c) => c.restartServer(author, 'nope'), 'RESOURCE_NOT_FOUND', /"nope"/],
    [
      'an alias of an alias',
      (c) => c.updateAlias(author, { kind: 'tool', alias: 'b', target: 'ship' }),
      'INVALID_ARGS',
      /capabilityAliases/,
    ],
    [
      'an alias that is an id',
      (c) => c.updateAlias(author, { kind: 'tool', alias: 'git.log', target: 'git.push' }),
      'INVALID_ARGS',
      /git\.log/,
    ],
    [
      'an alias that is not there',
      (c) => c.updateAlias(author, { kind: 'prompt', alias: 'ship' }),
      'RESOURCE_NOT_FOUND',
      /prompt alias "ship"/,
    ],
    [
      'a profile of an unknown server',
      (c) => c.putProfile(author, { name: 'dev', servers: ['nope'] }),
      'INVALID_ARGS',
      /^profiles\.dev\.servers/,
    ],
    ['an unknown profile', (c) => c.deleteProfile(author, 'nope'), 'RESOURCE_NOT_FOUND', /"nope"/],
    [
      'a webhook with two secrets',
      (c) => c.mergePolicy(author, { webhook: { url: 'https://h', secret: 'a', secret_env: 'B' } }),
      'INVALID_ARGS',
      /webhook/,
    ],
  ])('of %s moves nothing, and is on record', async (_what, change, code, message) => {
    const started = await start({ capabilityAliases: { ship: 'git.push' } });
    const { plane, source, server, changes, clock } = started;
    const before = [source.current(), plane.state(), server('git').connects(), server('git').sessions()];
    const refused = await change(plane.configuration).catch((error: unknown) => error);
    await clock.advance(100);
    expect(refused).toMatchObject({ code, message: expect.stringMatching(message) });
    expect([source.current(), plane.state(), server('git').connects(), server('git').sessions()]).toEqual(before);
    expect(source.current()).toBe(before[0]);
    expect(changes()).toMatchObject([{ status: 'failed', error_code: code, reason: expect.stringMatching(message) }]);
  });

  it('is one that cannot be recorded', async () => {
    const stores = createMemoryStores(stopped);
    const audit = { ...stores.audit, begin: async () => Promise.reject(new AuditUnavailable('disk full')) };
    const { configuration, source, server, clock } = await start({}, { ...stores, audit });
    const before = source.current();
    await expect(configuration.deleteServer(author, 'git')).rejects.toThrow('disk full');
    await expect(configuration.restartServer(author, 'git')).rejects.toThrow('disk full');
    await clock.advance(10);
    expect([source.current(), server('git').connects()]).toEqual([before, 1]);
  });

  it('is every one once the service stops', async () => {
    const { configuration, plane, clock, source, server } = await start();
    const before = source.current();
    const closed = plane.close(0);
    await expect(configuration.deleteServer(author, 'git')).rejects.toThrow('the service is stopping');
    source.replace({ mcpServers: {} });
    await clock.advance(0);
    await closed;
    expect([source.current(), server('git').sessions()]).toEqual([before, 0]);
  });
});

describe('changes', () => {
  it('of which 50 come at once all land', async () => {
    const { configuration, source, settled, plane, changes } = await start();
    await settled(
      Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          configuration.updateAlias(author, { kind: 'tool', alias: `a${n}`, target: 'git.push' }),
        ),
      ),
    );
    expect(Object.keys(source.current().file.capabilityAliases ?? {})).toHaveLength(50);
    expect(plane.state().catalog.capabilities.filter(({ id }) => id.startsWith('a'))).toHaveLength(50);
    expect(changes().filter(({ status }) => status === 'success')).toHaveLength(50);
  });

  it('go on after one that was refused', async () => {
    const { configuration, settled, changes } = await start();
    const refused = configuration.deleteProfile(author, 'nope').catch(() => 'refused');
    await settled(configuration.putProfile(author, { name: 'dev', servers: ['git'] }));
    expect([await refused, changes().map(({ status }) => status)]).toEqual(['refused', ['failed', 'success']]);
  });

  it('hide no secret from a caller that sends it back, and show none', async () => {
    const { configuration, settled, source } = await start({ mcpServers: { git: { ...node, env: { A: 'hidden' } } } });
    const shown = configuration.shown();
    expect(JSON.stringify(shown)).not.toContain('hidden');
    expect(shown).toMatchObject({ port: 9090, profiles: {}, mcpServers: { git: { env: { A: mask } } } });
    await settled(configuration.upsertServer(author, 'git', { command: 'deno', env: { A: mask } }));
    expect(source.current().file).toEqual({ mcpServers: { git: { command: 'deno', env: { A: 'hidden' } } } });
  });
});

describe('an alias, a policy and a profile', () => {
  it('are in force at once, and undone at once', async () => {
    const started = await start();
    const { configuration, settled, plane } = started;
    const version = plane.state().catalog.version;
    await settled(configuration.updateAlias(author, { kind: 'tool', alias: 'ship', target: 'git.push' }));
    expect(ids(started)).toEqual(['git.log', 'ship', 'web.fetch']);
    expect(await settled(configuration.mergePolicy(author, { deny: ['web.*'] }))).toMatchObject({
      deny: ['web.*'],
      allow: [],
    });
    expect(ids(started)).toEqual(['git.log', 'ship']);
    const dev = { profile: 'dev', role: null };
    await settled(configuration.putProfile(author, { name: 'dev', servers: ['web'] }));
    expect(plane.view(dev, 'tool').capabilities).toEqual([]);
    await settled(configuration.mergePolicy(author, { deny: null }));
    expect(plane.view(dev, 'tool').capabilities.map(({ id }) => id)).toEqual(['web.fetch']);
    await settled(configuration.updateAlias(author, { kind: 'tool', alias: 'ship', target: null }));
    await settled(configuration.deleteProfile(author, 'dev'));
    expect(() => plane.view(dev, 'tool')).toThrow('dev');
    expect([ids(started), plane.state().catalog.version]).toEqual([['git.log', 'git.push', 'web.fetch'], version]);
  });

  it('report to listeners which servers they are about', async () => {
    const { configuration, settled, plane, clock } = await start();
    await clock.advance(50);
    const received: unknown[] = [];
    plane.onUpdate(({ data }) => received.push(data));
    await settled(configuration.updateAlias(author, { kind: 'tool', alias: 'ship', target: 'git.push' }));
    await clock.advance(50);
    await settled(configuration.putProfile(author, { name: 'dev', servers: ['web'] }));
    await clock.advance(50);
    await settled(configuration.putProfile(author, { name: 'dev', servers: ['web'] }));
    await clock.advance(50);
    expect(received).toMatchObject([
      { added: ['ship'], removed: ['git.push'], updated: [], servers: ['git'] },
      { added: [], removed: [], updated: [], servers: [] },
    ]);
  });
});

describe('the file', () => {
  it('is put in force after an edit from outside, and only the differences are applied', async () => {
    const started = await start();
    const { source, clock, server, changes } = started;
    source.replace({ mcpServers: { git: node, late: node } });
    await clock.advance(0);
    expect([ids(started), server('git').connects(), server('web').sessions()]).toEqual([
      ['git.log', 'git.push', 'late.fetch'],
      1,
      0,
    ]);
    expect(changes()).toMatchObject([
      { status: 'success', action: 'reload', source: 'file', mounted: ['late'], unmounted: ['web'], updated: [] },
    ]);
  });

  it('that is invalid changes nothing, is reported, and is in force once it is corrected', async () => {
    const started = await start();
    const { source, clock, configuration, plane, changes, log, settled } = started;
    const before = plane.state();
    source.replace({ mcpServers: { git: { command: 1 } } });
    await clock.advance(0);
    expect(plane.state()).toBe(before);
    expect(configuration.fileIssues()).toMatchObject([{ path: 'mcpServers.git.command' }]);
    expect(log.at(-1)).toMatchObject({ level: 'error', message: 'the changed configuration file is not in force' });
    await expect(configuration.reload(author)).rejects.toMatchObject({ code: 'INVALID_ARGS' });
    await expect(configuration.putProfile(author, { name: 'dev', servers: ['git'] })).rejects.toMatchObject({
      code: 'INVALID_ARGS',
    });
    source.replace({ mcpServers: { web: node } });
    await clock.advance(0);
    expect([ids(started), configuration.fileIssues()]).toEqual([['web.fetch'], []]);
    await settled(configuration.putProfile(author, { name: 'dev', servers: ['web'] }));
    expect(changes().map(({ action, status }) => `${action} ${status}`)).toEqual([
      'reload failed',
      'reload failed',
      'profile_update failed',
      'reload success',
      'profile_update success',
    ]);
  });

  it('that is as it was is on record when it is loaded again', async () => {
    const { configuration, settled, changes, plane } = await start();
    const before = plane.state().catalog.version;
    expect(await settled(configuration.reload(author))).toEqual({
      mounted: [],
      unmounted: [],
      updated: [],
      unchanged: ['git', 'web'],
      needsRestart: [],
    });
    expect([plane.state().catalog.version, changes()]).toMatchObject([
      before,
      [{ action: 'reload', source: 'request' }],
    ]);
  });

  it('has fields that count from the next start, which are named and kept as they are in force', async () => {
    const { configuration, settled, source, plane, log } = await start({ port: 9001 });
    source.replace({
      ...file,
      port: 9002,
      authToken: 'new',
      audit: { enabled: false },
      mcpHttpServer: {},
      toolTimeoutMs: 5,
    });
    const { needsRestart } = await settled(configuration.reload(author));
    expect(needsRestart).toEqual(['port', 'audit', 'mcpHttpServer']);
    expect(plane.state().config).toMatchObject({ port: 9001, authToken: 'new', toolTimeoutMs: 5 });
    expect(log).toContainEqual(expect.objectContaining({ level: 'warn', fields: { needsRestart } }));
    source.replace({ ...file, port: 9001 });
    expect((await settled(configuration.reload(author))).needsRestart).toEqual([]);
  });
});

describe('an import', () => {
  it('leaves a server that was configured since it was planned', async () => {
    const planned = { server_id: 'late', client: 'editor', definition: { command: 'theirs' } };
    const planImport = async () => ({ imported: [planned], skipped: [], errors: [] });
    const stores = { ...createMemoryStores(stopped), aiClients: { ...createMemoryAiClients(), planImport } };
    const { configuration, source, settled } = await start({}, stores);
    source.replace({ mcpServers: { git: node, web: node, late: { command: 'mine' } } });
    expect(await settled(configuration.importServers(author, { sourcePath: null, overwrite: false }))).toEqual({
      imported: [],
      skipped: [{ server_id: 'late', client: 'editor', reason: 'was configured in between' }],
      errors: [],
    });
    expect(source.current().file).toMatchObject({ mcpServers: { late: { command: 'mine' } } });
  });
});
