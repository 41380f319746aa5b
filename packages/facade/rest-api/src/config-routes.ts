// Configuration that operators read and change while the service runs. Secrets are masked in every answer.
import {
  importRequestSchema,
  type JsonObject,
  PorticoError,
  policyRequestSchema,
  profileRequestSchema,
  updateAliasRequestSchema,
  upsertServerRequestSchema,
} from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import type { Hono } from 'hono';
import { send } from './answer.js';
import { authorOf, readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export interface ConfigRoutesDeps {
  readonly plane: ControlPlane;
  readonly randomHex: (characters: number) => string;
}

export function addConfigRoutes(app: Hono, { plane, randomHex }: ConfigRoutesDeps): void {
  const { configuration } = plane;
  const answer = (body: object) => send(JSON.stringify({ ok: true, ...body }), 200);
  const catalogVersion = () => ({ catalog_version: plane.state().catalog.version });

  app.get('/v1/config', () =>
    answer({
      config: configuration.shown(),
      config_path: configuration.path,
      profiles: profilesOf(plane),
      servers: plane.servers(),
      metrics: plane.activity(),
      file_issues: configuration.fileIssues(),
    }),
  );

  app.post('/v1/config/servers', async (c) => {
    const { name, server } = await readBody(exchangeOf(c), upsertServerRequestSchema);
    const { status, changes } = await configuration.upsertServer(
      authorOf(exchangeOf(c), randomHex),
      name,
      server as JsonObject,
    ); // it was read from JSON
    return answer({ server: name, status, changes, ...catalogVersion() });
  });

  app.delete('/v1/config/servers/:id', async (c) => {
    const server = c.req.param('id');
    await configuration.deleteServer(authorOf(exchangeOf(c), randomHex), server);
    return answer({ server, ...catalogVersion() });
  });

  app.post('/v1/config/servers/:id/restart', async (c) => {
    const server = c.req.param('id');
    const status = await configuration.restartServer(authorOf(exchangeOf(c), randomHex), server);
    return answer({ server, status });
  });

  app.post('/v1/config/alias', async (c) => {
    const request = await readBody(exchangeOf(c), updateAliasRequestSchema);
    if (request.passthrough != null && request.kind !== 'tool') {
      throw new PorticoError('INVALID_ARGS', `passthrough: is for tools; a ${request.kind} has none`);
    }
    await configuration.updateAlias(authorOf(exchangeOf(c), randomHex), request);
    const { kind, alias, target = null } = request;
    return answer({ kind, alias, target, ...catalogVersion() });
  });

  app.post('/v1/config/policy', async (c) => {
    const policy = await configuration.mergePolicy(
      authorOf(exchangeOf(c), randomHex),
      await readBody(exchangeOf(c), policyRequestSchema),
    );
    return answer({ policy, ...catalogVersion() });
  });

  app.post('/v1/config/profiles', async (c) => {
    const request = await readBody(exchangeOf(c), profileRequestSchema);
    await configuration.putProfile(authorOf(exchangeOf(c), randomHex), request);
    const { name: profile, servers } = request;
    return answer({ profile, servers, ...catalogVersion() });
  });

  app.delete('/v1/config/profiles/:id', async (c) => {
    const profile = c.req.param('id');
    await configuration.deleteProfile(authorOf(exchangeOf(c), randomHex), profile);
    return answer({ profile, ...catalogVersion() });
  });

  app.post('/v1/config/import', async (c) => {
    const { source_path, overwrite } = await readBody(exchangeOf(c), importRequestSchema);
    const request = { sourcePath: source_path ?? null, overwrite: overwrite ?? false };
    return answer(await configuration.importServers(authorOf(exchangeOf(c), randomHex), request));
  });

  app.post('/v1/config/reload', async (c) => {
    const { needsRestart, ...changes } = await configuration.reload(authorOf(exchangeOf(c), randomHex));
    return answer({ ...changes, needs_restart: needsRestart, ...catalogVersion() });
  });
}

function profilesOf(plane: ControlPlane) {
  const profiles = [...plane.state().config.profiles];
  return Object.fromEntries(profiles.map(([id, { servers, description }]) => [id, { servers, description }]));
}
