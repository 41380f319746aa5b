// Tells when a caller went away before its answer was there.
import { type AbortSignalLike, AbortSource } from '@portico/async';

/** The part of Node's ServerResponse that says so. */
export interface Outgoing {
  readonly closed: boolean;
  readonly writableFinished: boolean;
  on(event: 'close', listener: () => void): unknown;
}

const goneAway = new Error('the caller went away');

/** A signal that aborts when the connection closes before the answer has been handed to it. */
export function abandonSignalOf(outgoing: Outgoing): AbortSignalLike {
  const abandoned = new AbortSource();
  const onClose = () => {
    if (!outgoing.writableFinished) abandoned.abort(goneAway);
  };
  if (outgoing.closed) onClose();
  else outgoing.on('close', onClose);
  return abandoned;
}
