// What every entry script does first: install what is missing, build what is stale. Uses nothing that is not in Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Portico needs Node 20.19 or later; this is ${process.version}.\n`);
  process.exit(1);
}

/** Runs a command in the workspace and exits with its status when it fails. */
export function run(command, args, options = {}) {
  const { status } = tryRun(command, args, options);
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a command in the workspace. stdout of ours stays free for what the caller prints: theirs goes to stderr. */
export function tryRun(command, args, { env = {} } = {}) {
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, ...quiet, ...env } });
}

/** Path of a tool's own JavaScript, so that it starts without npx or a shell. */
export function bin(path) {
  return join(root, 'node_modules', path);
}

/** `npm ci`, unless the installed packages are those of the lock file. */
export function installWhatIsMissing() {
  const stamp = join(root, 'node_modules/.portico-lock-sha256');
  // Packages with native parts belong to one platform and one Node.
  const wanted = createHash('sha256')
    .update(`${process.platform} ${process.arch} ${process.versions.modules}\n`)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (readOrNull(stamp) === wanted) return;
  process.stderr.write('Installing packages (npm ci) ...\n');
  run(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['ci', '--no-audit', '--no-fund']);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** Builds packages whose inputs changed since their last build; the rest comes from Nx's cache. */
export function buildWhatIsStale(targets = ['build']) {
  run(process.execPath, [bin('nx/dist/bin/nx.js'), 'run-many', '-t', ...targets, '--output-style=static'], {
    env: { FORCE_COLOR: '0' },
  });
}

/** Nx keeps no process behind, draws no screen and talks to nobody. */
const quiet = { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true' };

function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
