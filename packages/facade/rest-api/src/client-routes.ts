// AI clients of this machine: what their files hold, and Portico's entry in them.
import { type ClientAction, clientActions, clientMoveRequestSchema, PorticoError } from '@portico/contracts';
import { AiClientError, type ClientChange, type ControlPlane } from '@portico/control-plane';
import type { Hono } from 'hono';
import { send } from './answer.js';
import { Conflict } from './approval-routes.js';
import { authorOf, readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export interface ClientRouteDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

export function addClientRoutes(app: Hono, { plane: { clients }, randomHex }: ClientRouteDeps): void {
  app.get('/v1/config/ecosystem', async () => {
    return send(JSON.stringify({ ok: true, clients: await clients.ecosystem() }), 200);
  });

  app.get('/v1/config/sources', async () => {
    return send(JSON.stringify({ ok: true, sources: await clients.sources() }), 200);
  });

  app.get('/v1/clients', async () => send(JSON.stringify({ ok: true, clients: await clients.list() }), 200));

  app.get('/v1/clients/:id/preview', async (c) => {
    const client = c.req.param('id');
    const preview = await clients.preview(client, actionOf(c.req.query('action'))).catch(refuse);
    return send(JSON.stringify({ ok: true, client, ...preview }), 200);
  });

  app.post('/v1/clients/:id/attach', (c) =>
    answer(clients.attach(c.req.param('id'), authorOf(exchangeOf(c), randomHex))),
  );

  app.post('/v1/clients/:id/move', async (c) => {
    const { servers, dry_run, check } = await readBody(exchangeOf(c), clientMoveRequestSchema);
    const request = { names: servers ?? null, isDryRun: dry_run ?? false, isChecked: check ?? true };
    const by = authorOf(exchangeOf(c), randomHex);
    const {
      configPath: config_path,
      backupPath: backup_path,
      ...moved
    } = await clients.move(c.req.param('id'), request, by).catch(refuse);
    return send(JSON.stringify({ ok: true, dry_run: request.isDryRun, ...moved, config_path, backup_path }), 200);
  });

  app.post('/v1/clients/:id/detach', (c) =>
    answer(clients.detach(c.req.param('id'), authorOf(exchangeOf(c), randomHex))),
  );

  app.post('/v1/clients/:id/undo', (c) => answer(clients.undo(c.req.param('id'), authorOf(exchangeOf(c), randomHex))));
}

/** @throws PorticoError INVALID_ARGS */
function actionOf(text: string | undefined): ClientAction {
  const action = clientActions.find((known) => known === text);
  if (action !== undefined) return action;
  throw new PorticoError('INVALID_ARGS', `action: expected one of ${clientActions.join(', ')}`);
}

/** @throws PorticoError RESOURCE_NOT_FOUND, Conflict */
async function answer(change: Promise<ClientChange>): Promise<Response> {
  const { client, backupPath: backup_path } = await change.catch(refuse);
  return send(JSON.stringify({ ok: true, client, backup_path }), 200);
}

function refuse(error: unknown): never {
  if (!(error instanceof AiClientError)) throw error;
  throw error.code === 'unknown' ? new PorticoError('RESOURCE_NOT_FOUND', error.message) : new Conflict(error.message);
}
