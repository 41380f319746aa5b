// The table of rules: who named an address, in which class it is, and whether Portico connects to it. Nothing else in
// Portico decides that.
import type { NameableClass } from '@portico/contracts';
import type { AddressClass } from './address-class.js';
import { EgressRefused } from './egress-refused.js';

/** The destinations that one upstream server may lead Portico to. */
export interface UpstreamSettings {
  readonly allowPrivateMetadata: boolean;
  readonly allowedAddressClasses: readonly NameableClass[];
}

/** Where a request goes, as its URL names it. */
export interface Destination {
  readonly protocol: string;
  /** Without the brackets of IPv6. */
  readonly hostname: string;
  readonly port: number;
}

/** One address that a destination leads to. */
export interface Lead {
  readonly destination: Destination;
  readonly address: string;
  readonly class: AddressClass;
  /** Portico listens there itself. */
  readonly isOwn: boolean;
}

/** The origin of the address, and the known facts about the server. */
export interface UpstreamCase {
  /** The operator wrote this origin into the configuration; else the upstream named it. */
  readonly isConfigured: boolean;
  /** The farthest class that the server's own addresses were in; undefined before any is known. */
  readonly home: AddressClass | undefined;
  readonly settings: UpstreamSettings;
}

/** Null if an address may be used that the operator configured for Portico itself: a webhook, a SIEM, keys, models. */
export function judgeOperator(lead: Lead): EgressRefused | null {
  return lead.isOwn ? ownListener(lead) : null;
}

/**
 * Null if an address may be used for an upstream server. An address at the server's own origin may be public, or in
 * the server's known class; other addresses must use https beyond loopback.
 */
export function judgeUpstream(lead: Lead, { isConfigured, home, settings }: UpstreamCase): EgressRefused | null {
  const { class: found, destination } = lead;
  if (lead.isOwn) return ownListener(lead);
  if (found === 'link-local') return settings.allowPrivateMetadata ? null : linkLocal(destination.hostname);
  if (found !== 'public' && found !== home && !settings.allowedAddressClasses.includes(found)) {
    return isConfigured ? movedAddress(lead, found, home) : namedAddress(lead, found, home);
  }
  const isPlain = destination.protocol === 'http:' && found !== 'loopback';
  return isPlain && !isConfigured ? httpsOnly(leadText(lead)) : null;
}

const metadataNames = new Set(['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal']);

/** Names of metadata services are refused without resolving them. */
export function judgeName({ hostname }: Destination, settings: UpstreamSettings): EgressRefused | null {
  const name = hostname.replace(/\.$/, '').toLowerCase();
  return !settings.allowPrivateMetadata && metadataNames.has(name) ? linkLocal(name) : null;
}

/** Names whose addresses are not known yet: without https they would have to be names of this machine. */
export function judgeScheme(destination: Destination): EgressRefused | null {
  return destination.protocol === 'http:' ? httpsOnly(placeOf(destination)) : null;
}

const placeOf = ({ hostname, port }: Destination): string =>
  `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;

/** The host, with the address that it leads to where that is another text. */
function leadText({ destination, address }: Pick<Lead, 'destination' | 'address'>): string {
  const { hostname } = destination;
  return hostname === address ? placeOf(destination) : `${placeOf(destination)} (${address})`;
}

export function ownListener(lead: Pick<Lead, 'destination' | 'address'>): EgressRefused {
  const message = `${leadText(lead)} is a listener of Portico itself, which Portico never connects to (rule own-listener); no setting allows it, use another address`;
  return new EgressRefused('own-listener', message);
}

function linkLocal(hostname: string): EgressRefused {
  const message = `${hostname} is a link-local or cloud-metadata address (rule link-local); set allowPrivateMetadata: true of the server to allow it`;
  return new EgressRefused('link-local', message);
}

function namedAddress(lead: Lead, found: NameableClass, home: AddressClass | undefined): EgressRefused {
  const of = home === undefined ? 'whose own address is not known yet' : `with a ${home} address`;
  const message = `${leadText(lead)} is a ${found} address, which a server ${of} may not name (rule named-address); add "${found}" to allowedAddressClasses of the server to allow it`;
  return new EgressRefused('named-address', message);
}

function movedAddress(lead: Lead, found: NameableClass, home: AddressClass | undefined): EgressRefused {
  const message = `${leadText(lead)} is a ${found} address, but the host was at a ${home} address (rule moved-address); add "${found}" to allowedAddressClasses of the server to allow it`;
  return new EgressRefused('moved-address', message);
}

function httpsOnly(place: string): EgressRefused {
  const message = `${place} is beyond loopback and named for a login without https (rule https-only); no setting allows it, the authorization server must use https`;
  return new EgressRefused('https-only', message);
}
