// A token that is a file of the state directory: who can read that directory has it, and a child process is never given it.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './files.js';

/**
 * `operator-token` is for administration, `service-token` for processes that join the service, `audit-digest-key` for the
 * digests of arguments in audit records.
 */
export type SecretName = 'operator-token' | 'service-token' | 'audit-digest-key';

const tokenBytes = 32;
const form = /^[A-Za-z0-9_-]{43}\n$/;

/** The token as it is kept; undefined if there is none. Reads nothing but a token. */
export async function readSecret(stateDir: string, name: SecretName): Promise<string | undefined> {
  const text = await readFile(join(stateDir, name), 'utf8').catch(() => '');
  return form.test(text) ? text.trimEnd() : undefined;
}

/**
 * The token that is there, or a new one. A file that is no token, is not its owner's alone, or is a link is replaced.
 * Only for the process that holds the state directory.
 */
export async function keepSecret(stateDir: string, name: SecretName): Promise<string> {
  const path = join(stateDir, name);
  const kept = await readOwn(path);
  if (kept !== undefined) return kept;
  await rm(path, { force: true });
  const token = randomBytes(tokenBytes).toString('base64url');
  const handle = await open(path, 'wx', 0o600); // fails if the file was created in between
  try {
    await handle.writeFile(`${token}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return token;
}

/** Removes a secret file of the state directory; a missing one is no error. */
export async function removeSecret(stateDir: string, name: SecretName): Promise<void> {
  await rm(join(stateDir, name), { force: true });
}

/** Undefined for what is not there, or is not to be trusted. */
async function readOwn(path: string): Promise<string | undefined> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ELOOP')) return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const { mode, uid } = await handle.stat();
    const isOurs = process.platform === 'win32' || ((mode & 0o077) === 0 && uid === process.geteuid?.());
    const text = await handle.readFile('utf8');
    return isOurs && form.test(text) ? text.trimEnd() : undefined;
  } finally {
    await handle.close();
  }
}
