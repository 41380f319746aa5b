// Callers that a daemon on loopback would admit without a role, on this system. Opens nothing.
import type { Config } from '@portico/contracts';
import { describeAccess } from '../operator/describe-access.js';
import { hasSocketTables } from '../peers/read-tables.js';

/**
 * A sentence for each rule in force.
 * @param hasTables whether the system reports the owner of a connection
 */
export async function inspectAccess(config: Config, hasTables = hasSocketTables): Promise<readonly string[]> {
  return describeAccess(config, '127.0.0.1', await hasTables());
}
