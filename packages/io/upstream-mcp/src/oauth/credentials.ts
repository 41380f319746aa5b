// The record of one upstream server at one authorization server, changed field by field.
import type { OAuthTokens as TokenAnswer } from '@modelcontextprotocol/client';
import {
  type ClientIdentity,
  type ClientUse,
  configuredIdentity,
  isExpired,
  isUsable,
  refuseWithoutRegistration,
  register,
  registeredIdentity,
} from './client-identity.js';
import type { OAuthContext } from './context.js';
import type { AuthorizationServer } from './discovery.js';
import type { Fetch } from './guarded-fetch.js';
import { OAuthFailure } from './oauth-failure.js';
import type { OAuthSdk } from './sdk.js';
import type { OAuthKey, OAuthRecord, OAuthRegistration, OAuthTokens } from './store.js';

export interface Credentials {
  /** The tokens; those of another client, or for another resource than we are about to use them at, are dropped. */
  tokens(): Promise<OAuthTokens | undefined>;
  keep(answer: TokenAnswer, asked: string | undefined): Promise<OAuthTokens>;
  forgetTokens(): Promise<void>;
  /** The tokens go with it: they are the client's. */
  forgetRegistration(): Promise<void>;
  registration(): Promise<OAuthRegistration | undefined>;
  /** Runs work with them alone: no other daemon does so at the same time. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** The current client identity; undefined when a client would have to be registered first. */
  identity(): Promise<ClientIdentity | undefined>;
  /**
   * The client identity for a login; undefined when a client would have to be registered first. @throws OAuthFailure
   * where that is impossible
   */
  identityFor(sdk: OAuthSdk, use: ClientUse): Promise<ClientIdentity | undefined>;
  /** Registers a client for a login. */
  register(sdk: OAuthSdk, fetch: Fetch, use: ClientUse): Promise<ClientIdentity>;
}

export function credentialsAt(
  server: AuthorizationServer,
  { store, id, settings }: Pick<OAuthContext, 'store' | 'id' | 'settings'>,
): Credentials {
  const { client } = settings;
  const key: OAuthKey = { server: id, issuer: server.metadata.issuer };
  let registered: OAuthRegistration | undefined;
  const read = async (): Promise<OAuthRecord> =>
    (await store.get(key).catch(() => {
      throw new OAuthFailure('the logins that were kept cannot be read');
    })) ?? {};
  const clientIdIn = ({ registration }: OAuthRecord): string =>
    client === null ? (registration?.clientId ?? '') : configuredIdentity(client, server).information.client_id;
  const forgetTokens = async (): Promise<void> => {
    const { registration } = await read();
    if (registration === undefined) await store.delete(key);
    else await store.set(key, { registration });
  };

  return {
    async tokens() {
      const record = await read();
      const { tokens } = record;
      const isOurs = tokens?.resource === server.resource && tokens.clientId === clientIdIn(record);
      if (tokens !== undefined && !isOurs) await forgetTokens();
      return isOurs ? tokens : undefined;
    },
    async keep(answer, asked) {
      const record = { ...(await read()), ...(registered === undefined ? {} : { registration: registered }) };
      const tokens = toTokens(answer, asked, { resource: server.resource, clientId: clientIdIn(record) });
      await store.set(key, { ...record, tokens }).catch(() => {
        throw new OAuthFailure('the tokens could not be kept');
      });
      await store.deleteOthers(key);
      return tokens;
    },
    forgetTokens,
    exclusively: (work) => store.exclusively(key, work),
    forgetRegistration: () => store.delete(key),
    registration: async () => (client === null ? (await read()).registration : undefined),
    async identity() {
      if (client !== null) return configuredIdentity(client, server);
      const { registration } = await read();
      return registration === undefined || isExpired(registration, Date.now())
        ? undefined
        : registeredIdentity(registration);
    },
    async identityFor(sdk, use) {
      if (client !== null) return configuredIdentity(client, server);
      const { registration: known } = await read();
      if (known !== undefined && isUsable(sdk, known, use, Date.now())) return registeredIdentity(known);
      refuseWithoutRegistration(server);
      return undefined;
    },
    async register(sdk, fetch, use) {
      const { tokens } = await read();
      registered = await register(sdk, fetch, server, use);
      // Tokens are renewed by the client that got them, so that one stays until the login has brought others.
      if (tokens === undefined) await store.set(key, { registration: registered });
      return registeredIdentity(registered);
    },
  };
}

function toTokens(
  answer: TokenAnswer,
  asked: string | undefined,
  use: Pick<OAuthTokens, 'resource' | 'clientId'>,
): OAuthTokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresInSecs } = answer;
  const scope = [asked, answer.scope].filter((text) => text !== undefined).join(' ');
  return {
    accessToken,
    ...use,
    expiresAtEpochMs: expiresInSecs === undefined ? null : Date.now() + expiresInSecs * 1000,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scope === '' ? {} : { scope: [...new Set(scope.split(' '))].join(' ') }),
  };
}
