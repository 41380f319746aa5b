// Public keys that verify checkpoints: how they are named, written and read. Nothing here has a private key.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

export interface PublicKey {
  /** The first 16 hex digits of the SHA-256 of its DER form. */
  readonly id: string;
  readonly key: KeyObject;
  /** SPKI, as OpenSSL reads it. */
  readonly pem: string;
}

export function toPublicKey(key: KeyObject): PublicKey {
  const der = key.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(der).digest('hex').slice(0, 16);
  return { id, key, pem: String(key.export({ type: 'spki', format: 'pem' })) };
}

/** Prefix of the 32 bytes of an Ed25519 public key in SPKI (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const block = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/** The keys of a text of PEM blocks, or the one of a text in base64: raw or SPKI. Empty if it holds no Ed25519 key. */
export function parsePublicKeys(text: string): readonly PublicKey[] {
  const blocks = text.match(block);
  const keys = blocks === null ? [fromBase64(text.trim())] : blocks.map((pem) => fromInput(pem));
  return keys.flatMap((key) => (key?.asymmetricKeyType === 'ed25519' ? [toPublicKey(key)] : []));
}

function fromBase64(text: string): KeyObject | undefined {
  if (!/^[A-Za-z0-9+/]{43,60}={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const der = bytes.length === 32 ? Buffer.concat([spkiPrefix, bytes]) : bytes;
  return fromInput({ key: der, format: 'der', type: 'spki' });
}

function fromInput(input: Parameters<typeof createPublicKey>[0]): KeyObject | undefined {
  try {
    return createPublicKey(input);
  } catch {
    return undefined; // no key
  }
}
