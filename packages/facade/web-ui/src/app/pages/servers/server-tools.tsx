// The tools of one server, with how often each was called and failed in the last day.
import type { Answers } from '@portico/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { type VirtualColumn, VirtualTable } from '../../components/virtual-table.js';
import { VisibleText } from '../../components/visible-text.js';
import { useCapabilities } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { formatCount, plural } from '../../lib/format.js';
import { EntryLink } from '../catalog/entry-link.js';

const dayMs = 86_400_000;
/** Records that are counted at most. */
const most = 1000;
/** Counts of a day may be so old. */
const freshMs = 15_000;

interface Counted {
  readonly calls: number;
  readonly failures: number;
}

type Tool = Answers['listCapabilities']['capabilities'][number];

export function ServerTools({ id }: { readonly id: string }) {
  const list = useCapabilities();
  const counts = useCounts(id);
  const columns: readonly VirtualColumn<Tool>[] = [
    { title: 'Tool', name: 'tool', render: (tool) => <EntryLink kind="tools" id={tool.id} /> },
    { title: 'What it does', name: 'summary', render: ({ summary }) => <VisibleText text={summary} /> },
    {
      title: 'Calls, 24 h',
      name: 'calls',
      render: (tool) => <Count id={tool.id} count={counts?.get(tool.id)?.calls} />,
    },
    {
      title: 'Failed',
      name: 'failures',
      render: (tool) => <Count id={tool.id} count={counts?.get(tool.id)?.failures} status="failed" />,
    },
  ];
  return (
    <QueryView query={list} what="its tools">
      {({ capabilities }) => {
        const tools = capabilities.filter(({ server }) => server === id);
        return (
          <Section title={plural(tools.length, 'tool')}>
            <VirtualTable
              caption={`Tools of ${id}`}
              name="tools"
              columns={columns}
              rows={tools}
              keyOf={(tool) => tool.id}
              empty="It offers no tool, or policy hides them all."
            />
          </Section>
        );
      }}
    </QueryView>
  );
}

/** Undefined where the role may not read the log. */
function useCounts(id: string): ReadonlyMap<string, Counted> | undefined {
  const client = useClient();
  const records = useQuery({
    queryKey: ['server-calls', id],
    staleTime: freshMs,
    queryFn: ({ signal }) =>
      client.listAuditEvents(
        { server_id: id, start_time: new Date(Date.now() - dayMs).toISOString(), limit: most },
        { signal },
      ),
  });
  const events = records.data?.events;
  return useMemo(() => {
    if (events === undefined) return undefined;
    const counts = new Map<string, Counted>();
    for (const { event_type: type, capability_id: capability, status } of events) {
      if (type !== 'tool_call' || capability === undefined) continue;
      const { calls, failures } = counts.get(capability) ?? { calls: 0, failures: 0 };
      counts.set(capability, { calls: calls + 1, failures: failures + (status === 'failed' ? 1 : 0) });
    }
    return counts;
  }, [events]);
}

interface CountProps {
  readonly id: string;
  readonly count: number | undefined;
  readonly status?: string;
}

function Count({ id, count, status }: CountProps) {
  if (count === undefined || count === 0) return <span className="muted">{count ?? ''}</span>;
  const query = new URLSearchParams({ capability_id: id, ...(status === undefined ? {} : { status }) });
  return <Link href={`/audit?${query}`}>{formatCount(count)}</Link>;
}
