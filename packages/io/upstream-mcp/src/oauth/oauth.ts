// The authorization of all HTTP upstreams of one connector. It outlives their sessions: a token, or a login that waits
// for a person, is there when a server is connected again.
import type { Egress, UpstreamGuard } from '@portico/egress';
import { createHttpClient } from '../http-client.js';
import { createGuardedFetch, type Fetch } from './guarded-fetch.js';
import { createServerAuth, type ServerAuth } from './server-auth.js';
import { createRetainedStore } from './server-store.js';
import type { OAuthSettings } from './settings.js';
import type { OAuthStore } from './store.js';

export interface OAuthOptions {
  readonly store: OAuthStore;
  readonly egress: Egress;
  readonly loginLimitMs?: number;
  /** Called with a server's tokens before they are used. */
  readonly onTokens?: ((server: string, tokens: readonly string[]) => void) | undefined;
  /** Is never given a token. */
  readonly log: (server: string, message: string) => void;
}

export interface OAuth {
  /** The same as before for a server whose settings are the same as before. */
  of(id: string, settings: OAuthSettings, guard: UpstreamGuard): ServerAuth;
  /**
   * Ends the logins of other servers than these, also those that are awaited, and deletes what is kept of them. A session
   * that is left keeps the token that it has, and gets no other.
   */
  retain(ids: readonly string[]): Promise<void>;
  /** Ends every login that waits. */
  close(): void;
}

const defaultLoginLimitMs = 10 * 60_000;

export function createOAuth({ store, egress, log, onTokens, loginLimitMs = defaultLoginLimitMs }: OAuthOptions): OAuth {
  const retained = createRetainedStore(store);
  const known = new Map<
    string,
    { readonly definition: string; readonly auth: ServerAuth; readonly close: () => void }
  >();
  return {
    of(id, settings, guard) {
      const definition = JSON.stringify(settings);
      const before = known.get(id);
      if (before?.definition === definition) return before.auth;
      before?.close();
      // The operator chose the authorization server of a configured client, so that one counts for what it names.
      const ofLogins =
        settings.client === null ? guard : egress.upstream(new URL(settings.client.authorizationServerUrl), settings);
      const clients = [guard, ofLogins].map((each) => createHttpClient({ guard: each, lookup: egress.lookup }));
      const [resourceFetch, fetch] = clients.map(createGuardedFetch) as [Fetch, Fetch]; // one for each client
      const serverStore = retained.of(id);
      const auth = createServerAuth({
        id,
        settings,
        store: serverStore,
        fetch,
        resourceFetch,
        screen: ofLogins.screen,
        own: egress.own,
        loginLimitMs,
        onTokens: (tokens) => onTokens?.(id, tokens),
        log: (text) => log(id, text),
      });
      const close = () => {
        auth.close();
        for (const client of clients) client.close();
      };
      if (retained.has(id)) known.set(id, { definition, auth, close });
      else close(); // it was removed while it was being connected
      return auth;
    },
    retain(ids) {
      for (const [id, { close }] of known) {
        if (ids.includes(id)) continue;
        known.delete(id);
        close();
      }
      return retained.retain(ids);
    },
    close() {
      for (const { close } of known.values()) close();
      known.clear();
    },
  };
}
