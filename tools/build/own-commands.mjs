// Puts the commands of this checkout where npx looks for them. npm links none whose file is not built yet, and npx would
// then ask the registry for a package of that name, which is not ours.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { npmFolders } from './install.mjs';
import { bin, root } from './root.mjs';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

const packages = ['@portico/cli', '@portico/daemon', '@portico/mcp-http', '@portico/mcp-stdio'];

/** After the first build of a checkout; later it only looks. Runs no scripts and asks no registry. */
export function linkOwnCommands() {
  if (existsSync(bin('.bin/portico'))) return;
  const { status } = spawnSync(npm, ['rebuild', '--ignore-scripts', '--offline', ...packages], {
    cwd: root,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', 2],
    env: { ...process.env, ...npmFolders() },
  });
  if (status !== 0) process.stderr.write('npx portico is not linked: run node apps/cli/dist/main.js in its place.\n');
}
