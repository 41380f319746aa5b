// Whether the database that `storage.url` names answers. Nothing is made in it.
import { createSecretSource } from '@portico/config-host';
import type { StorageConfig } from '@portico/contracts';
import { inspectPostgres, StorageError } from '@portico/stores';
import { createKnownSecrets } from '@portico/upstream-mcp';
import { toPostgres } from '../open-state.js';

/**
 * Asks the PostgreSQL database of `storage.url` one question.
 * @returns why it does not answer; undefined if it does. The reason never contains the password.
 */
export async function inspectStorage(
  storage: StorageConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const deps = { lookUpSecret: createSecretSource({ env }), knownSecrets: createKnownSecrets(), log: () => {} };
  try {
    return await inspectPostgres(await toPostgres(storage, deps));
  } catch (error) {
    if (error instanceof StorageError) return error.message;
    throw error;
  }
}
