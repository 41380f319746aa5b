// Identifies callers over loopback without a token: the user of the daemon, or another, as the system reports. A
// connection that is known to be of this user costs a look into a set.

import type { LocalAccess } from '@portico/contracts';
import {
  type Authentication,
  type Connection,
  type Identity,
  localCaller,
  operator,
  otherUser,
  provenOperator,
  tokenCaller,
} from '@portico/control-plane';
import type { Peer, PeerCheck } from './peers/peer-check.js';

export async function lookAtPeer(
  { look }: PeerCheck,
  connection: Connection,
  access: LocalAccess,
): Promise<Authentication> {
  const peer = await look(connection);
  if (peer.kind === 'own') return access.operatorToken ? callerAuthentication : operatorAuthentication;
  if (peer.kind === 'other' && access.otherUsers === 'calls') return known(otherUser(peer.uid));
  return { kind: 'refused', status: 403, message: sayRefused(peer), hasToken: false };
}

function sayRefused(peer: Exclude<Peer, { readonly kind: 'own' }>): string {
  if (peer.kind === 'unknown')
    return `without a token the service answers only the user it runs as, and whose this connection is cannot be found out: ${peer.reason}; send the operator token (access.operatorToken) or a token of rbac`;
  return `without a token the service answers only the user it runs as, and this connection is of the user ${peer.uid} (access.otherUsers is "none"; "calls" admits everything but administration)`;
}

function known(identity: Identity): Authentication {
  return Object.freeze({ kind: 'known', identity });
}

export const operatorAuthentication = known(operator);
/** By the operator token, or a session of the console. */
export const provenAuthentication = known(provenOperator);
export const callerAuthentication = known(localCaller);
/** By the `authToken`, where administration needs the operator token. */
export const tokenAuthentication = known(tokenCaller);
