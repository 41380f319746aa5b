// What every entry script does first: install what is missing, build what is stale. Uses nothing that is not in Node.
import { spawnSync } from 'node:child_process';
import { bin, root } from './root.mjs';

export { installPackages, installWhatIsMissing } from './install.mjs';
export { bin, root } from './root.mjs';

/** Nx keeps no process behind, draws no screen and sends nothing anywhere. */
export const quiet = { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true' };

/** Arguments of Node. */
export const buildArgs = [bin('nx/dist/bin/nx.js'), 'run-many', '-t', 'build', '--output-style=static'];

/** Builds packages whose inputs changed since their last build; the rest comes from Nx's cache. Exits when one fails. */
export function buildWhatIsStale() {
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
