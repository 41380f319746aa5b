// The refusal of a caller that may not use a route.
import { type Authentication, challengeOf, type Identity } from '@portico/control-plane';
import { callerRole, otherUserRole } from '@portico/policy-engine';
import type { Refusal } from './answer.js';
import type { Exchange } from './exchange.js';

export interface RefusedEntry {
  readonly refusal: Refusal;
  /** The identity of a caller that may not do this. */
  readonly identity?: Identity;
}

/** Why a caller may not use a route: it is not identified, or has no admin role where one is needed. */
export function refuseEntry(
  authentication: Authentication,
  { method, path }: Pick<Exchange, 'method' | 'path'>,
): RefusedEntry {
  if (authentication.kind === 'refused') return { refusal: toRefusal(authentication) };
  const { identity } = authentication;
  if (identity.role === callerRole) return { refusal: needsOperator(method, path), identity };
  if (identity.role === otherUserRole) return { refusal: isForOperator(method, path), identity };
  const message = `the role "${identity.role}" may not use ${method} ${path}; it needs an admin role`;
  return { refusal: { code: 'POLICY_DENIED', status: 403, message }, identity };
}

function toRefusal(refused: Extract<Authentication, { readonly kind: 'refused' }>): Refusal {
  const { status, message } = refused;
  const headers = status === 401 ? { 'WWW-Authenticate': challengeOf(refused) } : {};
  return { code: 'POLICY_DENIED', status, message, headers };
}

/** Nothing was proved yet, so it can be asked for. */
function needsOperator(method: string, path: string): Refusal {
  const message = `${method} ${path} needs the operator token (access.operatorToken): the portico command sends it by itself, portico ui opens the console, and programs read the file operator-token of the state directory`;
  const headers = { 'WWW-Authenticate': challengeOf({ kind: 'refused', status: 401, message, hasToken: false }) };
  return { code: 'POLICY_DENIED', status: 401, message, headers };
}

/** By another user of this machine. */
function isForOperator(method: string, path: string): Refusal {
  const message = `${method} ${path} is for the user of the daemon: access.otherUsers admits calls of other users, and administration needs the operator token (access.operatorToken)`;
  return { code: 'POLICY_DENIED', status: 403, message };
}
