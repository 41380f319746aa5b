// Serves a request when what it is about is known, or is waited for no longer.
import type { About } from './first-wait.js';
import type { Incoming } from './incoming.js';

/** Serves it at once where it has to wait for nothing; else on what its client sees then. */
export function whenKnown<T>(
  incoming: Incoming,
  about: () => About,
  serve: (known: Incoming) => T | Promise<T>,
): T | Promise<T> {
  const waiting = untilKnown(incoming, about);
  return waiting === undefined ? serve(incoming) : waiting.then(serve);
}

/** Undefined if it has to wait for nothing. */
export function untilKnown(incoming: Incoming, about: () => About): Promise<Incoming> | undefined {
  const { connection, context, surfaceOf } = incoming;
  const waiting = connection.firstWait(connection.caller, context.mcpReq.signal, about);
  return waiting?.then(() => ({ ...incoming, surface: surfaceOf(connection.caller) }));
}
