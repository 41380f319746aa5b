// A server as it is shown: its connection, its circuit, its queue, in the wire's words. It changes nothing.
import type { ServerInfo, UpstreamDefinitions } from '@portico/contracts';
import type { AdmissionQueue } from './admission-queue.js';
import type { Breaker } from './breaker.js';
import type { ConnectionState } from './connection.js';
import type { PendingLogin } from './session.js';

export function whyUnreachable(id: string, connection: ConnectionState): string {
  return `server "${id}" is ${connection.status}${'lastError' in connection ? `: ${lastErrorOf(connection)}` : ''}`;
}

export function describeCircuit(breaker: Breaker): ServerInfo['circuit'] {
  const { status: state, failures: consecutive_failures } = breaker.state();
  return { state, consecutive_failures, remaining_ms: breaker.remainingMs() };
}

export function describeQueue({ waiting, inFlight }: AdmissionQueue): Pick<ServerInfo, 'queued' | 'running'> {
  return { queued: waiting(), running: inFlight() };
}

export function describeConnection(connection: ConnectionState) {
  const { status } = connection;
  if (status === 'connected') {
    const { protocolVersion, pid } = connection.session;
    const known = { status, protocol_version: protocolVersion, ...(pid === undefined ? {} : { pid }) };
    return { ...known, ...describeLogin(loginAwaited(connection)) };
  }
  if (status === 'connecting') return { status, protocol_version: null };
  const login = describeLogin(loginAwaited(connection));
  return { status, protocol_version: null, last_error: lastErrorOf(connection), ...login };
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

/** A link in it is never one that leads nowhere any more. */
function lastErrorOf(connection: Exclude<ConnectionState, { readonly status: 'connecting' | 'connected' }>): string {
  const isStale = connection.status === 'degraded' && connection.login?.link() === null;
  return isStale
    ? 'waits for a login; the link ran out, and whoever asks for it brings a new one'
    : connection.lastError;
}

export function countOf({ tools, resources, resourceTemplates, prompts }: UpstreamDefinitions) {
  return { tools: tools.length, resources: resources.length + resourceTemplates.length, prompts: prompts.length };
}
