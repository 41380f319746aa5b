// Tickets as rows of the state database, and the ids that identify a row.
import { parseExact, parseJson, writeExact } from '@portico/contracts';
import type { Ticket, TicketDraft, TicketKey, TicketRef, TicketRun } from '@portico/control-plane';
import type { ExpressionBuilder, Insertable } from 'kysely';
import { parseRowId, toRowId } from './row-ids.js';
import type { ApprovalRow, ApprovalsTable, Tables } from './tables.js';

type Where = ExpressionBuilder<Tables, 'approvals'>;

export function toRow(draft: TicketDraft): Omit<Insertable<ApprovalsTable>, 'owner'> {
  return {
    kind: draft.kind,
    capability_id: draft.capabilityId,
    server_id: draft.serverId,
    args: writeExact(draft.args),
    sanitized_args: writeExact(draft.sanitizedArgs),
    correlation: JSON.stringify(draft.correlation),
    principal: draft.principal,
    profile: draft.profile,
    role: draft.role,
    actor: draft.actor,
    source: draft.source === null ? null : JSON.stringify(draft.source),
    rule: draft.rule,
    key: draft.key?.key ?? null,
    fingerprint: draft.key?.fingerprint ?? null,
    created_at_ms: draft.createdAtMs,
    expires_at_ms: draft.expiresAtMs,
    status: 'pending',
    decision: JSON.stringify({ status: 'pending' }),
    run_state: 'none',
    result: null,
    ...toDefinitionColumns(draft.definition),
  };
}

export function toDefinitionColumns(definition: TicketDraft['definition']) {
  if (definition === null) return { definition: null, definition_digest: null };
  return { definition: JSON.stringify(definition), definition_digest: definition.digest };
}

/** The JSON of a row is what `toRow` and `settle` have written, so it is what its type says. */
export function toTicket(row: ApprovalRow): Ticket {
  return {
    id: idOf(row),
    kind: row.kind,
    capabilityId: row.capability_id,
    serverId: row.server_id,
    args: parseExact(row.args),
    sanitizedArgs: parseExact(row.sanitized_args),
    correlation: parseJson(row.correlation),
    principal: row.principal,
    profile: row.profile,
    role: row.role,
    actor: row.actor,
    source: row.source === null ? null : parseJson(row.source),
    rule: row.rule,
    key: toKey(row),
    definition: row.definition === null ? null : parseJson(row.definition),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    status: parseExact(row.decision),
    run: toRun(row),
  };
}

export type RefRow = Pick<
  ApprovalRow,
  'seq' | 'principal' | 'server_id' | 'correlation' | 'key' | 'fingerprint' | 'created_at_ms' | 'expires_at_ms'
> & { readonly args_length: number };

export function toRef(row: RefRow): TicketRef {
  return {
    id: idOf(row),
    principal: row.principal,
    serverId: row.server_id,
    requestId: parseJson(row.correlation).requestId,
    key: toKey(row),
    expiresAtMs: row.expires_at_ms,
    argsLength: row.args_length,
  };
}

function idOf(row: Pick<ApprovalRow, 'created_at_ms' | 'seq'>): string {
  return toRowId('appr', row);
}

function toKey({ key, fingerprint }: Pick<ApprovalRow, 'key' | 'fingerprint'>): TicketKey | null {
  return key === null || fingerprint === null ? null : { key, fingerprint };
}

/** A run that has finished has a result: `finishRun` writes both. */
function toRun({ run_state, result }: ApprovalRow): TicketRun {
  return run_state === 'finished' ? { state: run_state, result: result ?? '' } : { state: run_state };
}

/** The row of an id. */
export function hasId(id: string) {
  return (eb: Where) => {
    const found = parseRowId('appr', id);
    if (found === undefined) return eb.lit(false);
    return eb.and([
      eb('seq', '=', found.seq),
      eb('created_at_ms', '>=', found.fromMs),
      eb('created_at_ms', '<', found.fromMs + 1000),
    ]);
  };
}

/** Whether a ticket asks about the definition of this digest; null for one that asks about none that is known. */
export function hasDigest(digest: string | null) {
  return (eb: Where) => eb('definition_digest', digest === null ? 'is' : '=', digest);
}

export function isUnfinished(eb: Where) {
  return eb.or([
    eb('status', '=', 'pending'),
    eb.and([eb('status', '=', 'approved'), eb('run_state', '!=', 'finished')]),
  ]);
}
