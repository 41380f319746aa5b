// Who asks, and through which view.
import type { Caller } from '@portico/control-plane';
import type { Context } from 'hono';

/** Everybody who reaches the service, by loopback or with its one token, is the same principal. */
const principal = 'local';

export function callerOf(c: Context): Caller {
  return { principal, profile: profileOf(c) };
}

/**
 * The header wins over the query; null where neither is there. An empty name is a name that does not exist, never the
 * whole catalog.
 */
export function profileOf(c: Context): string | null {
  return c.req.header('X-Service-Profile') ?? c.req.query('profile') ?? null;
}
