// Calls of the program that embeds a host, as the operator of this machine: policy applies as usual.
import type { JsonObject } from '@portico/contracts';
import { type Caller, type CallKind, type ControlPlane, type Outcome, operator } from '@portico/control-plane';

export interface CallOptions {
  /** Narrows what can be called; the whole catalog by default. */
  readonly profile?: string;
  /** The call runs once under it; a repeat gets the stored answer. */
  readonly idempotencyKey?: string;
  /** Names the call, so that it can be cancelled. */
  readonly requestId?: string;
  /** How long to wait for a person to decide, milliseconds; not at all by default. */
  readonly approvalWaitMs?: number;
  /** Ends the call when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface OwnCalls {
  /** Calls a tool by its id or alias. Never rejects: refusals and failures are envelopes. */
  call(id: string, args?: JsonObject, options?: CallOptions): Promise<Outcome>;
  /** Reads a resource. As `call`. */
  read(id: string, options?: CallOptions): Promise<Outcome>;
  /** Gets a prompt. As `call`. */
  prompt(id: string, args?: JsonObject, options?: CallOptions): Promise<Outcome>;
}

/** The operator of this machine with the whole catalog in view. */
export const everything: Caller = Object.freeze({ ...operator, profile: null });

export function createOwnCalls(
  plane: Pick<ControlPlane, 'execute'>,
  randomHex: (characters: number) => string,
): OwnCalls {
  const execute = (kind: CallKind, id: string, args: JsonObject, options: CallOptions = {}) => {
    const { profile = null, idempotencyKey = null, requestId = null, approvalWaitMs = 0 } = options;
    const { signal = new AbortController().signal } = options;
    return plane.execute({
      kind,
      id,
      args,
      idempotencyKey,
      approvalWaitMs,
      signal,
      correlation: { requestId, traceId: randomHex(32) },
      caller: { ...everything, profile },
    });
  };
  return {
    call: (id, args = {}, options) => execute('tool', id, args, options),
    read: (id, options) => execute('resource', id, {}, options),
    prompt: (id, args = {}, options) => execute('prompt', id, args, options),
  };
}
