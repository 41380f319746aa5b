// Where Portico may connect to: one table of rules, applied when a socket is opened.
export { type AddressClass, classOf } from './address-class.js';
export { createConnect, type Lookup } from './connect.js';
export { createEgress, type Egress, type EgressOptions } from './egress.js';
export { EgressRefused, type EgressRule, refusalIn } from './egress-refused.js';
export { destinationOf, type EgressGuard, type UpstreamGuard } from './guard.js';
export type { OwnListeners } from './own-listeners.js';
export type { Destination, UpstreamSettings } from './rules.js';
export { loadUndici } from './undici.js';
