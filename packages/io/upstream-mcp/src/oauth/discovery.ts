// Finds the authorization server of an MCP server: protected resource metadata (RFC 9728), then authorization server
// metadata (RFC 8414, or OpenID Connect Discovery). Refuses what a login must not be tried at.
import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '@modelcontextprotocol/client';
import type { Challenge } from './challenge.js';
import type { OAuthContext } from './context.js';
import { OAuthFailure } from './oauth-failure.js';
import type { OAuthSdk } from './sdk.js';

export interface AuthorizationServer {
  readonly url: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource indicator to ask tokens for (RFC 8707). */
  readonly resource: string;
  /** The scope that the protected resource lists, space-separated. */
  readonly resourceScope: string | undefined;
}

export type DiscoveryContext = Pick<OAuthContext, 'settings' | 'fetch' | 'resourceFetch' | 'screen'>;

/**
 * Null when the server names no authorization server and is not one itself: it does not use OAuth.
 * @throws OAuthFailure, FetchFailed, EgressRefused, and what the SDK throws
 */
export async function discoverAuthorizationServer(
  sdk: OAuthSdk,
  { settings: { url, client }, fetch, resourceFetch, screen }: DiscoveryContext,
  { resourceMetadataUrl }: Challenge,
): Promise<AuthorizationServer | null> {
  const described = await sdk
    .discoverOAuthProtectedResourceMetadata(
      url,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      resourceFetch,
    )
    .catch((error) => {
      if (error instanceof TypeError) throw error; // the network, not an answer
      return undefined;
    });
  const resource = resourceOf(sdk, url, described);
  const server = client?.authorizationServerUrl ?? described?.authorization_servers?.[0] ?? new URL('/', url).href;
  const metadata = await sdk.discoverAuthorizationServerMetadata(server, { fetchFn: fetch });
  if (metadata === undefined) {
    if (client === null && described === undefined) return null;
    throw new OAuthFailure(`no metadata of an authorization server at ${server} (RFC 8414)`);
  }
  refuseUnfit(metadata, screen);
  const scopes = described?.scopes_supported ?? [];
  return { url: server, metadata, resource, resourceScope: scopes.length === 0 ? undefined : scopes.join(' ') };
}

/** The metadata must be about the server we talk to (RFC 9728, section 3.3); it is repeated letter by letter. */
function resourceOf(sdk: OAuthSdk, url: URL, described: OAuthProtectedResourceMetadata | undefined): string {
  if (described === undefined) return url.href;
  const isAbout = sdk.checkResourceAllowed({ requestedResource: url, configuredResource: described.resource });
  if (!isAbout) throw new OAuthFailure('the protected resource metadata of the server is about another resource');
  return described.resource;
}

/** Without a promise of S256 a code could be stolen unnoticed (MCP 2026-07-28, security considerations; RFC 7636). */
function refuseUnfit(metadata: AuthorizationServerMetadata, screen: DiscoveryContext['screen']): void {
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new OAuthFailure(
      `the authorization server ${metadata.issuer} does not promise PKCE with S256 (code_challenge_methods_supported)`,
    );
  }
  if (!/^https?:$/.test(new URL(metadata.authorization_endpoint).protocol)) {
    throw new OAuthFailure(`the authorization server ${metadata.issuer} names a login page that is no web page`);
  }
  // Checked before a person is asked to log in. Names are resolved, and addresses checked, at connection time.
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  for (const endpoint of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    if (endpoint !== undefined) screen(new URL(endpoint));
  }
}
