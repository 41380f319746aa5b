// Finds the daemon that a command means when neither a configuration nor a state directory is named.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  daemonDirectories,
  listDaemons,
  localConfigFile,
  type RunningDaemon,
  userConfigFile,
} from '@portico/host/place';
import type { ConnectionOptions } from './connection-options.js';
import { UsageFailure } from './failures.js';

type DaemonLocation = Pick<ConnectionOptions, 'config' | 'stateDir'>;

/**
 * The daemon at a named address; else that of the configuration in the working directory, where there is such a file;
 * else the one that runs, or of several that of the user's own configuration. Empty if none of these is known.
 * @param address from --url or PORTICO_URL
 * @throws UsageFailure if several run and none of them is the one
 */
export async function locateDaemon(
  { config, stateDir }: ConnectionOptions,
  address: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<DaemonLocation> {
  if (config !== undefined || stateDir !== undefined) return {};
  if (address === undefined && existsSync(resolve(localConfigFile))) return {};
  const running = await listDaemons(daemonDirectories(env));
  const [only, ...others] = running;
  if (address !== undefined) return locationOf(running.find(({ url }) => reachableAt(url) === address));
  if (others.length === 0) return locationOf(only);
  const ofUser = running.find(({ configFile }) => configFile === userConfigFile(env));
  if (ofUser !== undefined) return locationOf(ofUser);
  const lines = running.map(({ url, configFile, pid }) => `  ${reachableAt(url)}  ${configFile}  (process ${pid})`);
  throw new UsageFailure(['several daemons run; name one with --config FILE or --url URL:', ...lines].join('\n'));
}

/** Bound to every address, a daemon is asked at the one that every machine has. */
export function reachableAt(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function locationOf(daemon: RunningDaemon | undefined): DaemonLocation {
  return daemon === undefined ? {} : { config: daemon.configFile, stateDir: daemon.stateDir };
}
