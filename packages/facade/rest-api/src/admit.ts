// Lets in who may use a route. What needs an admin says so in the route table; what belongs to administration by its
// path needs one whatever the table says.
import { type Authentication, challengeOf, type Identity } from '@portico/control-plane';
import type { Refusal } from './answer.js';
import { routesAt } from './route-table.js';

export type Admission =
  | { readonly kind: 'admitted'; readonly identity: Identity }
  /** `identity` is there for somebody known who may not do this. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly identity?: Identity };

const administration = /^\/v1\/(config|clients|audit)(\/|$)/;

/** Whether the route is answered to everybody. */
export function isOpen(method: string, path: string): boolean {
  return accessAt(method, path).includes('open');
}

/** Whether it makes a difference for the route who asks, be it open or not. */
export function asksWho(method: string, path: string): boolean {
  return !isOpen(method, path) || routesFor(method, path).some(({ tellsCallersMore }) => tellsCallersMore === true);
}

/** @param isAdmin tells of a role that exists */
export function admit(
  authentication: Authentication,
  isAdmin: (role: string | null) => boolean,
  method: string,
  path: string,
): Admission {
  if (authentication.kind === 'refused') return { kind: 'refused', refusal: toRefusal(authentication) };
  const { identity } = authentication;
  if (!needsAdmin(method, path) || isAdmin(identity.role)) return { kind: 'admitted', identity };
  const message = `the role "${identity.role}" may not use ${method} ${path}; it needs an admin role`;
  return { kind: 'refused', refusal: { code: 'POLICY_DENIED', status: 403, message }, identity };
}

function needsAdmin(method: string, path: string): boolean {
  return administration.test(path) || accessAt(method, path).includes('admin');
}

function accessAt(method: string, path: string) {
  return routesFor(method, path).map(({ access }) => access);
}

function routesFor(method: string, path: string) {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  return routesAt(path).filter((route) => route.method === asked);
}

function toRefusal(refused: Extract<Authentication, { readonly kind: 'refused' }>): Refusal {
  const { status, message } = refused;
  const headers = status === 401 ? { 'WWW-Authenticate': challengeOf(refused) } : {};
  return { code: 'POLICY_DENIED', status, message, headers };
}
