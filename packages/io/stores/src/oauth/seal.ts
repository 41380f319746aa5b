// Authenticated encryption of stored records (AES-256-GCM, NIST SP 800-38D): the database alone is unreadable, and a
// record that was changed or moved to another row is rejected.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

export interface SealKey {
  /** 32 of them. */
  readonly bytes: Buffer;
  /** Where it is kept. */
  readonly home: 'keyring' | 'file';
}

/** Names a key without revealing it: the key is random, and cannot be guessed from its digest. */
export const idOf = ({ home, bytes }: SealKey): string =>
  `${home}:${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}`;

export const sealKeyBytes = 32;

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** @param place where it will be kept; it can be opened there only. @returns nonce, tag, text */
export function seal(key: SealKey, place: string, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Undefined for what was sealed with another key or for another place, or is damaged. */
export function unseal(key: SealKey, place: string, sealed: Uint8Array): string | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  const bytes = Buffer.from(sealed);
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
