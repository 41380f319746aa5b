// Installs the packages of the lock file where they are not installed, and says in one line why it could not be done.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './root.mjs';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
/** npm writes a line for each file that it cannot unpack: many thousands where the disk is full. */
const maxNpmBytes = 256 * 1024 * 1024;
const stamp = join(root, 'node_modules/.portico-lock-sha256');

/**
 * Folders of the checkout for npm, where its cache cannot be written to, as in a read-only home.
 * @returns {Record<string, string>} environment variables
 */
export function npmFolders(cache = process.env.npm_config_cache ?? join(homedir(), '.npm')) {
  if (isWritable(cache)) return {};
  return { npm_config_cache: join(root, '.cache/npm'), npm_config_devdir: join(root, '.cache/node-gyp') };
}

function isWritable(folder) {
  if (!existsSync(folder) && dirname(folder) !== folder) return isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

/** Everything that a script of the workspace needs, before it goes on. Exits with the reason where it cannot be had. */
export function installAll() {
  installPackages();
  compileSqlite();
}

/** Compiles better-sqlite3, or has its binary downloaded, where this Node needs it. Exits where it cannot be had. */
export function compileSqlite() {
  if (hasSqlite()) return;
  // Also where npm's configuration forbids install scripts: `allowScripts` names this one, and no other package is rebuilt.
  const args = ['rebuild', 'better-sqlite3', '--ignore-scripts=false', '--loglevel=error'];
  const { status } = spawnSync(npm, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ...npmFolders() },
  });
  if (status === 0 && hasSqlite()) return;
  process.stderr.write(`${sqliteMissing}\n`);
  process.exit(1);
}

/**
 * `npm ci` without the scripts of packages: only better-sqlite3 needs its own, which compiles for more than a minute
 * where there is no binary to download, and can do so beside other work.
 * @returns whether anything was installed
 */
export function installPackages() {
  const wanted = createHash('sha256')
    .update(`${process.platform} ${process.arch}\n`)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  // npm leaves better-sqlite3 out where Node is too new for it; an older Node that comes after still needs it.
  const isComplete = hasOwnSqlite() || existsSync(join(root, 'node_modules/better-sqlite3'));
  if (isComplete && readOrNull(stamp) === wanted && hasWhatNpmInstalled(root)) return false;
  process.stderr.write('Installing packages (npm ci) ...\n');
  rmSync(stamp, { force: true }); // an installation that is interrupted is done again
  const { status, stderr, error } = spawnSync(
    npm,
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=warn'],
    {
      cwd: root,
      stdio: ['ignore', 2, 'pipe'],
      encoding: 'utf8',
      maxBuffer: maxNpmBytes,
      env: { ...process.env, ...npmFolders() },
    },
  );
  const said = `${stderr ?? ''}${error?.message ?? ''}`;
  // A file that could not be unpacked is only a warning to npm, which then ends with 0.
  if (status !== 0 || said.includes('TAR_ENTRY_ERROR')) refuse(said);
  try {
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, wanted);
  } catch (problem) {
    refuse(problem.message);
  }
  return true;
}

/**
 * Whether each package is still there that npm noted in `node_modules/.package-lock.json`.
 * @param {string} folder the one that node_modules is in
 */
export function hasWhatNpmInstalled(folder) {
  try {
    const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
    return Object.keys(packages).every((path) => existsSync(join(folder, path, 'package.json')));
  } catch {
    return false; // it is not there, or damaged
  }
}

/** @param said what npm wrote to stderr, or the message of an error */
function refuse(said) {
  const lines = new Set(said.trimEnd().split('\n')); // npm repeats itself for each of thousands of files
  process.stderr.write(`${[...lines].slice(-20).join('\n')}\n${reasonFor(said)}\n`);
  process.exit(1);
}

/** Whether state can be opened in this Node: by SQLite of its own from 22.16 on, or by better-sqlite3. */
function hasSqlite() {
  if (hasOwnSqlite()) return true;
  const script = "new (require('better-sqlite3'))(':memory:').close()"; // its binary belongs to one version of Node
  return spawnSync(process.execPath, ['-e', script], { cwd: root, stdio: 'ignore' }).status === 0;
}

function hasOwnSqlite() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 16);
}

const sqliteMissing =
  'better-sqlite3 could neither be downloaded nor compiled for this Node: use Node 24 or later, which brings SQLite, ' +
  'or install a C++ compiler, make and Python, then run this again. Where the headers of Node cannot be downloaded, ' +
  'set npm_config_nodedir to the folder that Node is installed in, such as /usr.';

/** npm's error codes, and what to do about them; https://nodejs.org/api/errors.html#nodejs-error-codes. */
const reasons = [
  [/ENOSPC/, `no space is left for node_modules in ${root}: free some, then run this again`],
  [
    /EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH|EHOSTUNREACH|network/i,
    'npm cannot reach its registry: check the network, and registry and proxy of `npm config list`, then run this again',
  ],
  [
    /EACCES|EROFS|EPERM/,
    `npm may not write to ${root}/node_modules or its cache: make them writable, then run this again`,
  ],
  [/spawn(Sync)? npm\S* ENOENT/, 'npm was not found beside Node: install npm 10 or later, then run this again'],
];

/** @param text what npm wrote to stderr, or the message of an error */
export function reasonFor(text) {
  const [, known] = reasons.find(([pattern]) => pattern.test(text)) ?? [];
  return `Packages were not installed: ${known ?? '`npm ci` failed for the reason above; correct it, then run this again'}.`;
}

function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
