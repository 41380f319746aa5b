// `npm ci` where the installed packages are not those of the lock file, and in one line why it could not be done.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './root.mjs';

const stamp = join(root, 'node_modules/.portico-lock-sha256');

/** @returns whether anything was installed */
export function installWhatIsMissing() {
  // Packages with native parts belong to one platform and one Node.
  const wanted = createHash('sha256')
    .update(`${process.platform} ${process.arch} ${process.versions.modules}\n`)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (readOrNull(stamp) === wanted) return false;
  process.stderr.write('Installing packages (npm ci) ...\n');
  rmSync(stamp, { force: true }); // an installation that is interrupted is done again
  const { status, stderr, error } = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: root, stdio: ['ignore', 2, 'pipe'], encoding: 'utf8' },
  );
  process.stderr.write(stderr ?? '');
  if (status !== 0) {
    process.stderr.write(`${reasonFor(`${stderr ?? ''}${error?.message ?? ''}`)}\n`);
    process.exit(1);
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
  return true;
}

/** What npm says, and what to do about it; https://nodejs.org/api/errors.html#nodejs-error-codes. */
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
  [/spawn \S*npm\S* ENOENT/, 'npm was not found beside Node: install npm 10 or later, then run this again'],
];

/** @param text what npm wrote to stderr */
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
