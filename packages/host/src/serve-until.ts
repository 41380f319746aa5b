// A host from its sockets to its end, for processes that serve until a signal stops them.
import type { HostOptions } from './host-options.js';
import type { Listening } from './listening/listen.js';
import { type Host, openHost } from './open-host.js';
import { holdYoungGeneration, longestHoldMs, type YoungGenerationHold } from './young-generation.js';

/** The first connections cause more work: lists are stored and announced, and lazy servers are stopped. */
const settlingMs = 2000;

/**
 * Opens a host and its sockets, then connects to the upstreams and serves until `stopped` resolves.
 * @param stopped resolves with the reason to stop, for the log; `stopSignal()` for a process of its own
 * @param openSockets opens what the process listens on
 * @param onReady called when all of them accept connections
 * @throws what `openHost` and `openSockets` throw, after everything is closed
 */
export async function serveUntil(
  stopped: Promise<string>,
  options: HostOptions,
  openSockets: (host: Host) => Promise<readonly Listening[]>,
  onReady: (urls: readonly string[]) => void,
): Promise<void> {
  const host = await openHost({ ...options, tenure: 'owner' });
  let hold: YoungGenerationHold | undefined;
  const release = () => hold?.release();
  try {
    const sockets = await openSockets(host);
    await host.listenForJoiners();
    for (const rule of host.accessRules()) host.log('info', `access: ${rule}`);
    onReady(sockets.map(({ url }) => url));
    if (options.ownsProcess === true) {
      hold = holdYoungGeneration();
      host.watchProcess(hold.keepBeside);
      setTimeout(release, longestHoldMs).unref(); // a first connection may hang
    }
    void host.start().finally(() => setTimeout(release, settlingMs).unref());
    host.log('info', 'stopping', { signal: await stopped });
    const closings = sockets.map((socket) => socket.stopAccepting());
    await host.close();
    await Promise.all(closings.map((close) => close()));
  } finally {
    release();
    await host.close();
  }
}
