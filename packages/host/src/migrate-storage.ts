// Moves what a state directory keeps in SQLite to the database that `storage.url` names, while no daemon uses either.
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigError, createSecretSource, loadConfig } from '@portico/config-host';
import {
  type CopiedState,
  copyState,
  openStateDatabase,
  openStateDirectory,
  StateDirectoryError,
} from '@portico/stores';
import { createLogger } from '@portico/telemetry';
import { createKnownSecrets } from '@portico/upstream-mcp';
import { defaultStateDir } from './default-state-dir.js';
import { toPostgres } from './open-state.js';
import { createRedactingLog } from './redacting-log.js';

export interface MigrateStorageOptions {
  /** Configuration file with `storage.url`; relative to the working directory. */
  readonly configFile: string;
  /** State directory; the one that belongs to the configuration file by default. */
  readonly from?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface MigratedStorage extends CopiedState {
  readonly from: string;
}

/** All of it or nothing; what is in the directory stays there. @throws ConfigError, StateDirectoryError, StorageError */
export async function migrateStorage({ env, ...options }: MigrateStorageOptions): Promise<MigratedStorage> {
  const configFile = resolve(options.configFile);
  const { storage } = (await loadConfig(configFile)).config;
  if (storage === null) {
    throw new ConfigError(configFile, [
      { path: 'storage.url', message: 'is required: it names the database to copy to' },
    ]);
  }
  const from = resolve(options.from ?? defaultStateDir(configFile, env));
  const file = join(from, 'state.db');
  await access(file).catch(() => {
    throw new StateDirectoryError(`there is no state database ${file}; name its directory with --from DIR`);
  });
  const knownSecrets = createKnownSecrets();
  const { log } = createRedactingLog(createLogger({ level: 'warn' }), knownSecrets);
  const directory = await openStateDirectory(from);
  try {
    const postgres = await toPostgres(storage, { lookUpSecret: createSecretSource({ env }), knownSecrets, log });
    const database = await openStateDatabase(from);
    try {
      return { from, ...(await copyState(database, { ...postgres, stateDirectory: await directory.id() })) };
    } finally {
      await database.close();
    }
  } finally {
    await directory.close();
  }
}
