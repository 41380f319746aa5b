// OAuth settings of an HTTP server, with its secret looked up.
import type { HttpServer, NameableClass } from '@portico/contracts';
import type { Environment } from '../child-env.js';
import { unreachable } from '../failures.js';

export interface OAuthSettings {
  /** The MCP server's own address, which is also the resource that tokens are for (RFC 8707). */
  readonly url: URL;
  readonly allowPrivateMetadata: boolean;
  readonly allowedAddressClasses: readonly NameableClass[];
  /** Null finds an authorization server and a client identity without help. */
  readonly client: ConfiguredClient | null;
}

export interface ConfiguredClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authorizationServerUrl: string;
  readonly scopes: readonly string[];
  readonly clientMetadataUrl?: string;
}

/**
 * Null for a server that has other credentials: what it refuses with them is not cured by a login.
 * @throws UpstreamFailure when a variable that should hold the secret is not set
 */
export function oauthSettings(
  { auth, allowPrivateMetadata, allowedAddressClasses }: HttpServer,
  url: URL,
  headers: Readonly<Record<string, string>>,
  env: Environment,
): OAuthSettings | null {
  const egress = { allowPrivateMetadata, allowedAddressClasses };
  if (auth === null) return 'authorization' in headers ? null : { url, ...egress, client: null };
  if (auth.type !== 'oauth2') return null;
  const { clientId, authorizationServerUrl, scopes = [], clientMetadataUrl, clientSecretEnv } = auth;
  const clientSecret = auth.clientSecret ?? (clientSecretEnv === undefined ? undefined : env[clientSecretEnv]);
  if (clientSecret === undefined && clientSecretEnv !== undefined) {
    throw unreachable(`environment variable ${clientSecretEnv} (auth.clientSecretEnv) is not set`, false);
  }
  const client = {
    clientId,
    authorizationServerUrl,
    scopes,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
  };
  return { url, ...egress, client };
}
