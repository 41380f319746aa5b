// The rbac block as it is written in the configuration file: roles, and the tokens that give them.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { namedMap } from './named-map.js';
import { redactKeysSchema, ruleEntries } from './policy-schema.js';

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(1024));
const nullableText = (what: string) => v.optional(v.nullable(v.pipe(text, v.description(what))));

export const symmetricAlgorithms = ['HS256', 'HS384', 'HS512'] as const;
export const asymmetricAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;
export const jwtAlgorithms = [...symmetricAlgorithms, ...asymmetricAlgorithms] as const;

export const roleSchema = notAList(
  v.looseObject({
    ...ruleEntries,
    redactKeys: redactKeysSchema,
    profile: v.optional(v.nullable(v.pipe(text, v.description('The only profile that the role sees')))),
    admin: v.optional(
      v.nullable(v.pipe(v.boolean(), v.description('Whether it may configure, decide and read the audit log'))),
    ),
  }),
);
export type RawRole = v.InferOutput<typeof roleSchema>;

export const tokenSchema = notAList(
  v.looseObject({
    role: v.pipe(text, v.description('Role of who holds the token')),
    actorId: v.optional(v.nullable(v.pipe(text, v.description('Name of who holds it, for the audit log')))),
    token: v.optional(v.nullable(v.pipe(text, v.description('The token itself')))),
    tokenEnv: v.optional(v.nullable(v.pipe(text, v.description('Environment variable that holds the token')))),
    tokenSha256: v.optional(
      v.nullable(
        v.pipe(
          v.string(),
          v.regex(/^[0-9a-fA-F]{64}$/, 'must be the SHA-256 digest of the token as 64 hexadecimal digits'),
          v.description('SHA-256 digest of the token, hexadecimal'),
        ),
      ),
    ),
  }),
);
export type RawToken = v.InferOutput<typeof tokenSchema>;

export const jwtSchema = notAList(
  v.looseObject({
    issuer: v.pipe(text, v.description('The `iss` that a token must have')),
    audience: v.pipe(
      v.union([text, v.pipe(v.array(text), v.minLength(1))], 'expected a text or a list of texts'),
      v.description('The `aud` that a token must have, or several of which it must have one'),
    ),
    jwksUrl: v.optional(v.nullable(v.pipe(text, v.description('Address of the issuer’s public keys (JWKS)')))),
    secretEnv: v.optional(v.nullable(v.pipe(text, v.description('Environment variable that holds the HMAC secret')))),
    algorithms: v.optional(
      v.nullable(
        v.pipe(
          v.array(v.picklist(jwtAlgorithms)),
          v.minLength(1),
          v.description('Signature algorithms that are accepted (default HS256, or RS256 and ES256 with jwksUrl)'),
        ),
      ),
    ),
    roleClaim: nullableText('Claim with the role (default role)'),
    actorClaim: nullableText('Claim with the name for the audit log (default sub)'),
  }),
);
export type RawJwt = v.InferOutput<typeof jwtSchema>;

export const rbacSchema = notAList(
  v.looseObject({
    defaultRole: v.optional(v.nullable(v.pipe(text, v.description('Role of requests without a token')))),
    roles: v.pipe(namedMap(roleSchema), v.description('Roles by name')),
    tokens: v.optional(v.pipe(v.nullable(v.array(tokenSchema)), v.description('Static tokens'))),
    jwt: v.optional(v.pipe(v.nullable(jwtSchema), v.description('JSON Web Tokens that are accepted'))),
  }),
);
export type RawRbac = v.InferOutput<typeof rbacSchema>;
