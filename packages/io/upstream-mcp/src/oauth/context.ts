// Options of the authorization of one server.
import type { OwnListeners } from '@portico/egress';
import type { Fetch } from './guarded-fetch.js';
import type { ServerStore } from './server-store.js';
import type { OAuthSettings } from './settings.js';

export interface OAuthContext {
  /** Id of the upstream server. */
  readonly id: string;
  readonly settings: OAuthSettings;
  readonly store: ServerStore;
  /** For the authorization server. */
  readonly fetch: Fetch;
  /** For metadata that the server publishes. */
  readonly resourceFetch: Fetch;
  /** Refuses what an authorization server names and Portico, or a browser for it, must not go to. @throws EgressRefused */
  readonly screen: (url: URL) => void;
  /** Knows the address that logins lead back to. */
  readonly own: OwnListeners;
  /** How long a login waits for a person. */
  readonly loginLimitMs: number;
  /** Called with tokens before they are used, so that they can be masked. */
  readonly onTokens?: ((tokens: readonly string[]) => void) | undefined;
  /** Is never given a token. */
  readonly log: (message: string) => void;
}
