// Servers of a client that move behind Portico, and what is taken back where one of the two files cannot be written.
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { operator } from '../../call/call.js';
import { createMemoryStores } from '../../memory-stores.js';
import { connectPlane, correlation, stopped } from '../../testing/start-plane.js';
import { AiClientError, type AiClients } from './ai-clients.js';
import { createClientService } from './client-service.js';
import { createMemoryAiClients } from './memory-ai-clients.js';
import type { ServerPlacement } from './server-placement.js';

const by = { identity: operator, correlation };
const all = { names: null, isDryRun: false, isChecked: true };

/** A configuration that is a map, in which no server but `down` fails to connect. */
function createPlacement() {
  const servers: Record<string, object> = {};
  const placement: ServerPlacement = {
    path: '/c.json',
    definitions: () => servers as ReturnType<ServerPlacement['definitions']>,
    async add(_by, _client, added) {
      for (const { server_id, definition } of added) servers[server_id] = definition;
      return { hasMadeMap: false };
    },
    async remove(_by, _client, removed) {
      for (const { server_id } of removed) delete servers[server_id];
    },
    attempt: async (id) => ({
      ...{ id, transport: 'stdio', protocol_version: null, restarts: 0, queued: 0, running: 0 },
      ...{ tools: 0, resources: 0, prompts: 0, circuit: { state: 'closed', consecutive_failures: 0, remaining_ms: 0 } },
      ...(id === 'down' ? { status: 'degraded', last_error: 'gone' } : { status: 'connected' }),
    }),
  };
  return { servers, placement };
}

async function start({
  change = {},
  placing = {},
}: {
  change?: Partial<AiClients>;
  placing?: Partial<ServerPlacement>;
} = {}) {
  const { plane } = await connectPlane({ git: {} });
  const { audit } = createMemoryStores(stopped);
  const servers = { web: { command: 'web', env: { TOKEN: 'planted' } }, down: { command: 'down' } };
  const aiClients = { ...createMemoryAiClients([{ id: 'editor', servers }]), ...change };
  const { servers: configured, placement } = createPlacement();
  const deps = { aiClients, placement: { ...placement, ...placing }, audit, clock: createManualClock() };
  const service = createClientService(deps, plane.state);
  await service.attach('editor', by);
  const direct = async () => (await service.list())[0]?.direct_servers.map(({ name }) => name);
  const last = async () => (await audit.list({}, { limit: 1, offset: 0 })).events[0];
  return { service, configured, direct, last };
}

describe('moving servers of a client', () => {
  it('imports those that connect, has the client leave them out, and records it', async () => {
    const { service, configured, direct, last } = await start();
    const moved = await service.move('editor', all, by);
    expect(moved).toMatchObject({ client: 'editor', configPath: '/c.json', attached: true });
    expect(moved.servers).toMatchObject([{ name: 'web', imported: true, status: 'connected' }]);
    expect(moved.left).toEqual([
      {
        name: 'down',
        reason: 'does not connect behind Portico (gone); fix that, or move it anyway with --no-check',
      },
    ]);
    expect([Object.keys(configured), await direct()]).toEqual([['web'], ['down']]);
    expect(JSON.stringify(moved)).not.toContain('planted');
    expect(await last()).toMatchObject({
      status: 'success',
      details: { action: 'client_move', client: 'editor', changed: true, servers: ['web'], left: ['down'] },
    });
  });

  it('moves all where it is not checked, and what is there already is not imported again', async () => {
    const { service, configured, direct } = await start();
    const unchecked = { ...all, isChecked: false };
    expect((await service.move('editor', { ...unchecked, names: ['down'] }, by)).servers).toHaveLength(1);
    expect((await service.move('editor', unchecked, by)).servers).toMatchObject([{ name: 'web' }]);
    expect([Object.keys(configured), await direct()]).toEqual([['down', 'web'], []]);
    expect((await service.move('editor', all, by)).servers).toEqual([]);
  });

  it('writes nothing for a dry run, of which there is no record', async () => {
    const { service, configured, direct, last } = await start();
    const shown = await service.move('editor', { ...all, isDryRun: true }, by);
    expect(shown.servers.map(({ name, status }) => [name, status])).toEqual([
      ['web', null],
      ['down', null],
    ]);
    expect([configured, await direct()]).toEqual([{}, ['web', 'down']]);
    expect(await last()).toMatchObject({ details: { action: 'client_attach' } });
  });

  it('takes the import back where the file of the client cannot be written', async () => {
    const failing = () => Promise.reject(new AiClientError('unusable', 'it cannot be written'));
    const { service, configured, direct, last } = await start({ change: { switchOff: failing } });
    await expect(service.move('editor', all, by)).rejects.toThrow('it cannot be written');
    expect([configured, await direct()]).toEqual([{}, ['web', 'down']]);
    expect(await last()).toMatchObject({
      status: 'failed',
      details: { action: 'client_move', reason: 'it cannot be written' },
    });
  });

  it('keeps what was moved where a server that does not connect cannot be removed again', async () => {
    const failing = () => Promise.reject(new Error('the disk is full'));
    const { service, configured, direct, last } = await start({ placing: { remove: failing } });
    const { servers, left } = await service.move('editor', all, by);
    expect(servers).toMatchObject([{ name: 'web', imported: true }]);
    expect(left).toEqual([
      {
        name: 'down',
        reason: expect.stringMatching(
          /^does not connect .* down could not be removed from \/c\.json again \(the disk is full\); .*server remove down$/,
        ),
      },
    ]);
    expect([Object.keys(configured), await direct()]).toEqual([['web', 'down'], ['down']]);
    expect(await last()).toMatchObject({ status: 'success', details: { servers: ['web'], left: ['down'] } });
  });

  it('says what is left where neither the file of the client nor the configuration can be written', async () => {
    const { service } = await start({
      change: { switchOff: () => Promise.reject(new AiClientError('unusable', 'it cannot be written')) },
      placing: { remove: () => Promise.reject(new Error('the disk is full')) },
    });
    await expect(service.move('editor', all, by)).rejects.toThrow(
      'it cannot be written; web, down could not be removed from /c.json again (the disk is full); see to it with portico server remove web, portico server remove down',
    );
  });

  it('leaves the file of the client alone where the configuration cannot be written', async () => {
    const { service, direct } = await start({ placing: { add: () => Promise.reject(new Error('the disk is full')) } });
    await expect(service.move('editor', all, by)).rejects.toThrow('the disk is full');
    expect(await direct()).toEqual(['web', 'down']);
  });

  it('is refused for a client that would be left without its servers', async () => {
    const { service, configured } = await start();
    await service.detach('editor', by);
    await expect(service.move('editor', all, by)).rejects.toThrow(
      'attach it first: portico clients attach editor --move',
    );
    expect(configured).toEqual({});
  });
});
