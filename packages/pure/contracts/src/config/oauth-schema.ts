// OAuth 2.1 settings in an HTTP server's `auth`: the client, and its authorization server. A server without `auth`
// finds both out by itself.
import * as v from 'valibot';

/** No credentials, query or fragment: an issuer has none (RFC 8414, section 2). */
const isIssuer = (text: string) => /^https?:\/\/[^/@?#\s][^@?#\s]*$/i.test(text);

/** `https:` with a path, as client identifiers that are addresses must be (MCP 2026-07-28, client registration). */
const isDocumentAddress = (text: string) => /^https:\/\/[^/@?#\s]+\/[^#\s]+$/i.test(text);

/** A scope token of RFC 6749, section 3.3. */
const scopeToken = v.pipe(v.string(), v.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'is not a scope: printable, no spaces'));

export const oauth2Schema = v.pipe(
  v.looseObject({
    type: v.literal('oauth2'),
    clientId: v.pipe(v.string(), v.minLength(1), v.description('The client registered at the authorization server')),
    authorizationServerUrl: v.pipe(
      v.string(),
      v.check(isIssuer, 'must be an http: or https: address without query'),
      v.description('Issuer of the authorization server'),
    ),
    scopes: v.optional(v.pipe(v.array(scopeToken), v.description('Asked for beside what the server demands'))),
    clientMetadataUrl: v.optional(
      v.pipe(
        v.string(),
        v.check(isDocumentAddress, 'must be an https: address with a path'),
        v.description('Client ID metadata document; used instead of clientId where the authorization server takes it'),
      ),
    ),
    clientSecret: v.optional(v.pipe(v.string(), v.description('For clients that have a secret; or a secret URI'))),
    clientSecretEnv: v.optional(
      v.pipe(v.string(), v.description('Name of the environment variable that holds the client secret')),
    ),
  }),
  v.check(
    (auth) => auth.clientSecret === undefined || auth.clientSecretEnv === undefined,
    'needs at most one of `clientSecret` and `clientSecretEnv`; it has both',
  ),
);

export type OAuth2Auth = v.InferOutput<typeof oauth2Schema>;
