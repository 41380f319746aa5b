// How often each tool of a server was called and failed, in records of the log. Only computations.
import type { Answers } from '@portico/client';

export interface ToolCounts {
  readonly byTool: ReadonlyMap<string, { readonly calls: number; readonly failures: number }>;
  /** All records that match. */
  readonly total: number;
  /** Whether there are more than were counted. */
  readonly isCut: boolean;
}

type Records = Pick<Answers['listAuditEvents'], 'total'> & {
  readonly events: readonly Pick<
    Answers['listAuditEvents']['events'][number],
    'event_type' | 'capability_id' | 'status'
  >[];
};

export function countByTool({ events, total }: Records): ToolCounts {
  const byTool = new Map<string, { readonly calls: number; readonly failures: number }>();
  for (const { event_type: type, capability_id: capability, status } of events) {
    if (type !== 'tool_call' || capability === undefined) continue;
    const { calls, failures } = byTool.get(capability) ?? { calls: 0, failures: 0 };
    byTool.set(capability, { calls: calls + 1, failures: failures + (status === 'failed' ? 1 : 0) });
  }
  return { byTool, total, isCut: total > events.length };
}
