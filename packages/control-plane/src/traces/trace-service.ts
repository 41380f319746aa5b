// Traces as the audit log has them, and why a call of one ended as it did. Reads only; nothing is on the way of a call.
import type { AuditStatus, Explanation, ServerInfo, TraceSummary } from '@portico/contracts';
import { citedIn, type Evidence, explain, subjectOf, summarizeTraces, toSummarized } from '@portico/explain';
import type { ApprovalService } from '../approvals/approval-service.js';
import type { Caller } from '../call/call.js';
import { createPageBudget } from '../common/page.js';
import type { PlaneState } from '../state/plane-state.js';
import { inForceNow } from './in-force-now.js';
import { type FoundTrace, findOrigin, findTrace, maxTraceRecords, type Reads, shownTo } from './trace-records.js';
import { verifyCited } from './verify-cited.js';

export interface TraceQuery {
  readonly limit: number;
  /** Milliseconds since the Unix epoch; records from then on. */
  readonly sinceMs?: number | undefined;
  /** Name of the program that asked. */
  readonly client?: string | undefined;
  /** Status of the trace: the worst of its records. */
  readonly status?: AuditStatus | undefined;
}

export interface TraceList {
  readonly traces: readonly TraceSummary[];
  /** Whether all records that were asked for have been read. */
  readonly complete: boolean;
}

export interface TraceService {
  /** The latest first. @param owner who sees their own; undefined for admins */
  list(query: TraceQuery, owner?: Caller): Promise<TraceList>;
  /**
   * By the id of a trace, an approval, an audit record or a request. Undefined if the owner has none of it.
   */
  explain(id: string, owner?: Caller): Promise<Explanation | undefined>;
}

export interface TraceDeps {
  readonly audit: Reads;
  readonly approvals: Pick<ApprovalService, 'get'>;
  readonly state: () => PlaneState;
  readonly servers: () => readonly ServerInfo[];
}

/** Portions of records that one list reads at most, unless 8 MiB are enough for fewer. */
const maxListedPages = 5;

export function createTraceService(on: TraceDeps): TraceService {
  return {
    list: (query, owner) => listTraces(on.audit, query, owner),
    async explain(id, owner) {
      const found = await findTrace(on.audit, on.state(), id, owner);
      return found && explainFound(on, found, owner);
    },
  };
}

async function listTraces(
  audit: Reads,
  { limit, sinceMs, client, status }: TraceQuery,
  owner: Caller | undefined,
): Promise<TraceList> {
  const records: object[] = [];
  const traceIds = new Set<unknown>();
  const isFull = createPageBudget();
  let isCut = false;
  /** A filter by status reads all records: the status of a trace is known only after its last one was read. */
  const isEnough = () => status === undefined && traceIds.size > limit;
  let complete = false;
  for (let offset = 0, page = 0; !complete && !isCut && !isEnough() && page < maxListedPages; page += 1) {
    const portion = { limit: maxTraceRecords, offset, countsAll: false };
    const { events, total } = await audit.list({ start_ms: sinceMs, client }, portion);
    for (const event of events) if (isFull(event)) isCut = true;
    for (const record of shownTo(events, owner)) {
      const summarized = toSummarized(record);
      if (summarized === undefined) continue;
      records.push(summarized);
      traceIds.add(summarized.trace_id);
    }
    offset += events.length;
    complete = events.length === 0 || offset >= total;
  }
  const traces = summarizeTraces(records).filter((trace) => status === undefined || trace.status === status);
  return { traces: traces.slice(0, limit), complete };
}

async function explainFound(
  { audit, approvals, state, servers }: TraceDeps,
  { records, traceId, about, isCut }: FoundTrace,
  owner: Caller | undefined,
): Promise<Explanation> {
  const asked: Evidence = { records, traceId, about };
  const subjectId = subjectOf(asked);
  const subject = records.find(({ id }) => id === subjectId);
  const ticketId = subject?.approval_id;
  const ticket = ticketId === undefined ? undefined : await approvals.get(ticketId, owner);
  const evidence: Evidence = {
    ...asked,
    tickets: ticket === undefined ? [] : [ticket],
    origin: subject?.event_type === 'idempotent_replay' ? await findOrigin(audit, subject, owner) : undefined,
    now: subject && inForceNow(state(), servers(), subject, owner),
    missing: isCut ? [`records of the trace before its latest ${maxTraceRecords}`] : [],
  };
  const first = explain(evidence);
  const [verified, ended] = await Promise.all([
    verifyCited(audit, citedIn(first), owner === undefined),
    // The oldest record of the log is of others, as a rule.
    first.missing.length === 0 || owner !== undefined ? undefined : sayRetention(audit),
  ]);
  return explain({ ...evidence, ...verified, missing: [...(evidence.missing ?? []), ...(ended ?? [])] });
}

/** Where the log begins with a later record than its first, what is missing may have been among those before. */
async function sayRetention(audit: Reads): Promise<readonly string[]> {
  const [oldest] = await audit.after(0, { maxRecords: 1, maxCharacters: 1 });
  if (oldest === undefined || oldest.seq === 1) return [];
  return [
    `records before ${oldest.id} (${oldest.timestamp}): they were removed by age, or given up by a log in memory`,
  ];
}
