// What everything about one server's authorization is given.
import type { Fetch } from './guarded-fetch.js';
import type { ServerStore } from './server-store.js';
import type { OAuthSettings } from './settings.js';

export interface OAuthContext {
  /** Id of the upstream server. */
  readonly id: string;
  readonly settings: OAuthSettings;
  readonly store: ServerStore;
  readonly fetch: Fetch;
  /** How long a login waits for a person. */
  readonly loginLimitMs: number;
  /** Hears of tokens before they are used, so that nothing shows them. */
  readonly onTokens?: ((tokens: readonly string[]) => void) | undefined;
  /** Is never given a token. */
  readonly log: (message: string) => void;
}
