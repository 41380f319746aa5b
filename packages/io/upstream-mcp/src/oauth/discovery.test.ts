// The chosen authorization server, the refused ones, and the client identity.
import { loginOf } from '@portico/upstream-pool';
import { afterEach, describe, expect, it } from 'vitest';
import { startAuthServer } from '../testing/auth-server.js';
import { follow } from '../testing/http-kit.js';
import { call, cleanUp, httpServer, openConnector, patience, recordEvents, startHttpFixture } from '../testing/kit.js';
import { loggedIn, oauth2, startWorld } from '../testing/oauth-world.js';

afterEach(cleanUp);

/** Metadata fields that OpenID Connect Discovery requires beside those of OAuth. */
const openId = {
  jwks_uri: 'https://as.test/jwks',
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
};

describe('the client', () => {
  it('is the configured one, with its secret, and nothing is registered', async () => {
    const { as } = await loggedIn({ ...oauth2, clientSecret: 'secret' });
    expect(as.registrations).toEqual([]);
    expect(as.authorizations[0]?.client_id).toBe('portico');
    expect(as.tokenRequests[0]?.authorization).toBe(`Basic ${btoa('portico:secret')}`);
  });

  it('sends its secret in the body where the authorization server wants it there', async () => {
    const world = await startWorld({ ...oauth2, clientSecret: 'secret' });
    world.as.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    await follow((await world.login()).url.href);
    expect(world.as.tokenRequests[0]?.authorization).toBeUndefined();
    expect(world.as.tokenRequests[0]?.form.client_secret).toBe('secret');
  });

  it.each([
    [true, 'https://portico.test/client.json'],
    [false, 'portico'],
  ])('is its metadata document where the authorization server reads those (%s)', async (isRead, clientId) => {
    const world = await startWorld({ ...oauth2, clientMetadataUrl: 'https://portico.test/client.json' });
    world.as.metadata = { client_id_metadata_document_supported: isRead };
    expect((await world.login()).url.searchParams.get('client_id')).toBe(clientId);
  });

  it('is registered again at another authorization server, which receives nothing of the first', async () => {
    const { as, server, session, login } = await loggedIn();
    const other = await startAuthServer();
    server.authServer = other;
    await expect(call(session, 'echo')).rejects.toThrow(/^waits for a login/);
    const { url } = await login();
    expect(url.origin).toBe(other.issuer);
    await follow(url.href);
    expect(other.registrations).toHaveLength(1);
    expect(other.tokenRequests.map(({ form }) => form.grant_type)).toEqual(['authorization_code']);
    expect(as.tokenRequests).toHaveLength(1);
  });
});

describe('an authorization server', () => {
  it.each([
    ['does not promise S256', { code_challenge_methods_supported: ['plain'] }, /does not promise PKCE with S256/],
    ['promises no PKCE at all', { code_challenge_methods_supported: undefined }, /does not promise PKCE with S256/],
    ['names another issuer', { issuer: 'https://evil.test' }, /names another issuer/],
    ['registers no clients', { registration_endpoint: undefined }, /registers no clients; configure auth/],
    ['has a login page that is none', { authorization_endpoint: 'javascript:alert(1)' }, /not OAuth|no web page/],
    ['has its token endpoint elsewhere without https', { token_endpoint: 'http://as.test/token' }, /rule https-only/],
    ['has its login page elsewhere without https', { authorization_endpoint: 'http://as.test/in' }, /rule https-only/],
    [
      'registers clients in a private network',
      { registration_endpoint: 'https://10.0.0.1/r' },
      /10\.0\.0\.1:443 is a private address, which a server with a loopback address may not name/,
    ],
  ])('that %s is refused', async (_what, metadata, message) => {
    const { refusal, as } = await startWorld();
    as.metadata = metadata;
    const error = await refusal();
    expect(error.message).toMatch(message);
    expect(loginOf(error)).toBeUndefined();
  });

  it('is not looked for at a metadata address', async () => {
    const { refusal, server } = await startWorld();
    server.metadata = { authorization_servers: ['http://169.254.169.254'] };
    expect((await refusal()).message).toMatch(/169\.254\.169\.254 is a link-local or cloud-metadata address/);
  });

  it('is found without a hint in the challenge', async () => {
    const { login, server } = await startWorld();
    server.namesMetadata = false;
    await login();
    expect(server.paths).toContain('/.well-known/oauth-protected-resource/mcp');
  });

  it.each([
    '/.well-known/oauth-authorization-server/tenant',
    '/.well-known/openid-configuration/tenant',
    '/tenant/.well-known/openid-configuration',
  ])('with a path in its issuer is found at %s, which is asked for in this order', async (path) => {
    const { login, server, as } = await startWorld();
    const issuer = `${as.issuer}/tenant`;
    server.metadata = { authorization_servers: [issuer] };
    as.metadata = { ...openId, issuer };
    as.metadataPath = path;
    expect((await login()).url.origin).toBe(as.issuer);
    const all = [
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ];
    expect(as.paths).toEqual(all.slice(0, all.indexOf(path) + 1));
  });

  it('that speaks OpenID Connect Discovery alone is found', async () => {
    const { login, as } = await startWorld();
    as.metadata = openId;
    as.metadataPath = '/.well-known/openid-configuration';
    expect((await login()).url.origin).toBe(as.issuer);
  });

  it('is not gone to when the metadata is about another server', async () => {
    const { refusal, server, as } = await startWorld();
    server.metadata = { resource: 'https://evil.test/mcp' };
    expect((await refusal()).message).toMatch(/is about another resource$/);
    expect(as.paths).toEqual([]);
  });
});

describe('a server that does not do OAuth', () => {
  it('fails as it did before there were logins', async () => {
    const { url } = await startHttpFixture('--bearer', 'token');
    const connector = openConnector();
    await expect(connector.connect('s', httpServer(url), recordEvents(), patience())).rejects.toMatchObject({
      message: `authentication failed (status 401) at ${url}`,
    });
  });

  it('is not logged in to when it refuses the credentials that are configured', async () => {
    const { server } = await startWorld();
    const connector = openConnector();
    const config = httpServer(server.url, { headers: { Authorization: 'Bearer wrong' } });
    await expect(connector.connect('s', config, recordEvents(), patience())).rejects.toMatchObject({
      message: `authentication failed (status 401) at ${server.url}`,
    });
    expect(server.paths).toEqual([]);
  });
});
