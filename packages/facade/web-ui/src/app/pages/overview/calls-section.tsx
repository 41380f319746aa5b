// Calls and their durations over the last hour or day, from the samples that the daemon keeps.
import type { ActivityRange } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../../components/button.js';
import { DataTable } from '../../components/data-table.js';
import { Section } from '../../components/page.js';
import { SeriesChart } from '../../components/series-chart.js';
import { QueryView } from '../../components/states.js';
import { useClient } from '../../data/session.js';
import { formatClock, formatCount, formatDuration } from '../../lib/format.js';
import { type Bucket, toBuckets } from '../../lib/series.js';

const everyMs = 10_000;
const ranges: readonly ActivityRange[] = ['1h', '24h'];

export function CallsSection() {
  const client = useClient();
  const [range, setRange] = useState<ActivityRange>('1h');
  const series = useQuery({
    queryKey: ['activity-series', range],
    refetchInterval: everyMs,
    queryFn: ({ signal }) => client.getActivitySeries({ range }, { signal }),
  });
  return (
    <Section
      title="Calls"
      actions={ranges.map((each) => (
        <Button
          key={each}
          variant={each === range ? 'primary' : 'plain'}
          aria-pressed={each === range}
          onClick={() => setRange(each)}
        >
          {each.replace('h', ' h')}
        </Button>
      ))}
    >
      <QueryView query={series} what="the calls over time">
        {({ points }) => <Charts buckets={toBuckets(points, range, series.dataUpdatedAt)} range={range} />}
      </QueryView>
    </Section>
  );
}

interface ChartsProps {
  readonly buckets: readonly Bucket[];
  readonly range: ActivityRange;
}

function Charts({ buckets, range }: ChartsProps) {
  const [, go] = useLocation();
  const [calls, failures] = [sumOf(buckets, 'calls'), sumOf(buckets, 'failures')];
  const bucketMs = (buckets[1]?.startMs ?? 0) - (buckets[0]?.startMs ?? 0);
  const since = new Date(buckets[0]?.startMs ?? 0).toISOString();
  const pathOf = ({ startMs }: Bucket) =>
    `/audit?start_time=${new Date(startMs).toISOString()}&end_time=${new Date(startMs + bucketMs).toISOString()}`;
  const ticks = [0, 1, 2, 3, 4].map((at) => {
    const bucket = buckets[Math.min(buckets.length - 1, Math.round((at * buckets.length) / 4))];
    return bucket === undefined ? '' : formatClock(new Date(bucket.startMs)).slice(0, 5);
  });
  const table = (
    <DataTable
      caption="Calls over time"
      rows={buckets.filter((bucket) => bucket.calls > 0).reverse()}
      keyOf={({ startMs }) => `${startMs}`}
      empty="Nothing was called."
      columns={[
        {
          title: 'From',
          render: (bucket) => <Link href={pathOf(bucket)}>{formatClock(new Date(bucket.startMs)).slice(0, 5)}</Link>,
        },
        { title: 'Calls', kind: 'number', render: (bucket) => formatCount(bucket.calls) },
        { title: 'Failed', kind: 'number', render: (bucket) => formatCount(bucket.failures) },
        { title: 'Mean', kind: 'number', render: ({ meanMs }) => (meanMs === null ? '' : formatDuration(meanMs)) },
        { title: 'P95', kind: 'number', render: ({ p95Ms }) => (p95Ms === null ? '' : formatDuration(p95Ms)) },
        { title: 'Longest', kind: 'number', render: ({ maxMs }) => (maxMs === null ? '' : formatDuration(maxMs)) },
      ]}
    />
  );
  const longest = Math.max(...buckets.map(({ maxMs }) => maxMs ?? 0));
  return (
    <>
      <p className="figure-line">
        <Link href={`/audit?start_time=${since}`}>
          <strong>{formatCount(calls)}</strong> calls
        </Link>
        <Link href={`/audit?status=failed&start_time=${since}`}>
          <strong>{calls === 0 ? '0' : Math.round((failures / calls) * 100)} %</strong> failed
        </Link>
        <span>
          longest <strong>{calls === 0 ? '–' : formatDuration(longest)}</strong>
        </span>
      </p>
      <SeriesChart
        title={range === '1h' ? 'Calls a minute' : 'Calls in 15 minutes'}
        kind="bars"
        ticks={ticks}
        format={(value) => formatCount(Number(value.toFixed(1)))}
        series={[
          { name: 'failed', tone: 'bad', values: buckets.map((bucket) => bucket.failures) },
          { name: 'done', tone: 'main', values: buckets.map((bucket) => bucket.calls - bucket.failures) },
        ]}
        table={table}
        onBar={(at) => {
          const bucket = buckets[at];
          if (bucket !== undefined && bucket.calls > 0) go(pathOf(bucket));
        }}
      />
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
        table={table}
      />
    </>
  );
}

function sumOf(buckets: readonly Bucket[], name: 'calls' | 'failures'): number {
  return buckets.reduce((sum, bucket) => sum + bucket[name], 0);
}
