// The traces that a list of records is of.
import type { AuditStatus, TraceSummary } from '@portico/contracts';
import { executionsOf, worseOf } from './executions.js';
import { type Fact, toFact } from './fact.js';

/** @param records in any order. @returns the trace with the latest record first */
export function summarizeTraces(records: readonly unknown[]): TraceSummary[] {
  const traces = new Map<string, Fact[]>();
  for (const record of records) {
    const fact = toFact(record);
    if (fact?.traceId === undefined || fact.timeMs === undefined) continue;
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
