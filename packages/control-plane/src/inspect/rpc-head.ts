// The noted head of a message while it passes. A server may write anything where JSON-RPC has a number or a name, so
// each field is taken only if it has its type, and is cut at the length of a name.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { FrameMessage } from '@portico/upstream-pool';
import { copyOf } from './utf8.js';

export type RpcId = number | string;

export interface RpcHead {
  /** The id by which its answer is found; undefined if there is none, and if it is too long to be remembered. */
  readonly id: RpcId | undefined;
  /** Whether there is an id, of any type; null does not count. */
  readonly hasId: boolean;
  /** `[cut]` where the id is too long. */
  readonly shownId: RpcId | undefined;
  /** `[cut]` where it is too long. */
  readonly method: string | undefined;
  readonly params: JsonObject;
  readonly isError: boolean;
}

/** Characters of a method and of an id. */
export const maxNameLength = 200;
const cut = '[cut]';

export function headOf(message: FrameMessage): RpcHead {
  const { method, error } = message;
  const params: unknown = message.params;
  const given = rpcIdOf(message.id);
  const isLong = typeof given === 'string' && given.length > maxNameLength;
  const id = isLong ? undefined : given;
  return {
    id,
    hasId: message.id !== undefined && message.id !== null,
    shownId: isLong ? cut : id,
    method: typeof method === 'string' ? nameOf(method) : undefined,
    params: isJsonObject(params) ? params : {},
    isError: error !== undefined,
  };
}

/** An id, or a token of progress; undefined for what can be neither. */
export function rpcIdOf(value: unknown): RpcId | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? (value.length > maxNameLength ? value : copyOf(value)) : undefined;
}

const nameOf = (name: string): string => (name.length > maxNameLength ? cut : copyOf(name));
