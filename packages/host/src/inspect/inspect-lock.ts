// The lock of a configuration file without a daemon: over what an earlier run has kept of the servers.
import { dirname, resolve } from 'node:path';
import { loadConfig, openLockFile } from '@portico/config-host';
import { type OfflineLock, openOfflineLock } from '@portico/control-plane';
import { readKeptDefinitions } from '@portico/stores';
import { systemClock } from '../system-clock.js';
import { type StatePlace, stateDirectoryOf } from './inspect-state.js';

/**
 * Starts nothing.
 * @param file in place of the one that is configured
 * @throws ConfigError
 */
export async function inspectLock(place: StatePlace, file?: string): Promise<OfflineLock> {
  const { config } = await loadConfig(place.configFile);
  const { definitions } = await readKeptDefinitions(stateDirectoryOf(place));
  const path = file === undefined ? resolve(dirname(resolve(place.configFile)), config.lock.file) : resolve(file);
  return openOfflineLock({ config, stored: definitions, file: openLockFile(path, () => {}), clock: systemClock });
}
