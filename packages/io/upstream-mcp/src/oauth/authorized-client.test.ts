import { afterEach, describe, expect, it } from 'vitest';
import { textOf } from '../http-body.js';
import { awaitResponse, createHttpClient, type HttpClient } from '../http-client.js';
import { listen } from '../testing/http-kit.js';
import { cleanUp, loopbackGuard, onCleanup } from '../testing/kit.js';
import { createAuthorizedClient } from './authorized-client.js';
import type { ServerAuth } from './server-auth.js';

afterEach(cleanUp);

const noAuth: ServerAuth = {
  token: () => undefined,
  renew: () => Promise.reject(new Error('not asked for')),
  refuse: () => Promise.reject(new Error('not asked for')),
  stepUp: () => Promise.reject(new Error('not asked for')),
  accepted() {},
  login: () => undefined,
  use: () => () => {},
  close() {},
};

/** A client with this authorization, and a server that answers with the status `answer` gives for a token. */
async function start(auth: Partial<ServerAuth>, answer: (authorization: string | undefined) => number) {
  const asked: (string | undefined)[] = [];
  const origin = await listen((request, response) => {
    const { authorization } = request.headers;
    asked.push(authorization);
    response.writeHead(answer(authorization)).end(authorization ?? 'no token');
  });
  const client = createAuthorizedClient(createHttpClient({ guard: loopbackGuard() }), { ...noAuth, ...auth });
  onCleanup(client.close);
  return { client, asked, url: new URL(`${origin}/mcp`) };
}

function get(client: HttpClient, url: URL) {
  const request = { method: 'GET', url, headers: {} } as const;
  const { response, exchange } = awaitResponse((handler) => client.send(request, handler));
  const outcome = response.then(
    async (answered) => ({ status: answered.status, text: await textOf(answered, 'the place', 1_000) }),
    (error) => error,
  );
  return { outcome, exchange };
}

describe('a client with authorization', () => {
  it('sends the request again with the token that a 401 led to', async () => {
    const renewed = ['second', 'third'];
    const refused: (string | undefined)[] = [];
    const { client, url, asked } = await start(
      {
        token: () => 'first',
        async renew(token) {
          refused.push(token);
          return renewed.shift() ?? null;
        },
      },
      (authorization) => (authorization === 'Bearer third' ? 200 : 401),
    );

    expect(await get(client, url).outcome).toEqual({ status: 200, text: 'Bearer third' });
    expect(asked).toEqual(['Bearer first', 'Bearer second', 'Bearer third']);
    expect(refused).toEqual(['first', 'second']);
  });

  it('gives the 401 itself, unread, where the server does not do OAuth', async () => {
    const { client, url } = await start({ renew: async () => null }, () => 401);
    expect(await get(client, url).outcome).toEqual({ status: 401, text: 'no token' });
  });

  it('fails with the login that is needed', async () => {
    const login = new Error('log in at …');
    const { client, url } = await start({ renew: () => Promise.reject(login) }, () => 401);
    expect(await get(client, url).outcome).toBe(login);
  });

  it.each(['abort', 'abortAll', 'close'] as const)(
    'sends nothing when it is ended by %s before its token is there',
    async (end) => {
      let giveToken: (token: string) => void = () => {};
      const token = new Promise<string>((resolve) => {
        giveToken = resolve;
      });
      const { client, url, asked } = await start({ token: () => token }, () => 200);
      const { outcome, exchange } = get(client, url);
      if (end === 'abort') exchange.abort();
      else client[end]();
      giveToken('late');

      expect(await outcome).toMatchObject({
        message: `connection to ${url.origin} was lost`,
        detail: { kind: 'unreachable', sent: false },
      });
      expect(asked).toEqual([]);
    },
  );

  it('sends nothing more when it is aborted while a 401 is dealt with', async () => {
    let giveToken: (token: string) => void = () => {};
    const token = new Promise<string>((resolve) => {
      giveToken = resolve;
    });
    let resolveRefused: () => void = () => {};
    const refused = new Promise<void>((resolve) => {
      resolveRefused = resolve;
    });
    const { client, url, asked } = await start(
      {
        renew() {
          resolveRefused();
          return token;
        },
      },
      () => 401,
    );
    const { outcome } = get(client, url);
    await refused;
    client.abortAll();
    giveToken('late');

    expect(await outcome).toMatchObject({ detail: { kind: 'unreachable', sent: false } });
    expect(asked).toEqual([undefined]);
  });
});
