// JSON Web Tokens against an issuer that is there, one that is not, and a shared secret.
import { describe, expect, it } from 'vitest';
import { startDaemon } from './support/daemon.js';
import { hmacToken, startIssuer } from './support/issuer.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const roles = { plain: {}, boss: { admin: true } };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('an issuer', () => {
  it('is asked for its keys once, and its claims name the role and the actor [access-jwt]', async () => {
    const issuer = await startIssuer();
    const jwt = { ...issuer.rules, roleClaim: 'realm_access.roles', actorClaim: 'email' };
    const daemon = await startDaemon({ mcpServers: {}, rbac: { roles, jwt } });
    const token = issuer.token({ email: 'ann@example.org', realm_access: { roles: ['offline', 'plain'] } });
    for (let count = 0; count < 3; count += 1) {
      const { status, headers } = await daemon.list('capabilities', bearer(token));
      expect([status, headers.etag]).toEqual([200, expect.stringContaining('-r:plain:')]);
    }
    expect(issuer.asked()).toBe(1);
    expect((await daemon.get('/v1/audit/stats', bearer(token))).status).toBe(403);
    const admin = issuer.token({ email: 'eve@example.org', realm_access: { roles: ['boss'] } });
    const { body } = await daemon.get<{ readonly events: readonly object[] }>(
      '/v1/audit/events?event_type=auth_failure',
      bearer(admin),
    );
    expect(body.events).toMatchObject([{ role: 'plain', actor_id: 'ann@example.org' }]);
  });

  it('that cannot be reached admits no one, and the log says so [access-jwt]', async () => {
    const issuer = await startIssuer();
    const good = issuer.token({ role: 'boss' });
    await issuer.close();
    const rbac = { roles, defaultRole: 'plain', tokens: [{ role: 'plain', token: 't' }], jwt: issuer.rules };
    const daemon = await startDaemon({ mcpServers: {}, rbac });
    const { status, body } = await daemon.get<Envelope>('/v1/capabilities', bearer(good));
    expect([status, body.error.message]).toEqual([401, 'the keys of the token issuer cannot be read; try again later']);
    await eventually(() =>
      expect(daemon.logText()).toContain('the keys of the token issuer cannot be read; tokens are refused'),
    );
    expect((await daemon.list('capabilities', bearer('t'))).status).toBe(200);
    expect(daemon.logText()).not.toContain(good);
  });
});

describe('a shared secret', () => {
  const secret = 'a secret of more than thirty-two octets';
  const claims = { iss: 'https://issuer.example', aud: ['x', 'portico'], sub: 'ann', role: 'plain' };
  const in5Minutes = () => Math.floor(Date.now() / 1000) + 300;

  it('is as good as keys, for its own algorithms [access-jwt] [access-rbac-config]', async () => {
    const jwt = { issuer: claims.iss, audience: 'portico', secretEnv: 'PORTICO_E2E_JWT' };
    const daemon = await startDaemon({ mcpServers: {}, rbac: { roles, jwt } }, { env: { PORTICO_E2E_JWT: secret } });
    const statusOf = async (token: string) => (await daemon.list('capabilities', bearer(token))).status;
    const good = { ...claims, exp: in5Minutes() };
    expect(await statusOf(hmacToken(good, secret))).toBe(200);
    expect(await statusOf(hmacToken(good, `${secret}x`))).toBe(401);
    expect(await statusOf(hmacToken(good, secret, { alg: 'none' }))).toBe(401);
    expect(await statusOf(hmacToken(good, secret, { alg: 'HS512' }))).toBe(401);
    expect(await statusOf(hmacToken(good, secret, { alg: 'RS256' }))).toBe(401);
    expect(await statusOf(hmacToken({ ...good, role: 'unknown' }, secret))).toBe(403);
    expect(daemon.logText()).not.toContain(secret);
  });
});
