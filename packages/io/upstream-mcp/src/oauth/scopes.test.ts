// Scopes of a login, first and when a call wants more.
import { afterEach, describe, expect, it } from 'vitest';
import { follow } from '../testing/http-kit.js';
import { call, cleanUp, patience } from '../testing/kit.js';
import { loggedIn, oauth2, startWorld } from '../testing/oauth-world.js';

afterEach(cleanUp);

describe('scope', () => {
  it.each([
    ['of the challenge', 'a b', ['c'], 'a b'],
    ['the resource lists, without a challenge', null, ['c'], 'c'],
    ['of nobody', null, undefined, null],
  ])('is that %s', async (_what, scope, listed, asked) => {
    const { login, server } = await startWorld();
    server.scope = scope;
    server.metadata = { scopes_supported: listed };
    expect((await login()).url.searchParams.get('scope')).toBe(asked);
  });

  it('comes with offline access where the authorization server knows it', async () => {
    const { login, server, as } = await startWorld();
    server.scope = 'a';
    as.metadata = { scopes_supported: ['offline_access'] };
    expect((await login()).url.searchParams.get('scope')).toBe('a offline_access');
  });

  it('grows with a step-up; the session lives on and can do more after it', async () => {
    const { session, server, as, connect } = await loggedIn({ ...oauth2, scopes: ['read'] });
    server.callScope = 'write';
    const failure = await call(session, 'echo').catch((error) => error);
    expect(failure.message).toMatch(/^a login for more scope is needed: open /);
    const link = session.login?.()?.link() ?? '';
    expect(new URL(link).searchParams.get('scope')).toBe('read write');
    await session.checkHealth(patience());
    await follow(link);
    expect(session.login?.()).toBeUndefined();
    for (const token of as.good) server.scopes.set(token, 'write');
    await call(session, 'echo');
    await connect();
  });

  it('that a registered client was not registered for makes another, once the login is done', async () => {
    const { session, server, as, store } = await loggedIn(null, 'read');
    const key = { server: 's', issuer: as.issuer };
    server.callScope = 'write';
    await call(session, 'echo').catch(() => {});
    expect(as.registrations.map(({ scope }) => scope)).toEqual(['read']);
    expect((await store.get(key))?.registration?.clientId).toBe('client-1');
    await follow(session.login?.()?.link() ?? '');
    expect(as.registrations.map(({ scope }) => scope)).toEqual(['read', 'read write']);
    expect((await store.get(key))?.registration?.clientId).toBe('client-2');
  });

  it('that a login did not bring is not asked for again', async () => {
    const { session, server } = await loggedIn();
    server.callScope = 'admin';
    await call(session, 'echo').catch(() => {});
    await follow(session.login?.()?.link() ?? '');
    await expect(call(session, 'echo')).rejects.toThrow(
      `access denied (status 403) at ${server.url}: it wants scope "admin", which the login did not bring`,
    );
    expect(session.login?.()).toBeUndefined();
  });

  it('that grows without end is asked for three times', async () => {
    const { session, server } = await loggedIn();
    const refusals: string[] = [];
    for (const scope of ['a', 'b', 'c', 'd']) {
      server.callScope = scope;
      refusals.push((await call(session, 'echo').catch((error) => error)).message.slice(0, 25));
      await follow(session.login?.()?.link() ?? server.url);
    }
    const asked = 'a login for more scope is';
    expect(refusals).toEqual([asked, asked, asked, 'access denied (status 403']);
  });
});
