// Which profile a request asks for. An empty name is a name that does not exist, never the whole catalog.
import type { Context } from 'hono';

/** The header wins over the query; null where neither is there. */
export function profileOf(c: Context): string | null {
  return c.req.header('X-Service-Profile') ?? c.req.query('profile') ?? null;
}
