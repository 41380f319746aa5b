// The page that an operator opens first: what needs a person, what agents have just done, and how the servers are doing.
import type { Answers } from '@portico/client';
import { workingServers } from '@portico/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link } from 'wouter';
import { Page } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { useActivity } from '../../data/activity.js';
import { often, useConfig, useServers } from '../../data/queries.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { formatCount, formatDuration } from '../../lib/format.js';
import { callTypes } from '../audit/query.js';
import { ActivityFeed } from './activity-feed.js';
import { CallsSection } from './calls-section.js';
import { FirstSteps } from './first-steps.js';
import { NeedsYou } from './needs-you.js';
import { RecentChanges } from './recent-changes.js';
import { ServerList } from './server-list.js';
import { nextStart, type Start as StartTime } from './start-time.js';
import './overview.css';

type Overview = Pick<Answers['getConfig'], 'servers' | 'metrics'>;

export function OverviewPage() {
  const isAdmin = useIsAdmin();
  const config = useConfig();
  const servers = useServers();
  return (
    <Page title="Overview">
      {isAdmin ? (
        <QueryView query={config} what="the overview">
          {(data) => (
            <>
              <Figures {...data} />
              <Start {...data} />
            </>
          )}
        </QueryView>
      ) : null}
      <NeedsYou />
      {isAdmin ? <ActivityFeed /> : null}
      <div className="columns">
        <QueryView query={servers} what="the servers">
          {(data) => <ServerList servers={data.servers} />}
        </QueryView>
        {isAdmin ? <CallsSection /> : null}
      </div>
      <RecentChanges />
    </Page>
  );
}

/** The first steps of a new installation; empty once a tool was called. */
function Start({ servers, metrics }: Overview) {
  const activity = useActivity();
  const hasCalls = metrics.executions > 0 || (activity.data?.calls.length ?? 0) > 0;
  const isNew = servers.length === 0 || (!hasCalls && activity.data !== undefined);
  return isNew ? <FirstSteps servers={servers.length} hasCalls={hasCalls} /> : null;
}

/** Each number with a link to what it counts. */
function Figures({ servers, metrics }: Overview) {
  const working = workingServers(servers).length;
  return (
    <p className="figure-line">
      <Link href="/servers">
        <strong>
          {working} of {servers.length}
        </strong>{' '}
        servers working
      </Link>
      <Link href="/approvals">
        <strong>{formatCount(metrics.approvals_pending)}</strong> waiting for approval
      </Link>
      <CallsSinceStart uptimeSecs={metrics.uptime_secs} />
      <span>
        up for <strong>{formatDuration(metrics.uptime_secs * 1000)}</strong>
      </span>
    </p>
  );
}

/** Counted as the list that it leads to, which has the calls that ran and those that were refused. */
function CallsSinceStart({ uptimeSecs }: { readonly uptimeSecs: number }) {
  const client = useClient();
  const start = useStart(uptimeSecs);
  const records = { event_type: callTypes, start_time: start };
  const calls = useQuery({
    queryKey: ['calls-since-start', start],
    refetchInterval: often,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.listAuditEvents({ ...records, limit: 1 }, { signal }),
  });
  if (calls.data === undefined) return null;
  return (
    <Link href={`/audit?${new URLSearchParams(records)}`}>
      <strong>{formatCount(calls.data.total)}</strong> calls since the start
    </Link>
  );
}

/** When the daemon started, in ISO 8601; the same text as long as it runs. */
function useStart(uptimeSecs: number): string {
  const known = useRef<StartTime>({ uptimeSecs: 0, atMs: Number.POSITIVE_INFINITY });
  known.current = nextStart(known.current, uptimeSecs, Date.now());
  return new Date(known.current.atMs).toISOString();
}
