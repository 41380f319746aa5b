// Selects the scopes of a login. Strings hold scopes separated by spaces (RFC 6749, section 3.3).
import type { AuthorizationServer } from './discovery.js';
import type { OAuthSdk } from './sdk.js';
import type { ConfiguredClient } from './settings.js';

export interface ScopeNeeds {
  /** The scope of the current challenge. */
  readonly challenged: string | undefined;
  /** Scopes of earlier logins: a step-up must not lose them (MCP 2026-07-28, scope challenge handling). */
  readonly before: string | undefined;
}

/**
 * The challenge's scope and what is configured, else what the resource lists, else none; always with what was asked
 * before. `offline_access` is added where the authorization server knows it, so that there is something to renew with.
 */
export function chooseScope(
  sdk: OAuthSdk,
  { metadata, resourceScope }: AuthorizationServer,
  client: ConfiguredClient | null,
  { challenged, before }: ScopeNeeds,
): string | undefined {
  const wanted = sdk.computeScopeUnion(challenged, client?.scopes.join(' ')) ?? resourceScope;
  const scope = sdk.computeScopeUnion(before, wanted);
  const knowsOffline = metadata.scopes_supported?.includes('offline_access') === true;
  return scope !== undefined && knowsOffline ? sdk.computeScopeUnion(scope, 'offline_access') : scope;
}
