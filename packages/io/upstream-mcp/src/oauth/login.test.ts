// A login from the first refusal to the token, and everything that may come back instead of a code.
import { loginOf } from '@portico/upstream-pool';
import { afterEach, describe, expect, it } from 'vitest';
import { createMcpConnector } from '../connector.js';
import { follow } from '../testing/http-kit.js';
import { call, cleanUp, clientInfo, onCleanup, waitUntil } from '../testing/kit.js';
import { loggedIn, oauth2, startWorld } from '../testing/oauth-world.js';

afterEach(cleanUp);

describe('a server that wants a login', () => {
  it('cannot be connected before it, and shows where to log in', async () => {
    const { refusal, as } = await startWorld(oauth2);
    const error = await refusal();
    expect(error.message).toBe(`waits for a login: open ${loginOf(error)?.link()}`);
    expect(loginOf(error)?.link()).toContain(`${as.issuer}/authorize?`);
  });

  it('registers no client before a person opens the link, and one client however often it is opened', async () => {
    const { refusal, as } = await startWorld();
    const errors = [await refusal(), await refusal()];
    const [link = '', again] = errors.map((error) => loginOf(error)?.link() ?? '');
    expect([link, again]).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/login\?ticket=[\w-]{43}$/),
      link,
    ]);
    expect(as.registrations).toEqual([]);
    const open = () => fetch(link, { redirect: 'manual' });
    const pages = await Promise.all([open(), open()]);
    expect(pages.map(({ status }) => status)).toEqual([302, 302]);
    expect(pages[0]?.headers.get('location')).toContain(`${as.issuer}/authorize?`);
    expect(as.registrations).toHaveLength(1);
  });

  it('does not begin with a ticket that is not the one of the link', async () => {
    const { refusal, as } = await startWorld();
    const link = new URL(loginOf(await refusal())?.link() ?? '');
    for (const ticket of ['', 'wrong', 'A'.repeat(43)]) {
      link.searchParams.set('ticket', ticket);
      expect(await follow(link.href)).toMatchObject({ status: 400 });
    }
    expect(as.registrations).toEqual([]);
  });

  it('says why a client could not be registered, on the page and when it is connected again', async () => {
    const { refusal, as } = await startWorld();
    as.metadata = { registration_endpoint: `${as.issuer}/nowhere` };
    const page = await follow(loginOf(await refusal())?.link() ?? '');
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining('refused to register a client') });
    expect((await refusal()).message).toMatch(
      /^waits for a login \(the last one failed: .*refused to register a client/,
    );
  });

  it('is connected after it, with the token in every request', async () => {
    const { connect, login, server } = await startWorld();
    const { url, over } = await login();
    const page = await follow(url.href);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('You are logged in') });
    await over;
    server.authorizations.length = 0;
    expect(await call(await connect(), 'echo')).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.authorizations).toEqual(server.authorizations.map(() => expect.stringMatching(/^Bearer access-/)));
  });

  it('is asked for with PKCE, state, resource and a native client registered for the loopback address', async () => {
    const { login, as, server } = await startWorld();
    const { url } = await login();
    const asked = Object.fromEntries(url.searchParams);
    expect(asked).toEqual({
      response_type: 'code',
      client_id: 'client-1',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      resource: server.url,
    });
    expect(as.registrations).toEqual([
      {
        client_name: 'Portico',
        redirect_uris: [asked.redirect_uri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: 'native',
        token_endpoint_auth_method: 'none',
      },
    ]);
    await follow(url.href);
    expect(as.tokenRequests[0]?.form).toMatchObject({ resource: server.url, client_id: 'client-1' });
  });

  it('waits for one login, however often it is asked', async () => {
    const { login, as } = await startWorld();
    const [first, second] = [await login(), await login()];
    expect(second.url.href).toBe(first.url.href);
    expect(as.registrations).toHaveLength(1);
  });

  it('uses what a store kept when it is connected by another process', async () => {
    const { connect, connector, as } = await loggedIn();
    await connect(connector());
    expect(as.authorizations).toHaveLength(1);
  });

  it('never sends tokens that were for another address', async () => {
    const { connect, session, store, as, server } = await loggedIn();
    const key = { server: 's', issuer: as.issuer };
    const record = await store.get(key);
    if (record?.tokens === undefined) return expect.fail('nothing was kept');
    await store.set(key, { ...record, tokens: { ...record.tokens, resource: 'https://elsewhere.test/mcp' } });
    await call(session, 'echo');
    await session.close();
    const sent = server.authorizations.length;
    const other = createMcpConnector({ clientInfo, env: {}, oauthStore: store });
    onCleanup(other.close);
    await expect(connect(other)).rejects.toThrow(/^waits for a login/);
    expect(server.authorizations.slice(sent)).toEqual([undefined]);
  });
});

describe('the way back from a login', () => {
  const callbackOf = (url: URL) => url.searchParams.get('redirect_uri') ?? '';

  it('is closed to a wrong state, and still open to the right one', async () => {
    const { login, connect, as } = await startWorld();
    const { url } = await login();
    const page = await follow(`${callbackOf(url)}?code=stolen&state=wrong`);
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining('not the login that Portico waits for') });
    expect(as.tokenRequests).toEqual([]);
    await follow(url.href);
    await connect();
  });

  it('shows nothing of code, state or token, and is closed afterwards', async () => {
    const { login, as } = await startWorld();
    const { url } = await login();
    const { text } = await follow(url.href);
    const secrets = [url.searchParams.get('state') ?? '', as.tokenRequests[0]?.form.code ?? '', ...as.good];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    await expect(fetch(callbackOf(url))).rejects.toThrow();
  });

  it.each([
    ['the wrong issuer', true, { iss: 'https://evil.test' }],
    ['no issuer though one was promised', true, { iss: null }],
    ['the wrong issuer, unasked', false, { iss: 'https://evil.test' }],
  ])('refuses an answer with %s', async (_what, isPromised, callback) => {
    const { login, as, refusal } = await startWorld();
    as.metadata = { authorization_response_iss_parameter_supported: isPromised };
    as.callback = callback;
    expect((await follow((await login()).url.href)).status).toBe(400);
    expect(as.tokenRequests).toEqual([]);
    expect((await refusal()).message).toMatch(
      /^waits for a login \(the last one failed: the answer does not come from/,
    );
  });

  it('takes a no for an answer, without the words that came with it', async () => {
    const { login, as, refusal } = await startWorld();
    as.callback = { code: null, error: 'access_denied', error_description: '<b>call the help desk</b>' };
    const { text } = await follow((await login()).url.href);
    expect(text).toContain('answered with access_denied');
    expect(text).not.toContain('help desk');
    expect((await refusal()).message).not.toContain('help desk');
  });

  it('says nothing of what the token endpoint wrote', async () => {
    const { login, as, refusal, logged } = await startWorld();
    as.tokenError = { status: 500, body: 'trace: access_token=secret-of-the-body' };
    const { text } = await follow((await login()).url.href);
    expect([text, (await refusal()).message, ...logged].filter((line) => line.includes('secret-of'))).toEqual([]);
  });

  it('closes when time runs out; being asked for the link then makes the next one', async () => {
    const { login, refusal } = await startWorld(null, 300);
    /** The time may be out before this test comes so far as to have the link. */
    const loginInTime = async (tries = 5): ReturnType<typeof login> => {
      try {
        return await login();
      } catch (error) {
        if (tries === 1) throw error;
        loginOf(await refusal())?.renew();
        return loginInTime(tries - 1);
      }
    };
    const first = await loginInTime();
    await waitUntil(
      () =>
        fetch(callbackOf(first.url)).then(
          () => false,
          () => true,
        ),
      'the listener is closed',
    );
    expect(first.link()).toBeNull();
    first.renew();
    await first.over;
    expect((await loginInTime()).url.searchParams.get('state')).not.toBe(first.url.searchParams.get('state'));
  });
});
