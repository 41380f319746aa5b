// Calls and their latency while this page is open, and calls by hour as the audit log has them.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Chart } from '../../components/chart.js';
import { Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { useMetricsText } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { formatClock, formatCount, formatDuration } from '../../lib/format.js';
import { type Reading, type Sample, toReading, toSample } from '../../lib/latency.js';

const keptSamples = 60;

interface History {
  readonly last: Reading | undefined;
  readonly samples: readonly Sample[];
}

export function Traffic() {
  const { data, dataUpdatedAt } = useMetricsText();
  const [{ samples }, setHistory] = useState<History>({ last: undefined, samples: [] });
  useEffect(() => {
    if (data === undefined) return;
    setHistory(({ last, samples: before }) => {
      const next = toReading(data, dataUpdatedAt);
      if (last?.atMs === next.atMs) return { last, samples: before };
      const sample = last === undefined ? undefined : toSample(last, next);
      return { last: next, samples: sample === undefined ? before : [...before, sample].slice(-keptSamples) };
    });
  }, [data, dataUpdatedAt]);

  const labels = samples.map(({ atMs }) => formatClock(new Date(atMs)));
  return (
    <Section title="Traffic" lead="Live charts begin when this page is opened.">
      <div className="columns">
        <Chart
          title="Executions a second"
          labels={labels}
          series={[{ name: 'all servers', values: samples.map(({ callsPerSec }) => callsPerSec) }]}
          format={(value) => value.toFixed(value < 10 ? 1 : 0)}
        />
        <Chart
          title="Latency"
          labels={labels}
          series={[
            { name: 'median', values: samples.map(({ p50Ms }) => p50Ms) },
            { name: '95 %', values: samples.map(({ p95Ms }) => p95Ms) },
          ]}
          format={formatDuration}
        />
        <ByHour />
      </div>
    </Section>
  );
}

function ByHour() {
  const client = useClient();
  const stats = useQuery({
    queryKey: ['audit-stats'],
    queryFn: ({ signal }) => client.getAuditStats({ signal }),
    refetchInterval: 15_000,
  });
  return (
    <QueryView query={stats} what="the last hours">
      {({ by_hour }) => (
        <Chart
          title="Audit records by hour"
          kind="bars"
          labels={by_hour.map(({ hour }) => formatClock(new Date(hour)).slice(0, 5))}
          series={[{ name: 'this hour', values: by_hour.map(({ count }) => count) }]}
          format={formatCount}
        />
      )}
    </QueryView>
  );
}
