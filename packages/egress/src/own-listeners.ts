// The sockets that Portico itself listens on. A request that it sends must not arrive there.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { classOf, ipv4In, withoutZone } from './address-class.js';

export interface OwnListeners {
  /** A port that is listened on, until the returned function is called. The address it is bound to does not matter. */
  add(port: number): () => void;
  /** Whether Portico listens on the port. */
  has(port: number): boolean;
  /** Whether a connection to the address and port may arrive at a listener of Portico. */
  isOwn(address: string, port: number): boolean;
}

/** @param interfaceAddresses of this machine, at the moment */
export function createOwnListeners(interfaceAddresses: () => readonly string[]): OwnListeners {
  const listeners = new Map<number, number>(); // how many listen on a port: one for each address, at most
  return {
    add(port) {
      listeners.set(port, (listeners.get(port) ?? 0) + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (listeners.get(port) ?? 1) - 1;
        if (left === 0) listeners.delete(port);
        else listeners.set(port, left);
      };
    },
    has: (port) => listeners.has(port),
    isOwn: (address, port) => listeners.has(port) && isThisMachine(address, interfaceAddresses),
  };
}

/** A port that is bound to one of its addresses is taken for bound to all: `0.0.0.0`, `::` and mapped forms lead there. */
export function isThisMachine(address: string, interfaceAddresses: () => readonly string[]): boolean {
  if (classOf(address) === 'loopback') return true;
  const own = new BlockList();
  for (const text of interfaceAddresses()) {
    const plain = withoutZone(text);
    own.addAddress(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
  }
  const bare = withoutZone(address);
  const plain = ipv4In(bare) ?? bare;
  return own.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
}

export function systemInterfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}
