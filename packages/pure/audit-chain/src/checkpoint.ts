// A signed checkpoint states that a chain held this record at this place. Defines the signed text and parses its lines;
// the owner of the key makes and checks the signature elsewhere.
import { canonicalize, isCanonical } from '@portico/canonical-json';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@portico/contracts';
import type { Head } from './seal.js';

export interface Checkpoint extends Head {
  /** The hash of the first record for a log in a file, the id that its records name for a log in a database. */
  readonly chain_id: string;
  /** RFC 3339 in UTC, by the clock of who signs. */
  readonly time: string;
  /** Names the key: the first 16 hex digits of the SHA-256 of the public key (SPKI, DER). */
  readonly key: string;
}

export interface SignedCheckpoint extends Checkpoint {
  /** Ed25519, base64. */
  readonly signature: string;
}

const purpose = 'portico-audit-checkpoint-v1';

/** The text that is signed, as UTF-8: its purpose, so that no other signature of the key fits, and the checkpoint. */
export function checkpointText({ chain_id, seq, hash, time, key }: Checkpoint): string {
  return `${purpose}\n${canonicalize({ chain_id, seq, hash, time, key })}`;
}

/** Without line break. */
export function checkpointLine({ chain_id, seq, hash, time, key, signature }: SignedCheckpoint): string {
  return canonicalize({ chain_id, seq, hash, time, key, signature });
}

/** Undefined for what is no checkpoint, or is not written as one. */
export function parseCheckpoint(line: string): SignedCheckpoint | undefined {
  if (line.length > maxLine) return undefined;
  const value = jsonOf(line);
  const isOne = isJsonObject(value) && isCheckpoint(value) && isCanonical(line, value);
  return isOne ? value : undefined;
}

function jsonOf(line: string): JsonValue | undefined {
  try {
    return parseJson(line);
  } catch {
    return undefined; // no JSON
  }
}

const maxLine = 1000;
const forms: Readonly<Record<Exclude<keyof SignedCheckpoint, 'seq'>, RegExp>> = {
  chain_id: /^[0-9a-f]{32,64}$/,
  hash: /^[0-9a-f]{64}$/,
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  key: /^[0-9a-f]{16}$/,
  signature: /^[A-Za-z0-9+/]{86}==$/,
};

function isCheckpoint(value: JsonObject): value is JsonObject & SignedCheckpoint {
  const names = Object.entries(forms);
  const isFormed = names.every(([name, form]) => typeof value[name] === 'string' && form.test(value[name]));
  const isPosition = typeof value.seq === 'number' && Number.isSafeInteger(value.seq) && value.seq > 0;
  return isFormed && isPosition && Object.keys(value).length === names.length + 1;
}
