// The link of a stdio server to the service in its own process.
import { PassThrough } from 'node:stream';
import { createLeaving } from '../hand-over/leaving.js';
import type { Host } from '../open-host.js';
import type { Link } from '../relay/link.js';

export type LinkedHost = Pick<Host, 'close' | 'config' | 'listenForJoiners' | 'log' | 'mcp'>;

/**
 * Other processes may join the service and have to continue without it afterwards. A daemon may ask for its state. The
 * link closes its host. A failure of that is logged: the state is released nevertheless, and the client continues at
 * the service that has taken it.
 */
export async function linkInProcess(host: LinkedHost, profile: string | null): Promise<Required<Link>> {
  const toHost = new PassThrough();
  const fromHost = new PassThrough();
  let ended: Promise<void> | undefined;
  const closeHost = async () => {
    try {
      await host.close();
    } catch (error) {
      host.log('error', 'not everything could be closed', { error });
    }
    toHost.end();
    fromHost.end();
  };
  const end = () => {
    ended ??= closeHost();
    return ended;
  };
  const leaving = createLeaving(end);
  await host.mcp.servePipe({ input: toHost, output: fromHost }, profile);
  await host.listenForJoiners(leaving.ask);
  return {
    input: fromHost,
    output: toHost,
    firstListWaitMs: host.config.mcp.firstListWaitMs,
    leaving,
    async close() {
      toHost.end();
      await end();
      leaving.over();
    },
  };
}
