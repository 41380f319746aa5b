// Every route of the service, for every kind of caller: callers without a token or with a wrong one are refused, and
// admin routes admit admins only. A route that is not in the table below fails the test.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startIssuer } from './support/issuer.js';
import { fixture } from './support/upstreams.js';

type Access = 'open' | 'role' | 'admin';

/** Access to each route, by method and path. */
const expected: Readonly<Record<string, Access>> = {
  'get /healthz': 'open',
  'get /readyz': 'open',
  'get /metrics': 'admin',
  'get /v1/openapi.json': 'role',
  'get /': 'open',
  'get /ui': 'open',
  'get /ui/{path}': 'open',
  'get /v1/capabilities': 'role',
  'post /v1/capabilities/search': 'role',
  'get /v1/capabilities/{id}': 'role',
  'get /v1/resources': 'role',
  'get /v1/prompts': 'role',
  'get /v1/resources/updates': 'role',
  'post /v1/tools/call': 'role',
  'post /v1/tools/batch_call': 'role',
  'post /v1/resources/read': 'role',
  'post /v1/prompts/get': 'role',
  'post /v1/completion/complete': 'role',
  'post /v1/operations/{id}/cancel': 'role',
  'get /v1/idempotency/records': 'role',
  'get /v1/idempotency/records/{key}': 'role',
  'get /v1/approvals': 'role',
  'get /v1/approvals/{id}': 'role',
  'post /v1/approvals/{id}/approve': 'admin',
  'post /v1/approvals/{id}/reject': 'admin',
  'post /v1/sampling/create_message': 'role',
  'get /v1/sampling/requests': 'role',
  'get /v1/sampling/requests/{id}': 'role',
  'post /v1/sampling/requests/{id}/respond': 'admin',
  'get /v1/tasks': 'role',
  'get /v1/traces': 'role',
  'get /v1/traces/{id}/explain': 'role',
  'get /v1/traces/{id}/frames': 'role',
  'get /v1/tasks/{id}': 'role',
  'post /v1/tasks/{id}/respond': 'role',
  'post /v1/tasks/{id}/cancel': 'role',
  'get /v1/audit/events': 'admin',
  'get /v1/audit/events/{id}': 'admin',
  'get /v1/audit/verify': 'admin',
  'get /v1/audit/stats': 'admin',
  'get /v1/audit/series': 'admin',
  'get /v1/audit/usage': 'admin',
  'get /v1/audit/export': 'admin',
  'get /v1/notices': 'admin',
  'post /v1/notices/test': 'admin',
  'get /v1/budgets': 'admin',
  'post /v1/budgets/{id}/reset': 'admin',
  'get /v1/grants': 'admin',
  'get /v1/grants/{id}': 'admin',
  'delete /v1/grants/{id}': 'admin',
  'get /v1/activity': 'admin',
  'get /v1/activity/stream': 'admin',
  'get /v1/activity/series': 'admin',
  'get /v1/inspect': 'admin',
  'get /v1/inspect/stream': 'admin',
  'get /v1/lock': 'admin',
  'get /v1/lock/drift': 'admin',
  'post /v1/lock/accept': 'admin',
  'post /v1/lock/verify': 'admin',
  'get /v1/catalog/events': 'role',
  'get /v1/config': 'admin',
  'post /v1/config/servers': 'admin',
  'delete /v1/config/servers/{id}': 'admin',
  'post /v1/config/servers/{id}/restart': 'admin',
  'post /v1/config/alias': 'admin',
  'post /v1/config/policy': 'admin',
  'post /v1/config/policy/test': 'admin',
  'post /v1/config/policy/preview': 'admin',
  'get /v1/config/policy/rules': 'admin',
  'get /v1/config/policy/verdicts': 'admin',
  'post /v1/config/profiles': 'admin',
  'delete /v1/config/profiles/{id}': 'admin',
  'post /v1/config/reload': 'admin',
  'post /v1/console/codes': 'admin',
  'post /v1/console/sessions': 'open',
  'post /v1/config/import': 'admin',
  'get /v1/config/ecosystem': 'admin',
  'get /v1/config/policy/unmatched': 'admin',
  'get /v1/config/sources': 'admin',
  'get /v1/clients': 'admin',
  'get /v1/clients/{id}/preview': 'admin',
  'post /v1/clients/{id}/attach': 'admin',
  'post /v1/clients/{id}/move': 'admin',
  'post /v1/clients/{id}/detach': 'admin',
  'post /v1/clients/{id}/undo': 'admin',
  'get /v1/servers': 'role',
  'get /v1/access': 'role',
  'get /v1/servers/{id}/logs': 'admin',
};

/** Paths that belong to administration, with or without a route. */
const administration = ['/v1/config', '/v1/config/servers', '/v1/clients', '/v1/clients/cursor/attach', '/v1/audit/x'];

const plainToken = 'plain-token';
const adminToken = 'admin-token';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

let daemon: Daemon;
let issuer: Awaited<ReturnType<typeof startIssuer>>;
let routes: readonly string[];
let served: Readonly<Record<string, Access>>;

const statusOf = async (route: string, headers: Readonly<Record<string, string>>) => {
  const [method = '', template = ''] = route.split(' ');
  const path = template.replaceAll(/\{\w+\}/g, 'x');
  const gone = new AbortController();
  const response = await fetch(`${daemon.url}${path}`, {
    method: method.toUpperCase(),
    headers: { ...headers, ...(method === 'post' ? { 'content-type': 'application/json' } : {}) },
    ...(method === 'post' ? { body: '{}' } : {}),
    signal: gone.signal,
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await response.text();
  gone.abort();
  return { status: response.status, headers: response.headers, text };
};

beforeAll(async () => {
  issuer = await startIssuer();
  daemon = await startDaemon({
    mcpServers: { s: fixture() },
    rbac: {
      roles: { plain: {}, boss: { admin: true } },
      tokens: [
        { role: 'plain', token: plainToken },
        { role: 'boss', token: adminToken },
      ],
      jwt: issuer.rules,
    },
  });
  const { body } = await daemon.get<{
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-portico-access': Access }>>>>;
  }>('/v1/openapi.json', bearer(plainToken));
  const listed = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation['x-portico-access']] as const),
  );
  served = Object.fromEntries(listed);
  routes = Object.keys(served);
});

describe('the routes that are served', () => {
  it('are the ones of this table, and say of themselves what it says', () => {
    expect(served).toEqual(expected);
  });

  it('refuse callers without a token, but for the open ones [access-static-tokens]', async () => {
    for (const route of routes) {
      const { status, headers, text } = await statusOf(route, {});
      if (route === 'post /v1/console/sessions') {
        expect([route, status]).toEqual([route, 400]); // its body is a code, which is what it asks for
        continue;
      }
      if (expected[route] === 'open') {
        const isPage = headers.get('content-type')?.startsWith('text/html') === true;
        expect([route, status, isPage ? 'page' : text]).toEqual([
          route,
          200,
          /[zy]$/.test(route) ? '{"ok":true}' : 'page',
        ]);
        continue;
      }
      expect([route, status, headers.get('www-authenticate')]).toEqual([route, 401, 'Bearer realm="portico"']);
      expect(JSON.parse(text)).toMatchObject({ ok: false, error: { code: 'POLICY_DENIED' } });
    }
  });

  it('refuse callers with a wrong token, of every kind [access-jwt]', async () => {
    const wrong = { unknown: 'wrong', 'of another case': plainToken.toUpperCase(), ...issuer.wrongTokens('boss') };
    for (const [what, token] of Object.entries(wrong)) {
      for (const route of routes.filter((each) => expected[each] !== 'open')) {
        const { status, headers } = await statusOf(route, bearer(token));
        expect([what, route, status]).toEqual([what, route, 401]);
        expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="portico", error="invalid_token"/);
      }
    }
    expect(issuer.asked()).toBe(1);
  });

  it('of admins refuse every other caller, and answer admins [access-static-tokens] [access-jwt]', async () => {
    const holders = [
      ['plain', plainToken],
      ['plain', issuer.token({ role: 'plain' })],
      ['boss', adminToken],
      ['boss', issuer.token({ role: ['unknown', 'boss'] })],
    ] as const;
    for (const [role, token] of holders) {
      for (const route of routes) {
        const { status, text } = await statusOf(route, bearer(token));
        const isRefused = expected[route] === 'admin' && role === 'plain';
        if (isRefused) {
          expect([role, route, status]).toEqual([role, route, 403]);
          expect(JSON.parse(text)).toMatchObject({ error: { code: 'POLICY_DENIED' } });
        } else expect([role, route, [401, 403].includes(status)]).toEqual([role, route, false]);
      }
    }
  });

  it('a role that does not exist is refused with 403', async () => {
    for (const role of ['unknown', 'constructor', undefined, { boss: true }]) {
      const { status, text } = await statusOf('get /v1/capabilities', bearer(issuer.token({ role })));
      expect([role, status]).toEqual([role, 403]);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'POLICY_DENIED' } });
    }
  });

  it.each(administration)('%s is for admins, with or without a route', async (path) => {
    for (const method of ['get', 'post']) {
      expect((await statusOf(`${method} ${path}`, {})).status).toBe(401);
      expect((await statusOf(`${method} ${path}`, bearer(plainToken))).status).toBe(403);
      expect([401, 403]).not.toContain((await statusOf(`${method} ${path}`, bearer(adminToken))).status);
    }
  });

  it.each(['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'])('%s opens nothing that its path closes', async (method) => {
    const response = await fetch(`${daemon.url}/v1/audit/export`, { method, headers: bearer(plainToken) });
    expect(response.status).toBe(403);
  });
});
