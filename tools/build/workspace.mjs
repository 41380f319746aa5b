// What every entry script does first: install what is missing, build what is stale. Uses nothing that is not in Node.
import { spawnSync } from 'node:child_process';
import { installAll } from './install.mjs';
import { bin, root } from './root.mjs';

export { bin, root } from './root.mjs';

/** Nx keeps no process behind, draws no screen and sends nothing anywhere. */
export const quiet = { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true' };

/** Arguments of Node. */
export const buildArgs = [bin('nx/dist/bin/nx.js'), 'run-many', '-t', 'build', '--output-style=static'];

/**
 * Set for what `npm test` starts: everything is installed and built. Nx removes built files before it copies them from its
 * cache, so a build beside running tests makes them fail.
 */
export const prepared = { PORTICO_PREPARED: 'true' };
const isPrepared = process.env.PORTICO_PREPARED === 'true' || process.env.NX_TASK_TARGET_PROJECT !== undefined;

/** Installs packages that are missing. Exits with the reason where they cannot be had. */
export function installWhatIsMissing() {
  if (!isPrepared) installAll();
}

/** Builds packages whose inputs changed since their last build; the rest comes from Nx's cache. Exits when one fails. */
export function buildWhatIsStale() {
  if (isPrepared) return;
  const { status } = spawnSync(process.execPath, buildArgs, {
    cwd: root,
    stdio: ['ignore', 2, 2], // stdout stays free for what the caller prints
    env: { ...process.env, ...quiet, FORCE_COLOR: '0' },
  });
  if (status === 0) return;
  process.stderr.write(
    'The packages were not built: correct what is named above (free space if it says ENOSPC), then run this again.\n',
  );
  process.exit(status ?? 1);
}
