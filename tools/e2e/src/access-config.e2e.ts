// A configuration with roles: what stops the start, and what it may do that one without may not.
import { describe, expect, it } from 'vitest';
import { refusalOf, startDaemon } from './support/daemon.js';

const boss = { authorization: 'Bearer boss-token' };

describe('a configuration', () => {
  it.each<[string, object, string]>([
    ['an unknown role', { tokens: [{ role: 'x', token: 't' }] }, 'rbac.tokens[0].role: no role "x" in rbac.roles'],
    ['an admin by default', { defaultRole: 'boss' }, 'rbac.defaultRole: "boss" is an admin role'],
    [
      'an unknown profile',
      { roles: { boss: {}, bound: { profile: 'dev' } } },
      'rbac.roles.bound.profile: no profile "dev" in profiles',
    ],
    [
      'a variable that is not set',
      { tokens: [{ role: 'boss', tokenEnv: 'PORTICO_E2E_UNSET' }] },
      'rbac.tokens[0].tokenEnv: environment variable PORTICO_E2E_UNSET is not set',
    ],
    [
      'a secret that is not set',
      { jwt: { issuer: 'i', audience: 'a', secretEnv: 'PORTICO_E2E_UNSET' } },
      'rbac.jwt.secretEnv: environment variable PORTICO_E2E_UNSET is not set',
    ],
  ])('with %s ends the start with 2 and its path [access-rbac-config]', async (_what, more, message) => {
    const { code, stderr } = await refusalOf({ mcpServers: {}, rbac: { roles: { boss: { admin: true } }, ...more } });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('with roles may bind beyond loopback, and asks there [access-bind-needs-token] [mcp-http-bind-needs-auth]', async () => {
    const own = { roles: { boss: { admin: true } }, tokens: [{ role: 'boss', token: 'boss-token' }] };
    const bound = await startDaemon(
      { mcpServers: {}, mcpHttpServer: { port: 0, bind: '0.0.0.0' }, rbac: own },
      { bind: '0.0.0.0' },
    );
    expect((await bound.get('/v1/capabilities')).status).toBe(401);
    expect((await bound.get('/v1/capabilities', boss)).status).toBe(200);
  });
});
