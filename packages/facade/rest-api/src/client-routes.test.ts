// AI clients over HTTP: what is answered for one that is there, one that is not, and one whose file does not allow it.
import {
  AiClientError,
  type AiClients,
  createControlPlane,
  createMemoryAiClients,
  createMemoryStores,
} from '@portico/control-plane';
import { createManualClock, createMemoryConnector } from '@portico/upstream-pool';
import { expect, it } from 'vitest';
import { configOf, driveApi, memorySource, randomHex, refusal } from './testing/drive-api.js';

function start(change: Partial<AiClients> = {}) {
  const clock = createManualClock();
  const stores = createMemoryStores(clock);
  const aiClients = {
    ...createMemoryAiClients([{ id: 'editor', servers: { git: { command: 'git-mcp' } } }]),
    ...change,
  };
  const connector = createMemoryConnector({});
  const deps = {
    connector,
    clock,
    randomHex,
    log: () => {},
    ...stores,
    notifyApproval: () => {},
    aiClients,
    configSource: memorySource([]),
  };
  return { ...driveApi(createControlPlane(deps, configOf(['git']))), audit: stores.audit };
}

it('attaches and detaches without a body, as often as asked', async () => {
  const { send, get } = start();
  const post = (action: string) => send(`/v1/clients/editor/${action}`, { method: 'POST' });
  const answer = (backup_path: string | null) => ({ ok: true, client: 'editor', backup_path });
  expect((await post('attach')).body).toEqual(answer('/memory/editor.json.backup'));
  expect((await post('attach')).body).toEqual(answer(null));
  expect((await get('/v1/clients')).body).toEqual({
    ok: true,
    clients: [
      {
        ...{ id: 'editor', name: 'editor', path: '/memory/editor.json', detected: true, attached: true },
        direct_servers: [{ name: 'git', behind_as: null, problem: null }],
      },
    ],
  });
  expect((await post('detach')).body).toEqual(answer('/memory/editor.json.backup'));
  expect((await post('detach')).body).toEqual(answer(null));
});

it('shows beforehand what would change, and changes nothing', async () => {
  const { get } = start();
  const change = { line: 1, removed: 'fals', added: 'tru' };
  const shown = { ok: true, client: 'editor', path: '/memory/editor.json', restores: [], change };
  expect((await get('/v1/clients/editor/preview?action=attach')).body).toEqual(shown);
  expect((await get('/v1/clients/editor/preview?action=detach')).body).toEqual({ ...shown, change: null });
  expect(await get('/v1/clients/editor/preview?action=undo')).toMatchObject({ status: 400 });
  expect(await get('/v1/clients/emacs/preview')).toMatchObject({ status: 400 });
});

it('lists what clients have', async () => {
  const { get } = start();
  const path = '/memory/editor.json';
  expect((await get('/v1/config/ecosystem')).body).toEqual({
    ok: true,
    clients: [{ id: 'editor', name: 'editor', path, exists: true, servers: ['git'] }],
  });
  const source = {
    client: 'editor',
    path,
    server_id: 'git',
    definition: { command: 'git-mcp' },
    already_configured: true,
  };
  expect((await get('/v1/config/sources')).body).toEqual({ ok: true, sources: [source] });
});

it('answers 404 for a client that it does not know', async () => {
  const { post } = start();
  for (const action of ['attach', 'detach']) {
    const { status, body } = await post(`/v1/clients/emacs/${action}`, {});
    expect([status, body]).toEqual([404, refusal('RESOURCE_NOT_FOUND', 'no AI client "emacs"')]);
  }
});

it('answers 409 where the file does not allow it, and says why', async () => {
  const { post } = start({ attach: () => Promise.reject(new AiClientError('unusable', 'the file is odd')) });
  const { status, body } = await post('/v1/clients/editor/attach', {});
  expect([status, body]).toEqual([409, refusal('INVALID_ARGS', 'the file is odd')]);
});

it('records who asked under which ids', async () => {
  const { post, audit } = start();
  await post('/v1/clients/editor/attach', {}, { 'X-Request-ID': 'r-1', 'X-Actor-ID': 'ann' });
  const { events } = await audit.list({}, { limit: 10, offset: 0 });
  expect(events).toMatchObject([
    { event_type: 'config_change', status: 'success', request_id: 'r-1', actor_id: 'ann' },
  ]);
});

it('moves servers of a client that is attached, and shows beforehand what that does', async () => {
  const { post } = start();
  const answer = {
    ok: true,
    ...{ client: 'editor', path: '/memory/editor.json', config_path: 'memory', left: [] },
    servers: [
      {
        ...{ name: 'git', server_id: 'git', imported: true, definition: { command: 'git-mcp' }, line: 1 },
        ...{ switched_off_by: 'removed', scope: null, lost_fields: [], plain_secrets: [] },
        status: null,
      },
    ],
    backup_path: null,
  };
  const planned = await post('/v1/clients/editor/move', { dry_run: true });
  expect([planned.status, planned.body]).toEqual([200, { ...answer, dry_run: true, attached: false }]);
  expect((await post('/v1/clients/editor/move', {})).status).toBe(409);
  await post('/v1/clients/editor/attach', {});
  const { body } = await post('/v1/clients/editor/move', { servers: ['git'], check: false });
  const backup_path = '/memory/editor.json.backup';
  expect(body).toMatchObject({ dry_run: false, attached: true, servers: [{ name: 'git' }], backup_path });
});

it.each([{ servers: 'git' }, { servers: [1] }, { dry_run: 'yes' }, { check: 1 }])(
  'refuses to move %j',
  async (body) => {
    const { post } = start();
    expect(await post('/v1/clients/editor/move', body)).toMatchObject({ status: 400 });
  },
);
