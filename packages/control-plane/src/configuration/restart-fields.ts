// Fields that are applied once, at the start: a change of the file has no effect before the next start.
import { digestOf } from '@portico/canonical-json';
import type { Config } from '@portico/contracts';

const restartFields = [
  'port',
  'audit',
  'mcpHttpServer',
  'search',
  'storage',
] as const satisfies readonly (keyof Config)[];

/** The new configuration with those fields as they are in force, and the names of those that differ. */
export function keepUntilRestart(
  inForce: Config,
  next: Config,
): { readonly config: Config; readonly needsRestart: readonly string[] } {
  const { port, audit, mcpHttpServer, search, storage } = inForce;
  const needsRestart = restartFields.filter(
    (field) => digestOf({ v: inForce[field] }) !== digestOf({ v: next[field] }),
  );
  return { config: { ...next, port, audit, mcpHttpServer, search, storage }, needsRestart };
}
