// Tells when a caller went away before its answer was there.
import type { Context } from 'hono';

/** The part of Node's ServerResponse that says so; the Node adapter puts it into the environment of each request. */
interface Outgoing {
  readonly closed: boolean;
  readonly writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
}

const goneAway = new Error('the caller went away');

/**
 * A signal that aborts when the caller disconnects. The request's own signal does the same, but asking for it makes
 * the Node adapter build a whole Request, which costs more than the rest of a call.
 */
export function abandonSignal(c: Context): AbortSignal {
  const outgoing: Outgoing | undefined = c.env?.outgoing;
  if (outgoing === undefined) return c.req.raw.signal;
  const control = new AbortController();
  const onClose = () => {
    if (!outgoing.writableFinished) control.abort(goneAway);
  };
  if (outgoing.closed) onClose();
  else outgoing.once('close', onClose);
  return control.signal;
}
