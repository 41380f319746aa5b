// The key that signs checkpoints: its private half where the key of logins is kept, its public half beside it in the clear,
// with those of former keys, so that what they have signed can still be verified.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkpoint, checkpointText, type SignedCheckpoint } from '@portico/audit-chain';
import { hasCode } from '../../files.js';
import { type KeyPlace, type OpenSealKeyOptions, openSealKey } from '../../oauth/seal-key.js';
import { type PublicKey, parsePublicKeys, toPublicKey } from './public-keys.js';

export interface Signer {
  readonly publicKey: PublicKey;
  sign(checkpoint: Omit<Checkpoint, 'key'>): SignedCheckpoint;
}

export interface OpenSignerOptions {
  readonly stateDirectory: string;
  readonly keyring: KeyPlace;
  readonly log: OpenSealKeyOptions['log'];
}

export const publicKeyFile = 'audit.pub';

const use = {
  file: 'audit.key',
  purpose: 'signs checkpoints of the audit log',
  afterwards: 'to sign with a new one',
};

/** Prefix of the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Makes a key where there is none. @throws Error if the keyring that holds it does not answer */
export async function openSigner({ stateDirectory, keyring, log }: OpenSignerOptions): Promise<Signer> {
  const known = await readKnown(stateDirectory);
  const isKeyringUsed = known.startsWith(`${homeLabel} keyring`);
  const { bytes, home } = await openSealKey({ directory: stateDirectory, keyring, isKeyringUsed, use, log });
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, bytes]), format: 'der', type: 'pkcs8' });
  const publicKey = toPublicKey(createPublicKey(key));
  await keepPublic(stateDirectory, known, { ...publicKey, home }, log);
  return {
    publicKey,
    sign(checkpoint) {
      const named = { ...checkpoint, key: publicKey.id };
      return { ...named, signature: sign(null, Buffer.from(checkpointText(named)), key).toString('base64') };
    },
  };
}

/** The keys that the daemon of a state directory signs and has signed with, the current one first. */
export async function readPublicKeys(stateDirectory: string): Promise<readonly PublicKey[]> {
  return parsePublicKeys(await readKnown(stateDirectory));
}

/** Text between PEM blocks is for people, and says where the private half is. */
const homeLabel = '# private half:';

type Kept = PublicKey & { readonly home: string };

async function keepPublic(directory: string, known: string, { id, pem, home }: Kept, log: OpenSignerOptions['log']) {
  const before = parsePublicKeys(known);
  if (before[0]?.id === id) return;
  if (before.length > 0) {
    const words = `the key that signs checkpoints of the audit log is new (${id}): earlier checkpoints are verified with former keys`;
    log('warn', `${words}, which ${join(directory, publicKeyFile)} keeps`);
  }
  const path = join(directory, publicKeyFile);
  await writeFile(`${path}.new`, `${homeLabel} ${home}, key ${id}\n${pem}${known}`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

async function readKnown(directory: string): Promise<string> {
  return readFile(join(directory, publicKeyFile), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  });
}
