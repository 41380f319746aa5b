// Says where a daemon listens: in its state directory, and in the list of the user's daemons.
import { resolve } from 'node:path';
import type { Log } from '@portico/control-plane';
import { announceDaemonAddress, registerDaemon } from '@portico/stores';
import type { Closing } from './closing.js';
import { daemonDirectories } from './user-places.js';

export interface Announced {
  readonly url: string;
  /** Absolute; without a file the daemon is in no list. */
  readonly configFile: string | undefined;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** A list that cannot be written keeps no daemon from serving. */
export async function announceDaemon(
  { url, configFile, stateDir, env, log }: Announced,
  closing: Closing,
): Promise<void> {
  closing.add(await announceDaemonAddress(stateDir, url));
  if (configFile === undefined) return;
  const directories = daemonDirectories(env);
  const remove = await registerDaemon(directories, { url, configFile, stateDir: resolve(stateDir) }).catch(
    () => undefined,
  );
  if (remove !== undefined) closing.add(remove);
  else log('info', 'commands find this daemon by --config or --url only: its list cannot be written', { directories });
}
