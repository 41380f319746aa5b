// Applies the rules to the addresses that a socket is about to use. It remembers one thing of a server: how far away its
// own addresses were, so that a host which once was on the internet does not become a neighbour (DNS rebinding).
import { isIP } from 'node:net';
import { type AddressClass, classOf } from './address-class.js';
import type { EgressRefused } from './egress-refused.js';
import { isThisMachine, type OwnListeners } from './own-listeners.js';
import {
  type Destination,
  judgeName,
  judgeOperator,
  judgeScheme,
  judgeUpstream,
  type Lead,
  ownListener,
  type UpstreamSettings,
} from './rules.js';

export interface EgressGuard {
  /**
   * The addresses of these that may be connected to for the destination.
   * @throws EgressRefused when none may, and when one leads to Portico itself or to cloud metadata
   */
  admit(destination: Destination, addresses: readonly string[]): readonly string[];
  /**
   * Looks at the ends of a socket before anything is sent over it: where they are one address it leads to this machine,
   * also by the address of an interface that is down, which no list of addresses has.
   * @throws EgressRefused when it leads to Portico itself
   */
  confirm(destination: Destination, ends: SocketEnds): void;
}

export interface SocketEnds {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
}

export interface UpstreamGuard extends EgressGuard {
  /**
   * Refuses a URL that the server named as far as can be said without DNS: by its scheme, and by the address that
   * stands in it. For URLs that a browser opens, which no socket of Portico guards, and for refusals ahead of time.
   * @throws EgressRefused
   */
  screen(url: URL): void;
}

export interface GuardDeps {
  readonly own: OwnListeners;
  readonly interfaceAddresses: () => readonly string[];
}

/** From the nearest to the farthest. */
const distances: readonly AddressClass[] = ['loopback', 'link-local', 'private', 'reserved', 'public'];

/** For addresses that the operator configured for Portico itself. */
export function createOperatorGuard(deps: GuardDeps): EgressGuard {
  return {
    admit: (destination, addresses) => select(toLeads(deps, destination, addresses), judgeOperator),
    confirm: (destination, ends) => confirm(deps, destination, ends),
  };
}

/** @param origin that the operator configured: the server's own, or that of its authorization server */
export function createUpstreamGuard(deps: GuardDeps, origin: URL, settings: UpstreamSettings): UpstreamGuard {
  const configured = destinationOf(origin);
  let home: AddressClass | undefined;

  const isConfigured = ({ protocol, hostname, port }: Destination) =>
    protocol === configured.protocol && hostname === configured.hostname && port === configured.port;

  /** Once farther away, always farther away. */
  const learn = (leads: readonly Lead[]) => {
    for (const lead of leads) {
      if (home === undefined || distances.indexOf(lead.class) > distances.indexOf(home)) home = lead.class;
    }
  };
  if (isIP(configured.hostname) !== 0) learn(toLeads(deps, configured, [configured.hostname]));
  if (isLocalName(configured.hostname)) home = 'loopback';

  const admit = (destination: Destination, addresses: readonly string[]): readonly string[] => {
    const refused = judgeName(destination, settings);
    if (refused !== null) throw refused;
    const leads = toLeads(deps, destination, addresses);
    const isOwnOrigin = isConfigured(destination);
    if (isOwnOrigin) learn(leads);
    return select(leads, (lead) => judgeUpstream(lead, { isConfigured: isOwnOrigin, home, settings }));
  };

  return {
    admit,
    confirm: (destination, ends) => confirm(deps, destination, ends),
    screen(url) {
      const destination = destinationOf(url);
      const { hostname } = destination;
      const addresses = isIP(hostname) !== 0 ? [hostname] : isLocalName(hostname) ? ['127.0.0.1'] : [];
      admit(destination, addresses);
      const refused = addresses.length === 0 && !isConfigured(destination) ? judgeScheme(destination) : null;
      if (refused !== null) throw refused;
    },
  };
}

/** Protocol, host without brackets, and port of a URL; the port defaults to 443 or 80. */
export function destinationOf({ protocol, hostname, port }: URL): Destination {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
}

/** Names of this machine (RFC 6761, section 6.3). */
function isLocalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '').toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost');
}

function toLeads(
  { own, interfaceAddresses }: GuardDeps,
  destination: Destination,
  addresses: readonly string[],
): readonly Lead[] {
  return addresses.map((address) => {
    const found = classOf(address);
    // A public address of this machine leads to what listens on all of its addresses, behind any firewall.
    const isHere = found === 'public' && isThisMachine(address, interfaceAddresses);
    return {
      destination,
      address,
      class: isHere ? 'loopback' : found,
      isOwn: own.isOwn(address, destination.port),
    };
  });
}

function confirm({ own }: GuardDeps, destination: Destination, { localAddress, remoteAddress }: SocketEnds): void {
  if (remoteAddress === undefined || localAddress !== remoteAddress || !own.has(destination.port)) return;
  throw ownListener({ destination, address: remoteAddress });
}

function select(leads: readonly Lead[], judge: (lead: Lead) => EgressRefused | null): readonly string[] {
  const refusals: EgressRefused[] = [];
  const admitted: string[] = [];
  for (const lead of leads) {
    const refused = judge(lead);
    if (refused?.rule === 'own-listener' || refused?.rule === 'link-local') throw refused;
    if (refused === null) admitted.push(lead.address);
    else refusals.push(refused);
  }
  const [first] = refusals;
  if (admitted.length === 0 && first !== undefined) throw first;
  return admitted;
}
