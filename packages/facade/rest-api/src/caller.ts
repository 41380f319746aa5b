// Who asks, and through which view. The guard has found out before any route is reached.
import type { Caller, ControlPlane, Identity } from '@portico/control-plane';
import type { Viewer } from '@portico/policy-engine';
import type { Context } from 'hono';

/** Where a request keeps who it comes from. */
const identityKey = 'identity';

export function setIdentity(c: Context, identity: Identity): void {
  c.set(identityKey, identity);
}

/** The caller, through the view that the request names. */
export function callerOf(c: Context): Caller {
  return { ...identityOf(c), profile: profileOf(c) };
}

/** Through which view the role looks at what is not divided by profiles. */
export function roleViewerOf(c: Context): Viewer {
  return { role: identityOf(c).role, profile: null };
}

/** Who must own what is shown; undefined for admins, who see what is anybody's. */
export function ownerOf(c: Context, plane: ControlPlane): Caller | undefined {
  const identity = identityOf(c);
  return plane.state().policy.isAdmin(identity.role) ? undefined : { ...identity, profile: null };
}

/** Whether somebody asks who could use a route that is not open. */
export function isSomebody(c: Context): boolean {
  return c.get(identityKey) !== undefined;
}

/** @throws Error on a route that is open to everybody, where nobody may be known */
export function identityOf(c: Context): Identity {
  const identity: Identity | undefined = c.get(identityKey);
  if (identity === undefined) throw new Error(`${c.req.path} is open to everybody, and knows nobody`);
  return identity;
}

/**
 * The header wins over the query; null where neither is there. An empty name is a name that does not exist, never the
 * whole catalog.
 */
function profileOf(c: Context): string | null {
  return c.req.header('X-Service-Profile') ?? c.req.query('profile') ?? null;
}
