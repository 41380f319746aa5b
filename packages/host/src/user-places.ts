// The default place of a user's configuration, and the list of the user's running daemons (XDG Base Directory
// Specification).
import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { homeOf } from './home-of.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The one in the working directory. */
export const localConfigFile = 'mcp_servers.json';

/** `$XDG_CONFIG_HOME/portico/mcp_servers.json`, `~/.config/portico/mcp_servers.json` by default. */
export function userConfigFile(env: Environment): string {
  return join(absolute(env.XDG_CONFIG_HOME) ?? join(homeOf(env), '.config'), 'portico', localConfigFile);
}

/**
 * The default configuration: that of the working directory, else that of the user. Without either it is the first,
 * relative as messages name it.
 */
export function configFileByDefault(env: Environment): string {
  if (existsSync(resolve(localConfigFile))) return localConfigFile;
  const ofUser = userConfigFile(env);
  return existsSync(ofUser) ? ofUser : localConfigFile;
}

/** Directories with a file for each running daemon of this user, in each of them. */
export function daemonDirectories(env: Environment): readonly string[] {
  const runtime = absolute(env.XDG_RUNTIME_DIR);
  const state = absolute(env.XDG_STATE_HOME) ?? join(homeOf(env), '.local', 'state');
  return [...(runtime === undefined ? [] : [join(runtime, 'portico')]), join(state, 'portico', 'daemons')];
}

/** The specification has relative paths ignored. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
