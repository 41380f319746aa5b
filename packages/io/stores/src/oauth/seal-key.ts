// The key that seals logins: in the keyring of the operating system where there is one, else in a file beside the
// database. A copy of the state directory is worth nothing without the keyring; with the file in it, it is.
import { randomBytes } from 'node:crypto';
import { chmod, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, messageOf } from '../files.js';
import { type SealKey, sealKeyBytes } from './seal.js';

/** A place that keeps one text from others. Both reject when it cannot be used. */
export interface KeyPlace {
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
}

export interface OpenSealKeyOptions {
  /** The state directory. */
  readonly directory: string;
  readonly keyring: KeyPlace;
  /** Whether something is kept that was sealed with a key of the keyring. */
  readonly isKeyringUsed: boolean;
  /** Purpose of the key; by default it encrypts logins. */
  readonly use?: KeyUse | undefined;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** A use of a key, in the words of its log lines. */
export interface KeyUse {
  /** In the state directory, where there is no keyring. */
  readonly file: string;
  /** Follows "the key that". */
  readonly purpose: string;
  /** The next step after a lost key was replaced. */
  readonly afterwards: string;
}

export const sealKeyFile = 'oauth.key';
const sealing: KeyUse = { file: sealKeyFile, purpose: 'seals logins', afterwards: 'and log in again' };

/**
 * A key that is in a file stays there, so that logins are not lost when a keyring comes and goes. Makes one where there is
 * none; but where the keyring's is in use, a keyring that is locked or away is waited for.
 * @throws Error when the keyring that is in use does not answer
 */
export async function openSealKey({
  directory,
  keyring,
  isKeyringUsed,
  use = sealing,
  log,
}: OpenSealKeyOptions): Promise<SealKey> {
  const path = join(directory, use.file);
  const file = createKeyFile(path);
  const fromFile = await keyIn(file);
  if (fromFile !== undefined) return { home: 'file', bytes: fromFile };
  try {
    return { home: 'keyring', bytes: (await keyIn(keyring)) ?? (await makeKey(keyring)) };
  } catch (error) {
    if (isKeyringUsed) {
      const reason = `the key that ${use.purpose} is in the keyring, which cannot be used: ${messageOf(error)}`;
      log('warn', `${reason}; unlock it, or put another key into ${path} ${use.afterwards}`);
      throw error;
    }
    const key = await makeKey(file);
    log('info', `the key that ${use.purpose} is in ${path}: ${messageOf(error)}`);
    return { home: 'file', bytes: key };
  }
}

async function keyIn(place: KeyPlace): Promise<Buffer | undefined> {
  const key = Buffer.from((await place.read())?.trim() ?? '', 'base64');
  return key.length === sealKeyBytes ? key : undefined;
}

/**
 * Returns the key that is stored afterwards: a keyring may accept a text without keeping it, or another process may
 * have been first.
 */
async function makeKey(place: KeyPlace): Promise<Buffer> {
  await place.write(randomBytes(sealKeyBytes).toString('base64'));
  const key = await keyIn(place);
  if (key === undefined) throw new Error('the place for the key does not keep it');
  return key;
}

/** Readable by its owner only; there as a whole or not at all. */
function createKeyFile(path: string): KeyPlace {
  return {
    async read() {
      try {
        await chmod(path, 0o600); // it may have been copied here
        return await readFile(path, 'utf8');
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return null;
        throw error;
      }
    },
    async write(text) {
      const draft = `${path}.new`;
      const handle = await open(draft, 'w', 0o600);
      try {
        await handle.chmod(0o600); // a draft of a crash may be there
        await handle.writeFile(`${text}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, path);
    },
  };
}
