// The traces that a list of records is of.
import type { AuditStatus, TraceSummary } from '@portico/contracts';
import { executionsOf, worseOf } from './executions.js';
import { type Fact, toFact } from './fact.js';

const summarizedFields = [
  'id',
  'event_type',
  'status',
  'timestamp',
  'trace_id',
  'approval_id',
  'idempotency_key',
  'capability_id',
  'is_replay',
  'error_code',
  'client',
  'channel',
] as const;

type SummarizedField = (typeof summarizedFields)[number];

/**
 * The part of a record that summaries use: no arguments and no details, so that many can be held. Undefined for records
 * without a summary.
 */
export function toSummarized<T extends { readonly [field in SummarizedField]?: unknown }>(
  record: T,
): Pick<T, SummarizedField> | undefined {
  if (!isSummarized(toFact(record))) return undefined;
  return Object.fromEntries(summarizedFields.map((field) => [field, record[field]])) as Pick<T, SummarizedField>;
}

function isSummarized(fact: Fact | undefined): fact is Fact & { readonly traceId: string } {
  return fact?.traceId !== undefined && fact.timeMs !== undefined;
}

/**
 * Groups audit records by trace and summarizes each.
 * @param records in any order.
 * @returns the trace with the latest record first
 */
export function summarizeTraces(records: readonly unknown[]): TraceSummary[] {
  const traces = new Map<string, Fact[]>();
  for (const record of records) {
    const fact = toFact(record);
    if (!isSummarized(fact)) continue;
    const known = traces.get(fact.traceId);
    if (known === undefined) traces.set(fact.traceId, [fact]);
    else known.push(fact);
  }
  return [...traces]
    .map(([traceId, facts]) => summarize(traceId, facts))
    .sort((a, b) => (a.last_time < b.last_time ? 1 : a.last_time > b.last_time ? -1 : 0));
}

function summarize(traceId: string, facts: readonly Fact[]): TraceSummary {
  const inOrder = facts.toSorted((a, b) => Number(a.timeMs) - Number(b.timeMs));
  const executions = executionsOf(inOrder);
  const status = executions.map(({ main }) => main.status).reduce<AuditStatus>(worseOf, 'success');
  const source = inOrder.find((fact) => Object.keys(fact.source).length > 0)?.source ?? {};
  return {
    trace_id: traceId,
    first_time: timeOf(inOrder[0]),
    last_time: timeOf(inOrder.at(-1)),
    calls: executions.length,
    status,
    ...source,
  };
}

function timeOf(fact: Fact | undefined): string {
  return new Date(fact?.timeMs ?? 0).toISOString();
}
