// Verification against a real key server, and against a shared secret.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JwtRules } from '@portico/contracts';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createJwtVerifier } from './jwt-verifier.js';

const secret = 'a secret of more than thirty-two octets';
const bySecret: JwtRules = {
  issuer: 'https://issuer.example',
  audiences: ['portico', 'https://portico.example/mcp'],
  keys: { kind: 'secret', env: 'JWT_SECRET' },
  algorithms: ['HS256'],
  roleClaim: 'role',
  actorClaim: 'sub',
};

const nowSecs = () => Math.floor(Date.now() / 1000);
const good = (): JWTPayload => ({
  iss: bySecret.issuer,
  aud: 'portico',
  sub: 'ann',
  role: 'reader',
  exp: nowSecs() + 60,
});

const bySecretSign = (claims: JWTPayload, alg = 'HS256', key = secret) =>
  new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(key));

const log: unknown[] = [];
const verifierOf = () =>
  createJwtVerifier({ env: (name) => (name === 'JWT_SECRET' ? secret : undefined), log: (...line) => log.push(line) });

afterEach(() => {
  log.length = 0;
});

describe('with a shared secret', () => {
  const verify = async (token: string, rules = bySecret) => verifierOf()(rules, token);

  it('a good token gives its claims', async () => {
    const claims = good();
    expect(await verify(await bySecretSign(claims))).toEqual({ ok: true, claims });
    expect(await verify(await bySecretSign({ ...claims, aud: ['x', 'https://portico.example/mcp'] }))).toMatchObject({
      ok: true,
    });
  });

  it.each<[string, { readonly [name in 'exp' | 'nbf' | 'iss' | 'aud']?: number | string | undefined }, string]>([
    ['expired', { exp: nowSecs() - 1 }, 'the token has expired'],
    ['expired long ago', { exp: nowSecs() - 3600 }, 'the token has expired'],
    ['without an end', { exp: undefined }, 'the claim exp of the token does not hold'],
    ['not valid yet', { nbf: nowSecs() + 600 }, 'the claim nbf of the token does not hold'],
    ['of another issuer', { iss: 'https://other.example' }, 'the claim iss of the token does not hold'],
    ['without an issuer', { iss: undefined }, 'the claim iss of the token does not hold'],
    ['for somebody else', { aud: 'other' }, 'the claim aud of the token does not hold'],
    ['for nobody', { aud: undefined }, 'the claim aud of the token does not hold'],
  ])('a token that is %s is refused', async (_what, changed, reason) => {
    const { exp, nbf, iss, aud, ...rest } = { ...good(), ...changed };
    const claims = Object.fromEntries(
      Object.entries({ ...rest, exp, nbf, iss, aud }).filter(([, value]) => value !== undefined),
    );
    expect(await verify(await bySecretSign(claims))).toEqual({ ok: false, reason });
  });

  it('a clock that is a little ahead is tolerated', async () => {
    expect(await verify(await bySecretSign({ ...good(), nbf: nowSecs() + 2 }))).toMatchObject({ ok: true });
  });

  it('another secret, another algorithm, none, and no token at all are refused', async () => {
    const refusals = [
      await verify(await bySecretSign(good(), 'HS256', `${secret}!`)),
      await verify(await bySecretSign(good(), 'HS512')),
      await verify(new UnsecuredJWT(good()).encode()),
      await verify('no token'),
      await verify('a.b.c'),
    ];
    expect(refusals.map((refusal) => !refusal.ok && refusal.reason)).toEqual([
      'the signature of the token does not hold',
      'the algorithm of the token is not accepted',
      expect.stringMatching(/not (accepted|valid)/),
      'the token is not valid',
      'the token is not valid',
    ]);
  });

  it('a secret that can be guessed is reported once', async () => {
    const verify = createJwtVerifier({ env: () => 'short', log: (...line) => log.push(line) });
    const token = await bySecretSign(good(), 'HS256', 'short');
    expect([await verify(bySecret, token), await verify(bySecret, token)]).toMatchObject([{ ok: true }, { ok: true }]);
    const message = 'the secret of JSON Web Tokens is shorter than 32 bytes; use a longer one';
    expect(log).toEqual([['warn', message, { name: 'JWT_SECRET' }]]);
  });

  it('without a secret nothing is accepted', async () => {
    const rules = { ...bySecret, keys: { kind: 'secret', env: 'NOT_SET' } } as const;
    expect(await verify(await bySecretSign(good()), rules)).toMatchObject({ ok: false });
  });
});

describe('with the keys of an issuer', () => {
  let server: Server;
  let url = '';
  let status = 200;
  let asked = 0;
  let keys: unknown[] = [];
  let pad = 0;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(status, { 'Content-Type': 'application/json', Location: 'http://127.0.0.1:1/' });
      response.end(JSON.stringify({ keys, pad: ' '.repeat(pad) }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  afterEach(() => {
    status = 200;
    asked = 0;
    pad = 0;
  });

  const rulesOf = (more: Partial<JwtRules> = {}): JwtRules => ({
    ...bySecret,
    keys: { kind: 'jwks', url },
    algorithms: ['RS256', 'ES256'],
    ...more,
  });

  async function newKey(kid: string, alg = 'RS256') {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    const jwk = { ...(await exportJWK(publicKey)), kid, alg };
    const sign = (claims: JWTPayload) => new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey);
    return { jwk, sign };
  }

  it('a token of theirs is accepted, and they are read once', async () => {
    const { jwk, sign } = await newKey('one');
    keys = [jwk];
    const verify = verifierOf();
    const rules = rulesOf();
    const token = await sign(good());
    expect([await verify(rules, token), await verify(rules, token)]).toMatchObject([{ ok: true }, { ok: true }]);
    expect(asked).toBe(1);
  });

  it('they stay when the rules are created again, and are read again when their address has changed', async () => {
    const { jwk, sign } = await newKey('one');
    keys = [jwk];
    const verify = verifierOf();
    const token = await sign(good());
    await verify(rulesOf(), token);
    status = 500;
    expect(await verify(rulesOf({ roleClaim: 'roles' }), token)).toMatchObject({ ok: true });
    expect(asked).toBe(1);
    const elsewhere = rulesOf({ keys: { kind: 'jwks', url: `${url}?other` } });
    expect(await verify(elsewhere, token)).toMatchObject({ ok: false });
    expect(asked).toBe(2);
  });

  it('an HMAC over the public key is no signature of theirs', async () => {
    const { jwk } = await newKey('one');
    keys = [jwk];
    const forged = await new SignJWT(good())
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(new TextEncoder().encode(JSON.stringify(jwk)));
    const refused = { ok: false, reason: 'the algorithm of the token is not accepted' };
    expect(await verifierOf()(rulesOf(), forged)).toEqual(refused);
    expect(asked).toBe(0);
  });

  it('a key of a stranger is not known', async () => {
    keys = [(await newKey('one')).jwk];
    const { sign } = await newKey('two');
    expect(await verifierOf()(rulesOf(), await sign(good()))).toEqual({
      ok: false,
      reason: 'the issuer has no key for the token',
    });
  });

  it.each([
    ['answers 500', () => (status = 500)],
    ['sends elsewhere', () => (status = 302)],
    ['is endless', () => (pad = 2_000_000)],
  ])(
    'when their server %s, every caller is refused, the log says so, and it is not asked again for a while',
    async (_, change) => {
      const { jwk, sign } = await newKey('one');
      keys = [jwk];
      change();
      const verify = verifierOf();
      const rules = rulesOf();
      const token = await sign(good());
      const reason = 'the keys of the token issuer cannot be read; try again later';
      expect(await verify(rules, token)).toEqual({ ok: false, reason });
      expect(await verify(rules, token)).toEqual({ ok: false, reason });
      expect(asked).toBe(1);
      expect(log).toEqual([
        ['error', 'the keys of the token issuer cannot be read; tokens are refused', { url, error: expect.any(Error) }],
      ]);
    },
  );
});
