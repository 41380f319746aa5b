// Whether the kernel still has a connection, asked at this moment. Node tells of a reset when it reads next, and keeps the
// addresses that it was asked for once.
import type { Connection } from '@portico/control-plane';

interface Handle {
  getpeername?(into: object): number;
}

/**
 * By getpeername(2), which fails with ENOTCONN from a reset on. `net.Socket` has no public way to it that asks anew; where
 * Node has none at all the connection is taken for a closed one.
 */
export function isConnected(connection: Connection): boolean {
  const { _handle: handle }: { readonly _handle?: Handle | null } = connection; // a `net.Socket`, or something without a handle
  return handle?.getpeername?.({}) === 0;
}
