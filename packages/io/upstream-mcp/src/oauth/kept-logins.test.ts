// A stored login is reused by its owner only.
import type { UpstreamAuth } from '@portico/contracts';
import { afterEach, describe, expect, test } from 'vitest';
import { createMcpConnector } from '../connector.js';
import { startAuthServer } from '../testing/auth-server.js';
import { follow } from '../testing/http-kit.js';
import { call, cleanUp, clientInfo, httpServer, onCleanup, patience, recordEvents } from '../testing/kit.js';
import { loggedIn, oauth2, startWorld } from '../testing/oauth-world.js';
import type { OAuthStore } from './store.js';

afterEach(cleanUp);

/** Connects as another process would, with what it finds in the store. */
async function reconnect(store: OAuthStore, url: string, auth: UpstreamAuth | null = null) {
  const connector = createMcpConnector({ clientInfo, env: {}, oauthStore: store });
  onCleanup(connector.close);
  const config = httpServer(url, { protocolVersion: '2025-11-25', allowStateless: true, auth });
  const session = await connector.connect('s', config, recordEvents(), patience());
  onCleanup(session.close);
  return session;
}

test('tokens of one client are not used by another, and are forgotten', async () => {
  const { as, server, session, store } = await loggedIn(oauth2);
  await session.close();
  const configured = { ...oauth2, authorizationServerUrl: as.issuer };
  await (await reconnect(store, server.url, configured)).close();
  const key = { server: 's', issuer: as.issuer };
  expect((await store.get(key))?.tokens?.clientId).toBe('portico');
  const sent = server.authorizations.length;
  const other = reconnect(store, server.url, { ...configured, clientId: 'another' });
  await expect(other).rejects.toThrow(/^waits for a login/);
  expect(server.authorizations.slice(sent)).toEqual([undefined]);
  expect(await store.get(key)).toBeUndefined();
});

test('a registered client is kept with its tokens', async () => {
  const { as, server, store } = await loggedIn();
  await reconnect(store, server.url);
  const kept = await store.get({ server: 's', issuer: as.issuer });
  expect(kept).toMatchObject({ registration: { clientId: 'client-1' }, tokens: { clientId: 'client-1' } });
  expect(as.registrations).toHaveLength(1);
});

test('a login at another authorization server ends what was kept of the first', async () => {
  const { as, server, session, store, login } = await loggedIn();
  const other = await startAuthServer();
  server.authServer = other;
  await expect(call(session, 'echo')).rejects.toThrow(/^waits for a login/);
  expect(await store.get({ server: 's', issuer: as.issuer })).toBeDefined();
  await follow((await login()).url.href);
  expect(await store.get({ server: 's', issuer: as.issuer })).toBeUndefined();
  expect(await store.get({ server: 's', issuer: other.issuer })).toBeDefined();
});

test('renewed tokens are kept before they are used', async () => {
  const { as, server, store } = await loggedIn();
  const atKeeping: boolean[] = [];
  const watched: OAuthStore = {
    ...store,
    async set(key, record) {
      atKeeping.push(server.authorizations.includes(`Bearer ${record.tokens?.accessToken}`));
      await store.set(key, record);
    },
  };
  const session = await reconnect(watched, server.url);
  as.good.clear();
  await call(session, 'echo');
  expect(atKeeping).toEqual([false]);
  const kept = await store.get({ server: 's', issuer: as.issuer });
  expect(server.authorizations.at(-1)).toBe(`Bearer ${kept?.tokens?.accessToken}`);
});

test('a store that cannot be read says so, and is asked again', async () => {
  const { as, server, store } = await loggedIn();
  let isBroken = true;
  const flaky: OAuthStore = { ...store, get: (key) => (isBroken ? Promise.reject(new Error('disk')) : store.get(key)) };
  await expect(reconnect(flaky, server.url)).rejects.toThrow(/the logins that were kept cannot be read$/);
  isBroken = false;
  await reconnect(flaky, server.url);
  expect(as.authorizations).toHaveLength(1);
});

describe('a server that was removed', () => {
  const keyOf = (as: { readonly issuer: string }) => ({ server: 's', issuer: as.issuer });

  test('is not logged in when it comes back, while its session goes on with the token that it has', async () => {
    const { session, store, as, retain, refusal } = await loggedIn();
    await retain([]);
    expect(await store.get(keyOf(as))).toBeUndefined();
    await call(session, 'echo');
    await retain(['s']);
    expect((await refusal()).message).toMatch(/^waits for a login/);
  });

  test('keeps no tokens that it was renewing, and renews no others', async () => {
    const { session, store, as, retain } = await loggedIn();
    as.good.clear();
    const renewed = new Promise<void>((resolve) => {
      as.onToken = resolve;
    });
    const answered = call(session, 'echo').catch(() => {});
    await renewed;
    await Promise.all([retain([]), retain([]), answered]);
    expect(await store.get(keyOf(as))).toBeUndefined();
    as.good.clear();
    const asked = as.tokenRequests.length;
    await expect(call(session, 'echo')).rejects.toThrow();
    expect([as.tokenRequests.length, await store.get(keyOf(as))]).toEqual([asked, undefined]);
  });

  test('keeps nothing of the login that was awaited', async () => {
    const { store, as, retain, login } = await startWorld();
    const { url } = await login();
    await retain([]);
    await expect(follow(url.href)).rejects.toThrow();
    expect(await store.get(keyOf(as))).toBeUndefined();
  });

  test('keeps nothing of a connection that was begun before', async () => {
    const { store, as, retain, refusal } = await startWorld();
    await retain(['other']);
    expect((await refusal()).message).not.toMatch(/^waits for a login/);
    expect([as.registrations, await store.get(keyOf(as))]).toEqual([[], undefined]);
  });
});
