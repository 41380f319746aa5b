// Where idempotency keys come from, and what a key was first used for.
import { digestOf } from '@portico/canonical-json';
import type { JsonObject } from '@portico/contracts';

export type RequestKind = 'tool' | 'resource' | 'prompt';

export interface Request {
  readonly kind: RequestKind;
  /** The id as the client gave it, or its canonical form; see each function. */
  readonly id: string;
  readonly args: JsonObject;
}

/**
 * The key of a request that brings none: `idk_` and a SHA-256 digest over id, arguments, actor and request id, in
 * canonical JSON. Equal arguments give equal keys in any key order. A tool's digest is over these four alone;
 * resources, prompts and the steps of a batch add their kind, so that no two requests share a key by accident.
 * @throws TypeError for arguments that have no canonical form
 */
export function deriveKey(
  { kind, id, args }: Request,
  actorId: string | null,
  requestId: string,
  batchStep?: string,
): string {
  const rest = [...(kind === 'tool' ? [] : [kind]), ...(batchStep === undefined ? [] : ['step', batchStep])];
  return `idk_${digestOf([id, args, actorId, requestId, ...rest])}`;
}

/** Whether a key looks like a derived one, which no client has to know. */
export function isDerivedKey(key: string): boolean {
  return /^idk_[0-9a-f]{64}$/.test(key);
}

/**
 * Identifies the request of a key: a repeat with another fingerprint is another request. `id` is the canonical one.
 * @throws TypeError
 */
export function fingerprintOf({ kind, id, args }: Request): string {
  return digestOf([kind, id, args]);
}
