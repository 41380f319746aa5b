// Who a daemon on loopback would let in without a role, on this system. Opens nothing.
import type { Config } from '@portico/contracts';
import { describeAccess } from '../operator/describe-access.js';
import { hasSocketTables } from '../peers/read-tables.js';

/** A sentence for each rule in force. */
export async function inspectAccess(config: Config): Promise<readonly string[]> {
  return describeAccess(config, '127.0.0.1', await hasSocketTables());
}
