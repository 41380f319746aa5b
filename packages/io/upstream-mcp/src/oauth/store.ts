// The port to what OAuth must remember: who we are at an authorization server, and what it gave us. Credentials belong
// to one authorization server; there is no way to ask for those of another (MCP 2026-07-28, authorization).

export interface OAuthKey {
  /** Id of the upstream server. */
  readonly server: string;
  /** `issuer` of the authorization server, as its metadata spells it. */
  readonly issuer: string;
}

/** The result of dynamic registration (RFC 7591). */
export interface OAuthRegistration {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Null when it does not expire. */
  readonly secretExpiresAtEpochMs: number | null;
  readonly authMethod?: string;
  /** The registered address; its port is used again where it is free. */
  readonly redirectUri: string;
  /** Scopes it was registered for, space-separated; many authorization servers grant it no other. */
  readonly scope?: string;
}

export interface OAuthTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Null when the authorization server did not say. */
  readonly expiresAtEpochMs: number | null;
  /** Everything that was asked for when they were granted; space-separated. */
  readonly scope?: string;
  /** The address they may be sent to (RFC 8707); they are never sent elsewhere. */
  readonly resource: string;
  /** The client they were granted to; another one can do nothing with them (RFC 6749, sections 6 and 10.4). */
  readonly clientId: string;
}

export interface OAuthRecord {
  readonly registration?: OAuthRegistration;
  readonly tokens?: OAuthTokens;
}

/** Records hold secrets: an implementation that writes them makes sure that only their owner can read them. */
export interface OAuthStore {
  get(key: OAuthKey): Promise<OAuthRecord | undefined>;
  /** Replaces the whole record. */
  set(key: OAuthKey, record: OAuthRecord): Promise<void>;
  delete(key: OAuthKey): Promise<void>;
  /** Deletes what the server has at other authorization servers. */
  deleteOthers(key: OAuthKey): Promise<void>;
  /** Runs `work` while no other process that shares the store can do so for the same record. */
  exclusively<T>(key: OAuthKey, work: () => Promise<T>): Promise<T>;
  /** Deletes what belongs to other servers than these. */
  retain(servers: readonly string[]): Promise<void>;
}

/** Keeps records in memory until this process ends. */
export function createMemoryOAuthStore(): OAuthStore {
  const records = new Map<string, { readonly key: OAuthKey; readonly record: OAuthRecord }>();
  const nameOf = ({ server, issuer }: OAuthKey) => JSON.stringify([server, issuer]);
  const lastOf = new Map<string, Promise<unknown>>();
  return {
    get: async (key) => records.get(nameOf(key))?.record,
    async set(key, record) {
      records.set(nameOf(key), { key, record });
    },
    async delete(key) {
      records.delete(nameOf(key));
    },
    async deleteOthers({ server, issuer }) {
      for (const [name, { key }] of records) {
        if (key.server === server && key.issuer !== issuer) records.delete(name);
      }
    },
    exclusively(key, work) {
      const mine = (lastOf.get(nameOf(key)) ?? Promise.resolve()).then(work);
      lastOf.set(
        nameOf(key),
        mine.catch(() => {}),
      );
      return mine;
    },
    async retain(servers) {
      for (const [name, { key }] of records) if (!servers.includes(key.server)) records.delete(name);
    },
  };
}
