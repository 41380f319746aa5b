// An approval ticket: a call that waits for a person, with everything that is needed to run it, also after its caller has left.
import type { Correlation, JsonObject } from '@portico/contracts';
import type { TicketStatus } from '@portico/policy-engine';
import type { CallKind } from '../call/call.js';
import type { NamedSource } from '../call/call-source.js';
import type { AskedDefinition } from './ticket-definition.js';

/** How far the approved call has come. It is started before the upstream is contacted, at most once. */
export type TicketRun =
  | { readonly state: 'none' }
  | { readonly state: 'started' }
  /** `result` is the JSON text of the envelope. */
  | { readonly state: 'finished'; readonly result: string };

/** An idempotency key, and what it was used for. */
export interface TicketKey {
  readonly key: string;
  readonly fingerprint: string;
}

export interface TicketDraft {
  readonly kind: CallKind;
  /** Canonical id: an alias that is pointed elsewhere before the run changes nothing of what was approved. */
  readonly capabilityId: string;
  readonly serverId: string;
  /** As the caller gave them, modifiers included. */
  readonly args: JsonObject;
  readonly sanitizedArgs: JsonObject;
  readonly correlation: Correlation;
  /** Owner of the call. */
  readonly principal: string;
  readonly profile: string | null;
  readonly role: string | null;
  readonly actor: string | null;
  /** Where the call comes from. Null if that is not known, as of a ticket of an earlier version; `rule` too. */
  readonly source: NamedSource | null;
  /** The rule that wants a person: `require_approval:<pattern>`. */
  readonly rule: string | null;
  readonly key: TicketKey | null;
  /**
   * The definition that the ticket asks about. Null for a ticket of an earlier version, and while the lists of the
   * server are unread.
   */
  readonly definition: AskedDefinition | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** The part of an unfinished ticket that is held in memory: no arguments, which may be large. */
export interface TicketRef {
  readonly id: string;
  readonly principal: string;
  readonly serverId: string;
  readonly requestId: string | null;
  readonly key: TicketKey | null;
  readonly expiresAtMs: number;
  /** How long the arguments are, characters of JSON. */
  readonly argsLength: number;
}

export interface Ticket extends TicketDraft {
  /** `appr-<Unix seconds of its creation>-<counter>`; the counter never repeats. */
  readonly id: string;
  readonly status: TicketStatus;
  readonly run: TicketRun;
}

export function toRef({ id, principal, serverId, correlation, key, expiresAtMs, args }: Ticket): TicketRef {
  const { requestId } = correlation;
  return { id, principal, serverId, requestId, key, expiresAtMs, argsLength: JSON.stringify(args).length };
}

/** The arguments as the operator changed them, else as the caller sent them. */
export function approvedArgs({ status, args }: Ticket): JsonObject {
  return status.status === 'approved' ? (status.modifiedArgs ?? args) : args;
}
