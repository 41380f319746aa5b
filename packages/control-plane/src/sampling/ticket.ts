// A sampling ticket: a message of a model that is asked for in the name of a server, until it is answered.
import type { Correlation, JsonObject, SamplingOrigin } from '@portico/contracts';

export type SamplingStatus =
  | { readonly status: 'pending' }
  /** `result` is the MCP `CreateMessageResult`. */
  | { readonly status: 'completed'; readonly result: JsonObject }
  | { readonly status: 'expired' };

export interface SamplingDraft {
  readonly serverId: string;
  /** MCP params of `sampling/createMessage`, without `_meta`. */
  readonly params: JsonObject;
  readonly origin: SamplingOrigin;
  /** Ids of the call that the server asks for, or of the request; null for neither. */
  readonly correlation: Correlation | null;
  /** Owner of the call or request; null as above. */
  readonly principal: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** A draft but for its times. */
export type SamplingInput = Omit<SamplingDraft, 'createdAtMs' | 'expiresAtMs'>;

export interface SamplingTicket extends SamplingDraft {
  /** `samp-<Unix seconds of its creation>-<counter>`; the counter never repeats. */
  readonly id: string;
  readonly status: SamplingStatus;
}

/** The part of a pending ticket that is held in memory: no messages, which may be large. */
export interface SamplingRef {
  readonly id: string;
  readonly serverId: string;
  readonly principal: string | null;
  readonly origin: SamplingOrigin;
  readonly expiresAtMs: number;
  /** How long the params are, characters of JSON. */
  readonly paramsLength: number;
}

export function toSamplingRef({ id, serverId, principal, origin, expiresAtMs, params }: SamplingTicket): SamplingRef {
  return { id, serverId, principal, origin, expiresAtMs, paramsLength: JSON.stringify(params).length };
}
