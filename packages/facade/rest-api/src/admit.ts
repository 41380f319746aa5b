// Lets in who may use a route.
import { type Authentication, challengeOf, type Identity } from '@portico/control-plane';
import { callerRole, otherUserRole } from '@portico/policy-engine';
import type { Refusal } from './answer.js';
import type { Exchange } from './exchange.js';
import type { RouteRules } from './route-rules.js';

export type Admission =
  | { readonly kind: 'admitted'; readonly identity: Identity }
  /** `identity` is there for somebody known who may not do this. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly identity?: Identity };

/** @param isAdmin tells of a role that exists */
export function admit(
  authentication: Authentication,
  isAdmin: (role: string | null) => boolean,
  { needsAdmin }: RouteRules,
  { method, path }: Pick<Exchange, 'method' | 'path'>,
): Admission {
  if (authentication.kind === 'refused') return { kind: 'refused', refusal: toRefusal(authentication) };
  const { identity } = authentication;
  if (!needsAdmin || isAdmin(identity.role)) return { kind: 'admitted', identity };
  if (identity.role === callerRole) return { kind: 'refused', refusal: needsOperator(method, path), identity };
  if (identity.role === otherUserRole) return { kind: 'refused', refusal: isForOperator(method, path), identity };
  const message = `the role "${identity.role}" may not use ${method} ${path}; it needs an admin role`;
  return { kind: 'refused', refusal: { code: 'POLICY_DENIED', status: 403, message }, identity };
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
  const message = `${method} ${path} is for the user of the daemon: access.otherUsers admits calls of other users, and no administration without a token`;
  return { code: 'POLICY_DENIED', status: 403, message };
}
