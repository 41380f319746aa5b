// Calls by outcome and their durations over the last hour, day or week: outcomes from the audit log, durations from the
// samples that the daemon keeps of a day.
import type { ActivityRange } from '@portico/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { DataTable } from '../../components/data-table.js';
import { OutcomeChart, OutcomeFigures } from '../../components/outcome-chart.js';
import { Section } from '../../components/page.js';
import { SeriesChart } from '../../components/series-chart.js';
import { QueryView } from '../../components/states.js';
import { useClient } from '../../data/session.js';
import { formatClock, formatDuration } from '../../lib/format.js';
import { type Bucket, toBuckets } from '../../lib/series.js';
import { callTypes } from '../audit/query.js';

const everyMs = 10_000;
const hourMs = 3_600_000;
const ranges = { '1h': hourMs, '24h': 24 * hourMs, '7d': 7 * 24 * hourMs } as const;
type Range = keyof typeof ranges;
const bars = 64;

export function CallsSection() {
  const client = useClient();
  const [range, setRange] = useState<Range>('1h');
  const outcomes = useQuery({
    queryKey: ['calls-by-outcome', range],
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - ranges[range]).toISOString();
      const series = await client.getAuditSeries(
        { event_type: callTypes, start_time: since, buckets: bars },
        { signal },
      );
      return { since, series };
    },
  });
  return (
    <Section
      title="Calls"
      actions={(Object.keys(ranges) as Range[]).map((each) => (
        <Button
          key={each}
          variant={each === range ? 'primary' : 'plain'}
          aria-pressed={each === range}
          onClick={() => setRange(each)}
        >
          {each.replace(/(\d+)/, '$1 ')}
        </Button>
      ))}
    >
      <QueryView query={outcomes} what="the calls over time">
        {({ since, series }) => {
          const pathOf = (terms: Readonly<Record<string, string>>) =>
            `/audit?${new URLSearchParams({ event_type: callTypes, start_time: since, ...terms })}`;
          return (
            <>
              <OutcomeFigures series={series} unit="calls" pathOf={pathOf} />
              <OutcomeChart series={series} unit="calls" pathOf={pathOf} />
            </>
          );
        }}
      </QueryView>
      {range === '7d' ? null : <Durations range={range} />}
    </Section>
  );
}

function Durations({ range }: { readonly range: ActivityRange }) {
  const client = useClient();
  const series = useQuery({
    queryKey: ['activity-series', range],
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
    queryFn: ({ signal }) => client.getActivitySeries({ range }, { signal }),
  });
  return (
    <QueryView query={series} what="the durations">
      {({ points }) => <DurationChart buckets={toBuckets(points, range, series.dataUpdatedAt)} />}
    </QueryView>
  );
}

function DurationChart({ buckets }: { readonly buckets: readonly Bucket[] }) {
  const ticks = [0, 1, 2, 3, 4].map((at) => {
    const bucket = buckets[Math.min(buckets.length - 1, Math.round((at * buckets.length) / 4))];
    return bucket === undefined ? '' : clockOf(bucket);
  });
  return (
    <SeriesChart
      title="Duration"
      kind="lines"
      ticks={ticks}
      format={formatDuration}
      series={[
        { name: 'mean', tone: 'main', values: buckets.map(({ meanMs }) => meanMs) },
        { name: 'P95', tone: 'warn', values: buckets.map(({ p95Ms }) => p95Ms) },
        { name: 'longest', tone: 'second', values: buckets.map(({ maxMs }) => maxMs) },
      ]}
      table={
        <DataTable
          caption="Durations over time"
          rows={buckets.filter((bucket) => bucket.calls > 0).reverse()}
          keyOf={({ startMs }) => `${startMs}`}
          empty="Nothing was called."
          columns={[
            { title: 'From', render: clockOf },
            { title: 'Mean', kind: 'number', render: ({ meanMs }) => durationOf(meanMs) },
            { title: 'P95', kind: 'number', render: ({ p95Ms }) => durationOf(p95Ms) },
            { title: 'Longest', kind: 'number', render: ({ maxMs }) => durationOf(maxMs) },
          ]}
        />
      }
    />
  );
}

function clockOf({ startMs }: Bucket): string {
  return formatClock(new Date(startMs)).slice(0, 5);
}

function durationOf(ms: number | null): string {
  return ms === null ? '' : formatDuration(ms);
}
