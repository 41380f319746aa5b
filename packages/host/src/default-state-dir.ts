// The default place of the state.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { homeOf } from './home-of.js';

/**
 * A directory per configuration file, under the user's state directory (XDG Base Directory Specification).
 * @param configFile absolute
 */
export function defaultStateDir(configFile: string, env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_STATE_HOME || join(homeOf(env), '.local', 'state');
  return join(base, 'portico', createHash('sha256').update(configFile).digest('hex').slice(0, 16));
}
