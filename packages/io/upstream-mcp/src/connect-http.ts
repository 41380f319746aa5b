// Opens a session to an HTTP server: 2026-07-28, else a session of 2025-11-25, else the older HTTP+SSE transport.
import type { HttpServer } from '@portico/contracts';
import type { Egress } from '@portico/egress';
import { loginOf, type PendingLogin } from '@portico/upstream-pool';
import { type Attempt, type Established, establish } from './attempt.js';
import { headersToSend, requestHeaders } from './auth-headers.js';
import type { Environment } from './child-env.js';
import type { Verdict } from './era-memory.js';
import { HttpFailure, messageOf, placeOf, unreachable } from './failures.js';
import { createHttpClient, type HttpClient } from './http-client.js';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.js';
import { type Agreement, type Connection, initialize, probe } from './negotiate.js';
import { createAuthorizedClient } from './oauth/authorized-client.js';
import type { OAuth } from './oauth/oauth.js';
import { oauthSettings } from './oauth/settings.js';
import type { ServerGuards } from './server-guards.js';
import { openSseTransport } from './sse-transport.js';

export interface HttpOptions {
  readonly id: string;
  readonly server: HttpServer;
  readonly oauth: OAuth;
  readonly guards: ServerGuards;
  readonly egress: Pick<Egress, 'lookup'>;
  readonly env: Environment;
  readonly remembered: Verdict | undefined;
}

export type HttpEstablished = Established & {
  readonly verdict: Verdict;
  /** The login that is awaited for more than the session may do so far. */
  readonly login?: () => PendingLogin | undefined;
};

/** @throws UpstreamFailure */
export async function connectHttp(
  { id, server, env, oauth, guards, egress, remembered }: HttpOptions,
  attempt: Pick<Attempt, 'clientInfo' | 'declared' | 'events' | 'parseLarge' | 'frames' | 'signal'>,
): Promise<HttpEstablished> {
  const { signal } = attempt;
  const headers = requestHeaders(server, env);
  const url = withoutCredentials(server.url);
  const settings = oauthSettings(server, url, headers, env);
  const guard = guards.of(id, server);
  const auth = settings === null ? null : oauth.of(id, settings, guard);
  const authorized = (client: HttpClient) => (auth === null ? client : createAuthorizedClient(client, auth));
  const login = auth === null ? {} : { login: auth.login };
  const sent = headersToSend(headers);
  const options = (): HttpTransportOptions => {
    const client = createHttpClient({ guard, lookup: egress.lookup });
    return { client: authorized(client), url, headers: sent };
  };

  const connectSse = async (): Promise<HttpEstablished> => {
    const established = await establish({
      ...attempt,
      openTransport: (events) => openSseTransport(options(), events, signal),
      negotiate: (connection) => initialize(connection, signal),
    });
    return { ...established, ...login, verdict: 'sse' };
  };

  const negotiate = async (connection: Connection): Promise<Agreement> => {
    const asksFirst = server.protocolVersion === '2026-07-28' && remembered !== 'legacy';
    const agreement = (asksFirst ? await probe(connection, signal) : null) ?? (await initialize(connection, signal));
    if (agreement.era === 'legacy' && !server.allowStateless && connection.transport.sessionId() === undefined) {
      throw unreachable(`${placeOf(url)} answered without a session id; set allowStateless: true to use it`, false);
    }
    return agreement;
  };

  if (remembered === 'sse') return connectSse();
  try {
    const openTransport: Attempt['openTransport'] = (events) => createHttpTransport(options(), events);
    const established = await establish({ ...attempt, openTransport, negotiate });
    return { ...established, ...login, verdict: established.agreement.era };
  } catch (error) {
    if (!mayBeOlder(error) || signal.aborted) throw error;
    return connectSse().catch((sseError) => {
      if (loginOf(sseError) !== undefined) throw sseError;
      throw unreachable(`${messageOf(error)}; nor is it an HTTP+SSE server: ${messageOf(sseError)}`, false, sseError);
    });
  }
}

/** The statuses after which the specification has a client try the older transport. */
const mayBeOlder = (error: unknown): boolean =>
  error instanceof HttpFailure && error.status !== null && [400, 404, 405].includes(error.status);

/** Credentials in the URL have become a header by now. */
function withoutCredentials(address: string): URL {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}
