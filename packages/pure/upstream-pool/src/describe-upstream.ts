// A server as it is shown: its connection, its circuit, its queue, in the wire's words. It changes nothing.
import type { ServerInfo, ServerTraits, UpstreamDefinitions } from '@portico/contracts';
import type { AdmissionQueue } from './admission-queue.js';
import type { Breaker } from './breaker.js';
import type { ConnectionState } from './connection.js';
import type { PendingLogin } from './session.js';

export function whyUnreachable(id: string, connection: ConnectionState): string {
  const { status } = connection;
  const isPlain = status === 'connecting' || status === 'connected' || status === 'idle';
  return `server "${id}" is ${status}${isPlain ? '' : `: ${lastErrorOf(connection)}`}`;
}

export function describeCircuit(breaker: Breaker): ServerInfo['circuit'] {
  const { status: state, failures: consecutive_failures } = breaker.state();
  return { state, consecutive_failures, remaining_ms: breaker.remainingMs() };
}

export function describeQueue({ waiting, inFlight }: AdmissionQueue): Pick<ServerInfo, 'queued' | 'running'> {
  return { queued: waiting(), running: inFlight() };
}

/** A server over HTTP is no process of ours: it is connected to again, and never restarted. */
export function describeRestarts(
  kind: ServerInfo['transport'],
  count: number,
): Pick<ServerInfo, 'restarts' | 'reconnects'> {
  return kind === 'stdio' ? { restarts: count } : { restarts: 0, reconnects: count };
}

export function describeConnection(connection: ConnectionState) {
  const { status } = connection;
  if (status === 'connected') {
    const { protocolVersion, pid } = connection.session;
    const processes = connection.session.processes?.() ?? 1;
    const known = { status, protocol_version: protocolVersion, ...(pid === undefined ? {} : { pid }) };
    const several = processes > 1 ? { processes } : {};
    return { ...known, ...several, ...describeLogin(loginAwaited(connection)) };
  }
  if (status === 'connecting') return { status, protocol_version: null };
  if (status === 'idle') {
    const { lastError } = connection;
    return { status, protocol_version: null, ...(lastError === undefined ? {} : { last_error: lastError }) };
  }
  const login = describeLogin(loginAwaited(connection));
  const givenUp = connection.status === 'disabled' && connection.isGivenUp ? { given_up: true } : {};
  return { status, protocol_version: null, ...givenUp, last_error: lastErrorOf(connection), ...login };
}

/** The login that a person has to make, for the server or for more of it. */
export function loginAwaited(connection: ConnectionState): PendingLogin | undefined {
  if (connection.status === 'connected') return connection.session.login?.();
  return connection.status === 'degraded' ? connection.login : undefined;
}

function describeLogin(login: PendingLogin | undefined): Pick<ServerInfo, 'login_url'> {
  const link = login?.link() ?? null;
  return link === null ? {} : { login_url: link };
}

/** Why the server is not connected, or how its last run failed. */
export function lastErrorIn(connection: ConnectionState): string | undefined {
  const { status } = connection;
  if (status === 'connecting' || status === 'connected') return undefined;
  return status === 'idle' ? connection.lastError : lastErrorOf(connection);
}

type Failed = Exclude<ConnectionState, { readonly status: 'connecting' | 'connected' | 'idle' }>;

/** A link in it is never one that leads nowhere any more. */
function lastErrorOf(connection: Failed): string {
  const isStale = connection.status === 'degraded' && connection.login?.link() === null;
  return isStale
    ? 'waits for a login; the link has expired, and the next request for it brings a new one'
    : connection.lastError;
}

/** Facts about a server from an earlier session, or from an earlier run of its program. */
export interface KnownServer {
  readonly counts: Pick<ServerInfo, 'tools' | 'resources' | 'prompts' | 'definition_problems'>;
  readonly traits: ServerTraits;
}

/** Counts of what a server has, and problems of its definitions. */
export function countOf(definitions: UpstreamDefinitions): KnownServer['counts'] {
  const { tools, resources, resourceTemplates, prompts, problems } = definitions;
  return {
    tools: tools.length,
    resources: resources.length + resourceTemplates.length,
    prompts: prompts.length,
    ...(problems === undefined ? {} : { definition_problems: [...problems] }),
  };
}
