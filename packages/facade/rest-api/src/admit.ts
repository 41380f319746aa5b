// Lets in who may use a route.
import { type Authentication, challengeOf, type Identity } from '@portico/control-plane';
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
  const message = `the role "${identity.role}" may not use ${method} ${path}; it needs an admin role`;
  return { kind: 'refused', refusal: { code: 'POLICY_DENIED', status: 403, message }, identity };
}

function toRefusal(refused: Extract<Authentication, { readonly kind: 'refused' }>): Refusal {
  const { status, message } = refused;
  const headers = status === 401 ? { 'WWW-Authenticate': challengeOf(refused) } : {};
  return { code: 'POLICY_DENIED', status, message, headers };
}
