// The records of changes to the files of AI clients.
import { createManualClock } from '@portico/upstream-pool';
import { expect, it } from 'vitest';
import { AuditUnavailable } from '../../audit/audit-log.js';
import { operator } from '../../call/call.js';
import { createMemoryStores } from '../../memory-stores.js';
import { connectPlane, correlation, stopped } from '../../testing/start-plane.js';
import type { AiClients } from './ai-clients.js';
import { createClientService } from './client-service.js';
import { createMemoryAiClients } from './memory-ai-clients.js';

const by = { identity: operator, correlation };
const page = { limit: 50, offset: 0 };

async function startService(change: Partial<AiClients> = {}) {
  const { plane } = await connectPlane({ git: {} });
  const { audit } = createMemoryStores(stopped);
  const unused = () => Promise.reject(new Error('moves nothing'));
  const placement = { path: '/c.json', definitions: () => ({}), add: unused, remove: unused, attempt: unused };
  const aiClients = {
    ...createMemoryAiClients([{ id: 'editor', servers: { git: { command: 'git-mcp' }, web: { command: 'web' } } }]),
    ...change,
  };
  const service = createClientService({ aiClients, placement, audit, clock: createManualClock() }, plane.state);
  const events = async () =>
    (await audit.list({}, page)).events.map(({ event_type, status, trace_id, details }) => ({
      event_type,
      status,
      trace_id,
      details,
    }));
  return { service, audit, events };
}

it('records every change and every try, newest first', async () => {
  const { service, events } = await startService();
  await service.attach('editor', by);
  await service.attach('editor', by);
  await service.undo('editor', by);
  await expect(service.detach('other', by)).rejects.toMatchObject({ code: 'unknown' });
  const path = '/memory/editor.json';
  const common = { event_type: 'config_change', trace_id: correlation.traceId };
  const backup_path = `${path}.backup`;
  expect(await events()).toEqual([
    {
      ...common,
      status: 'failed',
      details: { action: 'client_detach', client: 'other', reason: 'no AI client "other"' },
    },
    {
      ...common,
      status: 'success',
      details: { action: 'client_undo', client: 'editor', path, changed: true, backup_path },
    },
    {
      ...common,
      status: 'success',
      details: { action: 'client_attach', client: 'editor', path, changed: false, backup_path: null },
    },
    {
      ...common,
      status: 'success',
      details: { action: 'client_attach', client: 'editor', path, changed: true, backup_path },
    },
  ]);
});

it('records a defect without what it says', async () => {
  const { service, events } = await startService({ attach: () => Promise.reject(new Error('s3cret')) });
  await expect(service.attach('editor', by)).rejects.toThrow('s3cret');
  expect(await events()).toMatchObject([{ status: 'failed', details: { action: 'client_attach', client: 'editor' } }]);
  expect(JSON.stringify(await events())).not.toContain('s3cret');
});

it('changes nothing that it cannot record', async () => {
  const { service, audit } = await startService();
  audit.begin = () => Promise.reject(new AuditUnavailable('the disk is full'));
  await expect(service.attach('editor', by)).rejects.toThrow(AuditUnavailable);
  expect(await service.list()).toMatchObject([{ attached: false }]);
});

it('knows which servers are configured', async () => {
  const { service } = await startService();
  expect((await service.sources()).map(({ server_id, already_configured }) => [server_id, already_configured])).toEqual(
    [
      ['git', true],
      ['web', false],
    ],
  );
});

it('knows no clients by default', async () => {
  const { plane } = await connectPlane({});
  expect([await plane.clients.list(), await plane.clients.ecosystem(), await plane.clients.sources()]).toEqual([
    [],
    [],
    [],
  ]);
});
