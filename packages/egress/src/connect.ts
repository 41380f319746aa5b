// Opens sockets for undici, to addresses that a guard admits. The check sits in the lookup of the socket itself, so that
// an address cannot change between check and connect; addresses that need no lookup are checked right before.
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import type { EgressGuard } from './guard.js';
import type { Destination } from './rules.js';
import { loadUndici } from './undici.js';

export type Lookup = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface ConnectOptions {
  /** That of the system by default. */
  readonly lookup?: Lookup | undefined;
  /** Limit of connecting, ms; 0 for none. */
  readonly timeout: number;
}

/** The function by which undici opens the sockets to one origin. */
export function createConnect(
  guard: EgressGuard,
  destination: Destination,
  { lookup = systemLookup, timeout }: ConnectOptions,
): buildConnector.connector {
  const open = loadUndici().buildConnector({ timeout, lookup: createLookup(guard, destination, lookup) });
  const isLiteral = isIP(destination.hostname) !== 0;
  return (options, done) => {
    try {
      guard.admit(destination, isLiteral ? [destination.hostname] : []); // of a name, what stands in it
    } catch (error) {
      queueMicrotask(() => done(error as Error, null)); // a guard throws errors only
      return;
    }
    return open(options, (error, socket) => {
      if (error !== null) return done(error, null);
      try {
        guard.confirm(destination, socket);
      } catch (refused) {
        socket.destroy();
        return done(refused as Error, null); // a guard throws errors only
      }
      done(null, socket);
    });
  };
}

function createLookup(guard: EgressGuard, destination: Destination, lookup: Lookup): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, []);
      try {
        const admitted = guard.admit(
          destination,
          found.map(({ address }) => address),
        );
        const usable = found.filter(({ address }) => admitted.includes(address));
        const [first] = usable;
        if (options.all || first === undefined) return done(null, usable);
        done(null, first.address, first.family);
      } catch (refused) {
        done(refused as Error, []); // a guard throws errors only
      }
    });
  };
}
