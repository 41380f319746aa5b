// The home directory that an environment names, as os.homedir() finds that of the process.
import { homedir } from 'node:os';

/** @param env of the host, which an embedding program may give */
export function homeOf(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  return (platform === 'win32' ? env.USERPROFILE : env.HOME) || homedir();
}
