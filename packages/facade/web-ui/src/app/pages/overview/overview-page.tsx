// What an operator looks at first: how the servers are doing, what the traffic is like, and what has just changed.
import type { Answers } from '@portico/client';
import { Link } from 'wouter';
import { DataTable } from '../../components/data-table.js';
import { Page, Section } from '../../components/page.js';
import { CircuitBadge, StatusBadge } from '../../components/server-state.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useConfig } from '../../data/queries.js';
import { formatCount, formatDuration } from '../../lib/format.js';
import { LastCalls } from './last-calls.js';
import { RecentChanges } from './recent-changes.js';
import { Traffic } from './traffic.js';
import './overview.css';

type Overview = Pick<Answers['getConfig'], 'servers' | 'metrics'>;

export function OverviewPage() {
  const config = useConfig();
  return (
    <Page title="Overview" lead="How the servers behind this daemon are doing, and what goes through it.">
      <QueryView query={config} what="the overview">
        {(data) => (
          <>
            <Figures {...data} />
            <Servers {...data} />
          </>
        )}
      </QueryView>
      <Traffic />
      <LastCalls />
      <RecentChanges />
    </Page>
  );
}

function Figures({ servers, metrics }: Overview) {
  const connected = servers.filter(({ status }) => status === 'connected').length;
  const open = servers.filter(({ circuit }) => circuit.state !== 'closed').length;
  const figures = [
    ['Servers connected', `${connected} of ${servers.length}`, connected < servers.length],
    ['Circuits not closed', formatCount(open), open > 0],
    ['Approvals pending', formatCount(metrics.approvals_pending), metrics.approvals_pending > 0],
    ['Executions', formatCount(metrics.executions), false],
    ['of them failed', formatCount(metrics.executions_failed), metrics.executions_failed > 0],
    ['Up for', formatDuration(metrics.uptime_secs * 1000), false],
  ] as const;
  return (
    <dl className="figures">
      {figures.map(([name, value, isNotable]) => (
        <div key={name} className={isNotable ? 'figure is-notable' : 'figure'}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Servers({ servers }: Overview) {
  return (
    <Section title="Servers" actions={<Link href="/servers">Manage servers</Link>}>
      <DataTable
        caption="Servers and how they are doing"
        rows={servers}
        keyOf={({ id }) => id}
        empty={
          <>
            No servers yet. <Link href="/servers">Add one</Link> or{' '}
            <Link href="/settings">import those of an AI client</Link>.
          </>
        }
        columns={[
          { title: 'Server', kind: 'code', render: ({ id }) => <VisibleText text={id} /> },
          { title: 'Status', render: (server) => <StatusBadge server={server} /> },
          { title: 'Circuit', render: (server) => <CircuitBadge server={server} /> },
          {
            title: 'Running',
            kind: 'number',
            render: ({ running, queued }) => `${running}${queued > 0 ? ` +${queued}` : ''}`,
          },
          { title: 'Restarts', kind: 'number', render: ({ restarts, reconnects }) => reconnects ?? restarts },
          { title: 'Tools', kind: 'number', render: ({ tools }) => tools },
        ]}
      />
    </Section>
  );
}
