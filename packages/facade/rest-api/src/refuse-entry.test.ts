// Access to routes, with every spelling of their paths.
import { routes } from '@portico/contracts';
import { createControlPlane, createMemoryStores } from '@portico/control-plane';
import { createManualClock, createMemoryConnector } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { configOf, driveApi, randomHex } from './testing/drive-api.js';

const rbac = {
  roles: { plain: {}, boss: { admin: true } },
  tokens: [
    { role: 'plain', token: 'plain' },
    { role: 'boss', actorId: 'eve', token: 'boss' },
  ],
};

async function startApi() {
  const clock = createManualClock();
  const stores = createMemoryStores(clock);
  const deps = { connector: createMemoryConnector({}), clock, randomHex, log: () => {}, ...stores };
  const plane = createControlPlane({ ...deps, notifyApproval: () => {} }, configOf([], { rbac }));
  return { ...driveApi(plane), plane, audit: stores.audit };
}

const as = (token: string) => ({ Authorization: `Bearer ${token}` });

describe('the route table', () => {
  it('has every route of administration for admins', () => {
    const administration = routes.filter(({ path }) => /^\/v1\/(config|clients|audit)\b/.test(path));
    expect(administration.filter(({ access }) => access !== 'admin')).toEqual([]);
    const changing = routes.filter(({ path, method }) => path.startsWith('/v1/servers') && method !== 'get');
    expect(changing.filter(({ access }) => access !== 'admin')).toEqual([]);
  });
});

describe('an admin route', () => {
  it.each([
    '/v1/audit/stats',
    '/v1/%61udit/stats',
    '/v1/audit/events/%0A',
    '/v1/audit/events/a%2Fb',
    '/v1/audit',
    '/v1/audit/',
    '/v1/config/anything/at/all',
    '/v1/clients?x=1',
    '/v1/servers/%0a/logs',
    '/metrics',
  ])('%s is not open to every caller', async (path) => {
    const { get, send } = await startApi();
    expect((await get(path)).status).toBe(401);
    expect((await get(path, as('plain'))).status).toBe(403);
    expect((await send(path, { method: 'HEAD', headers: as('plain') })).status).toBe(403);
    expect([401, 403]).not.toContain((await get(path, as('boss'))).status);
  });

  it.each(['/v1/auditor', '/v1/configs', '//v1/audit/stats', '/V1/audit/stats'])(
    '%s counts as no token, and is answered like it',
    async (path) => {
      const { get } = await startApi();
      expect((await get(path)).status).toBe(401);
      expect((await get(path, as('plain'))).status).toBe(404);
    },
  );

  it('leaves a record of whom it has refused', async () => {
    const { get, audit } = await startApi();
    await get('/v1/audit/stats', as('plain'));
    const { events } = await audit.list({}, { limit: 1, offset: 0 });
    expect(events).toMatchObject([
      {
        event_type: 'auth_failure',
        role: 'plain',
        actor_id: expect.stringMatching(/^token-[0-9a-f]{12}$/),
        details: { reason: 'the role "plain" may not use GET /v1/audit/stats; it needs an admin role' },
      },
    ]);
  });
});

describe('readiness', () => {
  it('is open to all, with the states of the servers for callers with a role', async () => {
    const { get } = await startApi();
    expect(await get('/readyz')).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(await get('/readyz', as('plain'))).toMatchObject({ status: 200, text: '{"ok":true,"servers":{}}' });
    expect((await get('/readyz', as('wrong'))).status).toBe(401);
    expect((await get('/healthz', as('wrong'))).status).toBe(200);
  });

  it('that is not there is open to all, with the reason for callers with a role', async () => {
    const { plane } = await startApi();
    const { get } = driveApi(plane, {}, () => Promise.reject(new Error('disk I/O error at /place')));
    const message = async (headers = {}) => {
      const { status, body } = await get('/readyz', headers);
      return [status, (body as { readonly error: { readonly message: string } }).error.message];
    };
    expect(await message()).toEqual([503, 'not ready: callers with a role get the reason']);
    expect(await message(as('plain'))).toEqual([503, 'not ready: disk I/O error at /place']);
  });
});

it('a wrong token differs from none', async () => {
  const { get } = await startApi();
  const challenge = async (headers = {}) => (await get('/v1/capabilities', headers)).headers.get('WWW-Authenticate');
  expect(await challenge()).toBe('Bearer realm="portico"');
  expect(await challenge(as('wrong'))).toBe(
    'Bearer realm="portico", error="invalid_token", error_description="the token is not known"',
  );
});
