// What is recorded of changes to the files of AI clients.
import { createManualClock } from '@portico/upstream-pool';
import { expect, it } from 'vitest';
import { AuditUnavailable } from '../../audit/audit-log.js';
import { operator } from '../../call/call.js';
import { createMemoryStores } from '../../memory-stores.js';
import { connectPlane, correlation, stopped } from '../../testing/start-plane.js';
import type { AiClients } from './ai-clients.js';
import { createClientDesk } from './client-desk.js';
import { createMemoryAiClients } from './memory-ai-clients.js';

const by = { identity: operator, correlation };
const page = { limit: 50, offset: 0 };

async function startDesk(change: Partial<AiClients> = {}) {
  const { plane } = await connectPlane({ git: {} });
  const { audit } = createMemoryStores(stopped);
  const aiClients = {
    ...createMemoryAiClients([{ id: 'editor', servers: { git: { command: 'git-mcp' }, web: { command: 'web' } } }]),
    ...change,
  };
  const desk = createClientDesk({ aiClients, audit, clock: createManualClock() }, plane.state);
  const events = async () =>
    (await audit.list({}, page)).events.map(({ event_type, status, trace_id, details }) => ({
      event_type,
      status,
      trace_id,
      details,
    }));
  return { desk, audit, events };
}

it('records every change and every try, newest first', async () => {
  const { desk, events } = await startDesk();
  await desk.attach('editor', by);
  await desk.attach('editor', by);
  await desk.undo('editor', by);
  await expect(desk.detach('other', by)).rejects.toMatchObject({ code: 'unknown' });
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
  const { desk, events } = await startDesk({ attach: () => Promise.reject(new Error('s3cret')) });
  await expect(desk.attach('editor', by)).rejects.toThrow('s3cret');
  expect(await events()).toMatchObject([{ status: 'failed', details: { action: 'client_attach', client: 'editor' } }]);
  expect(JSON.stringify(await events())).not.toContain('s3cret');
});

it('changes nothing that it cannot record', async () => {
  const { desk, audit } = await startDesk();
  audit.begin = () => Promise.reject(new AuditUnavailable('the disk is full'));
  await expect(desk.attach('editor', by)).rejects.toThrow(AuditUnavailable);
  expect(await desk.list()).toMatchObject([{ attached: false }]);
});

it('knows which servers are configured', async () => {
  const { desk } = await startDesk();
  expect((await desk.sources()).map(({ server_id, already_configured }) => [server_id, already_configured])).toEqual([
    ['git', true],
    ['web', false],
  ]);
});

it('knows no clients by default', async () => {
  const { plane } = await connectPlane({});
  expect([await plane.clients.list(), await plane.clients.ecosystem(), await plane.clients.sources()]).toEqual([
    [],
    [],
    [],
  ]);
});
