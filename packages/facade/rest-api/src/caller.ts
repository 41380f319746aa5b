// Who asks, and through which view. The guard has found out before any route is reached.
import type { Caller, ControlPlane, Identity } from '@portico/control-plane';
import type { Viewer } from '@portico/policy-engine';
import type { Exchange } from './exchange.js';

/** The caller, through the view that the request names. */
export function callerOf(x: Exchange): Caller {
  const { principal, role, actor, actorKind } = identityOf(x);
  return { principal, role, actor, actorKind, profile: profileOf(x) };
}

/** Through which view the role looks at what is not divided by profiles. */
export function roleViewerOf(x: Exchange): Viewer {
  return { role: identityOf(x).role, profile: null };
}

/** Who must own what is shown; undefined for admins, who see what is anybody's. */
export function ownerOf(x: Exchange, plane: ControlPlane): Caller | undefined {
  const identity = identityOf(x);
  return plane.state().policy.isAdmin(identity.role) ? undefined : { ...identity, profile: null };
}

/** Whether somebody asks who could use a route that is not open. */
export function isSomebody(x: Exchange): boolean {
  return x.identity !== undefined;
}

/** @throws Error on a route that is open to everybody, where nobody may be known */
export function identityOf(x: Exchange): Identity {
  const { identity } = x;
  if (identity === undefined) throw new Error(`${x.path} is an open route: its caller is not identified`);
  return identity;
}

/**
 * The header wins over the query; null where neither is there. An empty name is a name that does not exist, never the
 * whole catalog.
 */
function profileOf(x: Exchange): string | null {
  return x.header('x-service-profile') ?? x.query('profile') ?? null;
}
