// Unauthenticated callers over loopback that are not the operator. Data only.
import { callerRole, otherUserRole } from '@portico/policy-engine';
import { operator } from '../call/call.js';
import type { Identity } from './authenticator.js';

/** The user of the daemon without the operator token: what the operator calls is theirs too, and they administer nothing. */
export const localCaller: Identity = Object.freeze({ ...operator, role: callerRole });

/** The same, by the configured `authToken`, which is not the operator token. */
export const tokenCaller: Identity = Object.freeze({ ...localCaller, actorKind: 'auth_token' });

/** Another user of this machine, by the number that the system has for them. */
export function otherUser(uid: number): Identity {
  return Object.freeze({ principal: `uid:${uid}`, role: otherUserRole, actor: `uid-${uid}`, actorKind: 'other_user' });
}
