// Keeps the configuration file of a daemon in step with those of others, where they have a database in common.
import { realpath } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type ConfigSource, type Log, openSharedConfigSource } from '@portico/control-plane';
import { createConfigurationLog, type StateDatabase } from '@portico/stores';
import { systemClock } from './system-clock.js';

/** @param file absolute; undefined if there is none. @throws ConfigError */
export async function shareConfiguration(
  source: ConfigSource,
  file: string | undefined,
  database: StateDatabase,
  log: Log,
): Promise<ConfigSource> {
  if (file === undefined || !database.signals.isShared) return source;
  const identity = `${hostname()}:${await realpath(file)}`; // daemons of one host may use one file
  const changes = createConfigurationLog(database, { file: identity, epochMs: systemClock.epochMs });
  return openSharedConfigSource({ source, changes, clock: systemClock, log });
}
