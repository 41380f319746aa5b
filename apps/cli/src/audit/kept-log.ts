// A log in memory ends with its daemon: without a daemon the command fails, because an empty list would be misleading.
import type { Connection } from '../connection.js';
import { CommandFailure, exitCodes } from '../failures.js';
import { isObject } from '../is-object.js';

/** @throws CommandFailure in a host of this process whose log is neither in a file nor in a database */
export async function requireKeptLog({ client, url }: Pick<Connection, 'client' | 'url'>): Promise<void> {
  if (url !== null) return;
  const { config } = await client.getConfig();
  if (isObject(config.audit) && typeof config.audit.filePath === 'string') return;
  if (isObject(config.storage) && typeof config.storage.url === 'string') return;
  const message =
    'no daemon runs, and the configuration keeps its audit log in memory (no audit.filePath, no storage.url): there is none';
  throw Object.assign(new CommandFailure(message), { exitCode: exitCodes.noDaemon });
}
