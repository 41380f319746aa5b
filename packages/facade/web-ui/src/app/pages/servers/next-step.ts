// The next step for a person with a server that does not work. Only computations.
import { type ServerInfo, shownStatus } from '@portico/contracts';

/** A sentence; undefined if nothing has to be done. */
export function nextStepOf(server: ServerInfo): string | undefined {
  if (server.login_url !== undefined) return 'Open the link and log in; the server connects by itself then.';
  switch (shownStatus(server)) {
    case 'crashed':
      return 'Read its last lines below, change its configuration where they say so, and restart it.';
    case 'degraded':
    case 'reconnecting':
      return 'It is tried again by itself. Its last lines below say why it could not be reached.';
    case 'disabled':
      return 'It is switched off in the configuration: edit it to use it.';
    default:
      return server.circuit.state === 'open'
        ? 'Calls are refused until the circuit lets one through. Restart the server to close it.'
        : undefined;
  }
}
