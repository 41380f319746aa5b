// Client identity at an authorization server: the configured client, its metadata document, or a client registered on
// the spot (MCP 2026-07-28, client registration).
import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import type { AuthorizationServer } from './discovery.js';
import type { Fetch } from './guarded-fetch.js';
import { OAuthFailure } from './oauth-failure.js';
import type { OAuthSdk } from './sdk.js';
import type { ConfiguredClient } from './settings.js';
import type { OAuthRegistration } from './store.js';

export type ClientIdentity =
  | { readonly kind: 'configured'; readonly information: OAuthClientInformationMixed }
  | { readonly kind: 'registered'; readonly information: OAuthClientInformationMixed };

/** The configured client: by its metadata document where the authorization server reads those, else by its id. */
export function configuredIdentity(client: ConfiguredClient, { metadata }: AuthorizationServer): ClientIdentity {
  const { clientId, clientSecret, clientMetadataUrl } = client;
  const isRead = metadata.client_id_metadata_document_supported === true;
  if (isRead && clientMetadataUrl !== undefined) {
    return { kind: 'configured', information: { client_id: clientMetadataUrl } };
  }
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
  return { kind: 'configured', information: { client_id: clientId, ...secret } };
}

export function registeredIdentity({ clientId, clientSecret, authMethod }: OAuthRegistration): ClientIdentity {
  const information = {
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    ...(authMethod === undefined ? {} : { token_endpoint_auth_method: authMethod }),
  };
  return { kind: 'registered', information };
}

/** The use that a client is registered for. */
export interface ClientUse {
  readonly redirectUri: string;
  readonly scope: string | undefined;
}

/** A registration serves for its redirect address and scopes alone, and while its secret is good. */
export const isUsable = (
  sdk: OAuthSdk,
  registration: OAuthRegistration,
  { redirectUri, scope }: ClientUse,
  nowEpochMs: number,
): boolean =>
  registration.redirectUri === redirectUri &&
  !isExpired(registration, nowEpochMs) &&
  !sdk.isStrictScopeSuperset(scope, registration.scope);

export const isExpired = ({ secretExpiresAtEpochMs }: OAuthRegistration, nowEpochMs: number): boolean =>
  secretExpiresAtEpochMs !== null && secretExpiresAtEpochMs <= nowEpochMs;

/** @throws OAuthFailure if no client can be registered */
export function refuseWithoutRegistration({ metadata }: AuthorizationServer): void {
  if (metadata.registration_endpoint !== undefined) return;
  throw new OAuthFailure(
    `the authorization server ${metadata.issuer} registers no clients; configure auth of type oauth2 with a clientId`,
  );
}

/** Dynamic registration (RFC 7591) as a native application (RFC 8252). @throws OAuthFailure, and what the SDK throws */
export async function register(
  sdk: OAuthSdk,
  fetch: Fetch,
  { url, metadata }: AuthorizationServer,
  { redirectUri, scope }: ClientUse,
): Promise<OAuthRegistration> {
  const authMethod = preferredAuthMethod(metadata.token_endpoint_auth_methods_supported);
  const registered = await sdk.registerClient(url, {
    metadata,
    clientMetadata: {
      client_name: 'Portico',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      ...(authMethod === undefined ? {} : { token_endpoint_auth_method: authMethod }),
    },
    ...(scope === undefined ? {} : { scope }),
    fetchFn: fetch,
  });
  const expiresAtEpochSecs = registered.client_secret_expires_at ?? 0; // 0: never (RFC 7591, section 3.2.1)
  return {
    clientId: registered.client_id,
    secretExpiresAtEpochMs: expiresAtEpochSecs === 0 ? null : expiresAtEpochSecs * 1000,
    redirectUri,
    ...(scope === undefined ? {} : { scope }),
    ...(registered.client_secret === undefined ? {} : { clientSecret: registered.client_secret }),
    ...(registered.token_endpoint_auth_method === undefined
      ? {}
      : { authMethod: registered.token_endpoint_auth_method }),
  };
}

/**
 * A program on a user's machine keeps no secret (RFC 8252, section 8.4), so the method is `none` if that is allowed.
 */
function preferredAuthMethod(supported: readonly string[] | undefined): string | undefined {
  return ['none', 'client_secret_basic', 'client_secret_post'].find((method) => supported?.includes(method));
}
