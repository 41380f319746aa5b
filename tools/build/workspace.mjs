// First steps of every entry script: install missing packages, build stale ones. Uses Node's own modules only.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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

/**
 * Builds packages whose inputs changed since their last build; the rest comes from Nx's cache. Prints nothing where
 * nothing had to be built. Exits when one fails, with what the build has printed.
 */
export function buildWhatIsStale() {
  if (isPrepared) return;
  if (!existsSync(join(root, 'apps/cli/dist'))) process.stderr.write('Building, about a minute the first time ...\n');
  const { status, stdout, stderr, error } = spawnSync(process.execPath, buildArgs, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...quiet, FORCE_COLOR: '0' },
  });
  const said = sayBuilt({ status, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}` });
  process.stderr.write(said); // stdout stays free for what the caller prints
  if (status !== 0) process.exit(status ?? 1);
}

/** Summary of a run of Nx, as lines: empty if every package came from its cache. Built packages may add figures to it. */
export function sayBuilt({ status, output }) {
  if (status !== 0) {
    return `${output.trimEnd()}
The packages were not built: correct what is named above (free space if it says ENOSPC), then run this again.
`;
  }
  const [, cached, all] = /Cache:\s+(\d+)\/(\d+) hit/.exec(output) ?? [];
  return cached === all ? '' : `Built ${all - cached} of ${all} packages.\n${figuresIn(output)}`;
}

/** Lines of an output with sizes and times of the web console, which a summary shows. */
export function figuresIn(output) {
  return (output.match(/^\s*web console: .*$/gm) ?? []).map((line) => `${line.trim()}\n`).join('');
}
