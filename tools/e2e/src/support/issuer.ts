// An issuer of JSON Web Tokens: a key pair, the address of its public half, and tokens that are good or bad in one way.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanup } from './cleanup.js';

export type Claims = Readonly<Record<string, unknown>>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const nowSecs = () => Math.floor(Date.now() / 1000);

/** A token with an HMAC in place of a signature. */
export function hmacToken(claims: Claims, secret: string, header: object = { alg: 'HS256' }): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export async function startIssuer() {
  const kid = 'key-1';
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...own.publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onCleanup(close);
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const audience = 'portico';

  const claimsOf = (more: Claims = {}): Claims => ({
    iss: issuer,
    aud: audience,
    sub: 'ann',
    exp: nowSecs() + 300,
    ...more,
  });
  const tokenBy = (key: KeyObject, claims: Claims): string => {
    const signed = `${encode({ alg: 'RS256', kid, typ: 'JWT' })}.${encode(claims)}`;
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
  };

  return {
    /** The `jwt` block that trusts it. */
    rules: { issuer, audience, jwksUrl: `${issuer}/jwks` },
    issuer,
    asked: () => asked,
    close,
    token: (more: Claims = {}) => tokenBy(own.privateKey, claimsOf(more)),
    /** Tokens of an admin that are wrong in one way each. */
    wrongTokens: (role: string): Readonly<Record<string, string>> => {
      const claims = claimsOf({ role });
      const good = tokenBy(own.privateKey, claims);
      const pem = own.publicKey.export({ format: 'pem', type: 'spki' }).toString();
      return {
        expired: tokenBy(own.privateKey, claimsOf({ role, exp: nowSecs() - 10 })),
        'without an end': tokenBy(own.privateKey, { ...claims, exp: undefined }),
        'not valid yet': tokenBy(own.privateKey, claimsOf({ role, nbf: nowSecs() + 600 })),
        'of another issuer': tokenBy(own.privateKey, claimsOf({ role, iss: 'https://other.example' })),
        'for another audience': tokenBy(own.privateKey, claimsOf({ role, aud: 'other' })),
        'signed by a stranger': tokenBy(foreign.privateKey, claims),
        'of algorithm none': `${encode({ alg: 'none' })}.${encode(claims)}.`,
        'with the public key as a secret': hmacToken(claims, pem, { alg: 'HS256', kid }),
        'with the public JWK as a secret': hmacToken(claims, JSON.stringify(jwk), { alg: 'HS256', kid }),
        'changed after it was signed': good.replace(
          /\.[^.]+\./,
          `.${encode({ ...claims, role: `${role}`, sub: 'eve' })}.`,
        ),
        'without a signature': good.replace(/[^.]+$/, ''),
      };
    },
  };
}
