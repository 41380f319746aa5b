// The state that is given with a question and returned with its answers. It is signed and bound to the caller and the
// call; its minter ensures that it is used once. It contains only an id.
import { hmacSha256Hex, sha256Hex } from '@portico/canonical-json';
import type { JsonObject } from '@portico/contracts';
import { isDerivedKey } from '@portico/idempotency';
import type { Call, CallKind } from '../call/call.js';
import { comparableText } from '../common/comparable-text.js';

/** The owner of the state's call. Another principal, target, argument or key is another call. */
export interface StateBinding {
  readonly principal: string;
  readonly kind: CallKind;
  /** Canonical id. */
  readonly targetId: string;
  readonly args: JsonObject; // as its caller gives them, before changes of an approver
  /** Idempotency key that the client gave; null for none. One derived from a request id names that request only. */
  readonly key: string | null;
}

export function bindingOf(
  {
    kind,
    args,
    givenArgs,
    caller,
    idempotencyKey,
  }: Pick<Call, 'kind' | 'args' | 'givenArgs' | 'caller' | 'idempotencyKey'>,
  { id }: { readonly id: string },
): StateBinding {
  // An approved ticket runs its call under the key in force, wherever that came from.
  const key = idempotencyKey === null || isDerivedKey(idempotencyKey) ? null : idempotencyKey;
  return { principal: caller.principal, kind, targetId: id, args: givenArgs ?? args, key };
}

/** The subject of the id: a call that waits at its upstream, or a ticket that waits for a person. */
export type StateSubject = 'call' | 'approval';

export type ReadState =
  | { readonly kind: 'ours'; readonly subject: StateSubject; readonly id: string }
  /** Ours once, or made to look like it: changed, of another run of the service, or for another call. */
  | { readonly kind: 'invalid' }
  /** Not ours: the upstream's own. */
  | { readonly kind: 'foreign' };

export interface RequestStates {
  mint(subject: StateSubject, id: string, binding: StateBinding): string;
  read(state: string, binding: StateBinding): ReadState;
  /** Whether it looks like ours, of this run of the service. */
  isOurs(state: string): boolean;
}

const subjects: readonly StateSubject[] = ['call', 'approval'];

/** @param key secret of this run of the service: no state outlives it */
export function createRequestStates(key: string): RequestStates {
  // Another Portico may be the upstream, whose states begin like ours but for this.
  const prefix = `portico-${hmacSha256Hex(key, 'name of this run').slice(0, 16)}`;
  const sign = (subject: string, id: string, binding: StateBinding) => {
    const { principal, kind, targetId, args, key: ofCall } = binding;
    return hmacSha256Hex(
      key,
      JSON.stringify([subject, id, principal, kind, targetId, sha256Hex(comparableText(args)), ofCall]),
    );
  };

  return {
    isOurs: (state) => state.startsWith(`${prefix}.`),
    mint: (subject, id, binding) => [prefix, subject, id, sign(subject, id, binding)].join('.'),
    read(state, binding) {
      const [given, subject = '', id = '', signature = '', ...rest] = state.split('.');
      if (given !== prefix) return { kind: 'foreign' };
      const known = subjects.find((each) => each === subject);
      const isGenuine = rest.length === 0 && isEqual(signature, sign(subject, id, binding));
      return known !== undefined && isGenuine ? { kind: 'ours', subject: known, id } : { kind: 'invalid' };
    },
  };
}

/** Takes the same time wherever two texts of one length differ. */
function isEqual(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
