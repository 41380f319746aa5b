// Waits until a server has had the time to answer earlier messages. A server handles messages in order and answers a
// ping at once: a request that is still open after two consecutive pings waits for something else.
import type { AbortSignalLike } from '@portico/async';

const rounds = 2;

/** How long that may take: a server that works on one message at a time answers no ping while it waits for us. */
const patienceMs = 250;
/** For a question that is hardly ever a call's: a busy machine may hold the server up longer than that. */
const longPatienceMs = 2000;

/** Never rejects. @param ping any answer to it counts, an error too */
export async function catchUp(ping: (signal: AbortSignalLike) => Promise<unknown>, isPatient: boolean): Promise<void> {
  const signal = AbortSignal.timeout(isPatient ? longPatienceMs : patienceMs);
  for (let round = 0; round < rounds && !signal.aborted; round++) await ping(signal).catch(() => {});
}
