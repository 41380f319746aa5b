// Everything that Portico itself sends over HTTP leaves through one of these: the listeners that are its own, and the
// guards of those who name addresses.
import type { ConnectOptions, Lookup } from './connect.js';
import { createFetch } from './fetch.js';
import { createOperatorGuard, createUpstreamGuard, type UpstreamGuard } from './guard.js';
import { createOwnListeners, type OwnListeners, systemInterfaceAddresses } from './own-listeners.js';
import type { UpstreamSettings } from './rules.js';

export interface Egress {
  /** Addresses that Portico listens on; no request may connect there. */
  readonly own: OwnListeners;
  /** Resolves names for sockets to upstream servers. */
  readonly lookup: Lookup | undefined;
  /** For addresses that the operator configured for Portico itself: webhooks, SIEM targets, keys of issuers, models. */
  readonly fetch: typeof fetch;
  /**
   * For one server, its own addresses and those that it names. It lives as long as the server is configured, since it
   * remembers where the server was.
   * @param origin that the operator configured
   * @param settings none by default: no link-local address, and no class of addresses but public ones and its own
   */
  upstream(origin: URL, settings?: Partial<UpstreamSettings>): UpstreamGuard;
}

export interface EgressOptions extends Pick<ConnectOptions, 'lookup'> {
  /** Addresses of this machine's interfaces, at the moment. */
  readonly interfaceAddresses?: () => readonly string[];
}

/**
 * Creates the guards of outgoing connections. Each address is checked when its socket is opened, so that a name that resolves
 * to another address later is checked again.
 */
export function createEgress({ lookup, interfaceAddresses = systemInterfaceAddresses }: EgressOptions = {}): Egress {
  const own = createOwnListeners(interfaceAddresses);
  const deps = { own, interfaceAddresses };
  return {
    own,
    lookup,
    fetch: createFetch(createOperatorGuard(deps), { lookup }),
    upstream: (origin, { allowPrivateMetadata = false, allowedAddressClasses = [] } = {}) =>
      createUpstreamGuard(deps, origin, { allowPrivateMetadata, allowedAddressClasses }),
  };
}
