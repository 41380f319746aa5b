// Waits until a server has had the time to answer what it got before. Messages are worked on in the order they came, and
// a ping is answered at once: whatever is still open after two of them, one after the other, waits for something.
import type { AbortSignalLike } from '@portico/async';

const rounds = 2;

/**
 * How long that may take, milliseconds: a server that works on one message at a time answers no ping while it waits for us.
 * For their roots servers ask at their start as a rule, and for no call, when a busy machine may hold them up the longest.
 */
export function patienceMs(method: string): number {
  return method === 'roots/list' ? 3000 : 250;
}

/** Never rejects. @param ping any answer to it counts, an error too */
export async function catchUp(ping: (signal: AbortSignalLike) => Promise<unknown>, withinMs: number): Promise<void> {
  const signal = AbortSignal.timeout(withinMs);
  for (let round = 0; round < rounds && !signal.aborted; round++) await ping(signal).catch(() => {});
}
