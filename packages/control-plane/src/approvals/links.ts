// Where links to tickets lead: the public address that is configured, else the one that the console is served at.
import { ticketLink } from '@portico/contracts';
import type { PlaneState } from '../state/plane-state.js';

export interface ConsoleAddress {
  /** Address of the console; undefined if no console is served. */
  readonly consoleUrl?: (() => string | undefined) | undefined;
}

/** Origin of the console by the configuration in force; undefined if no console is served. */
export function consoleOriginIn({ consoleUrl }: ConsoleAddress, state: () => PlaneState): () => string | undefined {
  return () => state().config.approvals.publicUrl ?? consoleUrl?.();
}

export function linksIn(deps: ConsoleAddress, state: () => PlaneState): (id: string) => string | undefined {
  const originOf = consoleOriginIn(deps, state);
  return (id) => {
    const origin = originOf();
    return origin === undefined ? undefined : ticketLink(origin, id);
  };
}
