// The tools of one server, with how often each was called and failed in the last day.
import type { Answers } from '@portico/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { type VirtualColumn, VirtualTable } from '../../components/virtual-table.js';
import { VisibleText } from '../../components/visible-text.js';
import { useCapabilities } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { formatCount, plural } from '../../lib/format.js';
import { EntryLink } from '../catalog/entry-link.js';
import { countByTool, type ToolCounts } from './tool-counts.js';

const dayMs = 86_400_000;
/** Records that are counted at most. */
const most = 1000;
/** Counts of a day are read again after this time, and not with every change. */
const freshMs = 120_000;

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
      render: (tool) => <Count id={tool.id} count={counts?.byTool.get(tool.id)?.calls} since={counts?.since} />,
    },
    {
      title: 'Failed',
      name: 'failures',
      render: (tool) => (
        <Count id={tool.id} count={counts?.byTool.get(tool.id)?.failures} since={counts?.since} status="failed" />
      ),
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
            {counts?.isCut ? (
              <p className="hint">
                Calls and failures are counted in the last {formatCount(most)} records of this server: the last 24 hours
                have {formatCount(counts.total)}.
              </p>
            ) : null}
          </Section>
        );
      }}
    </QueryView>
  );
}

/** Undefined where the role may not read the log. */
function useCounts(id: string): (ToolCounts & { readonly since: string }) | undefined {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['server-calls', id],
    // A stream of changes asks everything anew that is not static, and these are up to a thousand records.
    staleTime: 'static',
    refetchInterval: freshMs,
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - dayMs).toISOString();
      const list = await client.listAuditEvents({ server_id: id, start_time: since, limit: most }, { signal });
      return { ...countByTool(list), since };
    },
  });
  return data;
}

interface CountProps {
  readonly id: string;
  readonly count: number | undefined;
  /** From when on is counted, RFC 3339. */
  readonly since: string | undefined;
  readonly status?: string;
}

function Count({ id, count, since = '', status }: CountProps) {
  if (count === undefined || count === 0) return <span className="muted">{count ?? ''}</span>;
  const query = new URLSearchParams({
    capability_id: id,
    start_time: since,
    ...(status === undefined ? {} : { status }),
  });
  return <Link href={`/audit?${query}`}>{formatCount(count)}</Link>;
}
