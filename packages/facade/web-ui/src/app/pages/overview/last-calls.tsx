// The last calls, newest first: who called what, and how it ended. Asked anew every few seconds.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Badge, type Tone } from '../../components/badge.js';
import { DataTable } from '../../components/data-table.js';
import { Moment } from '../../components/moment.js';
import { Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { often } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { formatDuration } from '../../lib/format.js';

const shown = 10;
const tones: Readonly<Record<string, Tone>> = { success: 'good', failed: 'bad', denied: 'bad', intercepted: 'warn' };

export function LastCalls() {
  const client = useClient();
  const activity = useQuery({
    queryKey: ['activity'],
    queryFn: ({ signal }) => client.listActivity({ limit: shown }, { signal }),
    refetchInterval: often,
  });
  return (
    <Section title="Last calls" lead="Of this daemon, by any agent." actions={<Link href="/audit">Audit log</Link>}>
      <QueryView query={activity} what="the last calls">
        {({ calls, recorded }) => (
          <DataTable
            caption="The last calls"
            rows={calls}
            keyOf={({ id }) => id}
            empty={recorded ? 'Nothing was called yet.' : 'The audit log is off, so calls are not recorded.'}
            columns={[
              { title: 'Time', render: ({ timestamp }) => <Moment at={new Date(timestamp)} /> },
              {
                title: 'Agent',
                render: ({ client: agent, channel }) => (
                  <VisibleText text={[agent?.name ?? channel ?? 'unknown', agent?.version ?? ''].join(' ').trim()} />
                ),
              },
              {
                title: 'Capability',
                kind: 'code',
                render: ({ capability_id: id, server_id: server }) => <VisibleText text={id ?? server ?? ''} />,
              },
              {
                title: 'Outcome',
                render: ({ status, error_code: code }) => (
                  <Badge tone={tones[status] ?? 'neutral'}>{code === undefined ? status : `${status}: ${code}`}</Badge>
                ),
              },
              {
                title: 'Took',
                kind: 'number',
                render: ({ duration_us: us }) => (us === undefined ? '' : formatDuration(us / 1000)),
              },
            ]}
          />
        )}
      </QueryView>
    </Section>
  );
}
