// Sampling tickets as rows of the state database, and the ids that identify a row.
import { parseJson } from '@portico/contracts';
import type { SamplingDraft, SamplingTicket, SettledSampling } from '@portico/control-plane';
import type { ExpressionBuilder, Insertable } from 'kysely';
import { type IdColumns, parseRowId, toRowId } from './row-ids.js';
import type { SamplingRow, SamplingTable, Tables } from './tables.js';

export function toSamplingRow(draft: SamplingDraft): Omit<Insertable<SamplingTable>, 'owner'> {
  return {
    server_id: draft.serverId,
    params: JSON.stringify(draft.params),
    origin: draft.origin,
    correlation: draft.correlation === null ? null : JSON.stringify(draft.correlation),
    principal: draft.principal,
    created_at_ms: draft.createdAtMs,
    expires_at_ms: draft.expiresAtMs,
    status: 'pending',
    result: null,
  };
}

/** The columns that change when a ticket is settled. */
export function toSettledColumns(status: SettledSampling): Pick<SamplingTable, 'status' | 'result'> {
  return { status: status.status, result: status.status === 'completed' ? JSON.stringify(status.result) : null };
}

/** The JSON of a row is what the functions above have written, so it is what its type says. */
export function toSamplingTicket(row: SamplingRow): SamplingTicket {
  return {
    id: samplingId(row),
    serverId: row.server_id,
    params: parseJson(row.params),
    origin: row.origin,
    correlation: row.correlation === null ? null : parseJson(row.correlation),
    principal: row.principal,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    status: toStatus(row),
  };
}

/** A completed ticket has a result: both are written together. */
function toStatus({ status, result }: SamplingRow): SamplingTicket['status'] {
  return status === 'completed' ? { status, result: parseJson(result ?? 'null') } : { status };
}

export function samplingId(row: IdColumns): string {
  return toRowId('samp', row);
}

/** The row of an id. */
export function hasSamplingId(id: string) {
  return (eb: ExpressionBuilder<Tables, 'sampling'>) => {
    const found = parseRowId('samp', id);
    if (found === undefined) return eb.lit(false);
    return eb.and([
      eb('seq', '=', found.seq),
      eb('created_at_ms', '>=', found.fromMs),
      eb('created_at_ms', '<', found.fromMs + 1000),
    ]);
  };
}
