// How a session keeps its tokens good, and when only a person can.
import { loginOf } from '@portico/upstream-pool';
import { afterEach, describe, expect, it } from 'vitest';
import { follow } from '../testing/http-kit.js';
import { call, cleanUp, waitUntil } from '../testing/kit.js';
import { loggedIn, startWorld } from '../testing/oauth-world.js';

afterEach(cleanUp);

describe('a session', () => {
  it('renews once for ten requests that are refused at once', async () => {
    const { session, as } = await loggedIn();
    as.good.clear();
    const answers = await Promise.all(Array.from({ length: 10 }, () => call(session, 'echo')));
    expect(answers).toHaveLength(10);
    expect(as.tokenRequests.map(({ form }) => form.grant_type)).toEqual(['authorization_code', 'refresh_token']);
  });

  it('renews once for several that share the login, and all go on with what that brought', async () => {
    const { session, as, connect, connector } = await loggedIn();
    const others = await Promise.all([connect(connector()), connect(connector())]);
    for (let n = 0; n < 2; n += 1) {
      as.good.clear();
      await Promise.all([session, ...others].map((each) => call(each, 'echo')));
    }
    expect(as.tokenRequests.slice(1).map(({ form }) => form.grant_type)).toEqual(['refresh_token', 'refresh_token']);
    const used = as.tokenRequests.slice(1).map(({ form }) => form.refresh_token);
    expect(new Set(used).size).toBe(2);
  });

  it('renews with the newest refresh token', async () => {
    const { session, as } = await loggedIn();
    for (let n = 0; n < 3; n += 1) {
      as.good.clear();
      await call(session, 'echo');
    }
    const used = as.tokenRequests.slice(1).map(({ form }) => form.refresh_token);
    expect(new Set(used).size).toBe(3);
  });

  it('renews ahead of the end, so that no request is refused', async () => {
    const world = await startWorld();
    world.as.grant = { expires_in: 1 };
    await follow((await world.login()).url.href);
    const session = await world.connect();
    await new Promise((resolve) => setTimeout(resolve, 900));
    world.as.grant = {};
    await call(session, 'echo');
    expect(world.as.tokenRequests.map(({ form }) => form.grant_type)).toContain('refresh_token');
    expect(world.server.authorizations.filter((header) => header === undefined)).toHaveLength(1);
  });

  it('renews in the background between calls', async () => {
    const world = await startWorld();
    world.as.grant = { expires_in: 2 };
    await follow((await world.login()).url.href);
    await world.connect();
    await waitUntil(() => world.as.tokenRequests.length > 1, 'the tokens are renewed');
  });

  it('needs a login when the refresh token is refused', async () => {
    const { session, as } = await loggedIn();
    as.good.clear();
    as.tokenError = { status: 400, body: JSON.stringify({ error: 'invalid_grant' }) };
    await expect(call(session, 'echo')).rejects.toThrow(/^waits for a login/);
  });

  it('does not need one when the authorization server is only away', async () => {
    const { session, as } = await loggedIn();
    const before = [...as.good];
    as.good.clear();
    as.tokenError = { status: 503, body: '' };
    const failure = await call(session, 'echo').catch((error) => error);
    expect(failure.message).toMatch(/could not be renewed/);
    expect(loginOf(failure)).toBeUndefined();
    as.tokenError = null;
    await call(session, 'echo');
    expect(before).toHaveLength(1);
  });
});
