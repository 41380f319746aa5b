// How a server is doing as one sentence, and which server needs a look first.
import { type ServerInfo, shownStatus } from '../wire/servers.js';

const order: readonly string[] = ['crashed', 'degraded', 'disabled', 'reconnecting', 'connecting', 'connected', 'idle'];

/** A problem first, then by name. */
export function worstFirst(servers: readonly ServerInfo[]): readonly ServerInfo[] {
  const rank = (server: ServerInfo) => (server.login_url === undefined ? order.indexOf(shownStatus(server)) : 0);
  return [...servers].sort((a, b) => rank(a) - rank(b) || a.id.localeCompare(b.id));
}

/** The problem of a server, in words; undefined without one. */
export function serverReason({ login_url: login, last_error: error, status, circuit }: ServerInfo): string | undefined {
  if (login !== undefined) return 'waits until a person logs in';
  if (status === 'connected' && circuit.state !== 'open') return undefined;
  if (error !== undefined) return error;
  return circuit.state === 'open' ? 'its circuit is open after failures in a row' : undefined;
}

/** Whether nothing brings it back but a person. */
export function hasCrashed({ given_up: isGivenUp }: ServerInfo): boolean {
  return isGivenUp === true;
}

/** Servers that answer calls, or would start for one. */
export function workingServers<T extends Pick<ServerInfo, 'status'>>(servers: readonly T[]): readonly T[] {
  return servers.filter(({ status }) => status === 'connected' || status === 'idle');
}
