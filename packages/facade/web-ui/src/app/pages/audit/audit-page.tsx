// The audit log: searched by one line, record by record as sentences, its volume over time, its chain checked, exported.
import type { Answers } from '@portico/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { BarChart } from '../../components/bar-chart.js';
import { Page, Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VirtualTable } from '../../components/virtual-table.js';
import { useClient } from '../../data/session.js';
import type { AuditRecord } from '../../lib/audit-record.js';
import { formatClock, formatCount } from '../../lib/format.js';
import { ChainCheck } from './chain-check.js';
import { ExportButtons } from './export-buttons.js';
import { type Filters, filterNames } from './query.js';
import { recordColumns } from './record.js';
import { SearchLine } from './search-line.js';
import './audit.css';

/** Records that are read at once. */
const pageSize = 200;
const hourMs = 3_600_000;

/** Filters are in the address, so that a view can be kept and sent to others. */
export function AuditPage() {
  const [search, setSearch] = useSearchParams();
  const filters = Object.fromEntries(
    filterNames.flatMap((name) => (search.get(name) ? [[name, search.get(name) ?? '']] : [])),
  ) as Filters;
  return (
    <Page
      title="Audit"
      lead="Everything that was called, refused, approved or changed. Each record holds the one before it in place."
      actions={<ExportButtons filters={filters} />}
    >
      <Section title="Records" actions={<ChainCheck />}>
        <SearchLine filters={filters} onFilters={(next) => setSearch({ ...next })} />
        <Volume isFiltered={Object.keys(filters).length > 0} onHour={(times) => setSearch({ ...times })} />
        <Records filters={filters} />
      </Section>
    </Page>
  );
}

function Records({ filters }: { readonly filters: Filters }) {
  const client = useClient();
  const list = useInfiniteQuery({
    queryKey: ['audit', filters],
    initialPageParam: 0,
    queryFn: ({ signal, pageParam }) =>
      client.listAuditEvents({ ...filters, limit: pageSize, offset: pageParam }, { signal }),
    getNextPageParam: ({ offset, events, total }) =>
      offset + events.length < total ? offset + events.length : undefined,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const pages = list.data?.pages;
  const rows = useMemo(() => distinct((pages ?? []).flatMap(({ events }) => events)), [pages]);
  const total = pages?.at(-1)?.total ?? 0;
  return (
    <QueryView query={list} what="the records">
      {() => (
        <>
          <p className="muted" role="status">
            {formatCount(total)} {total === 1 ? 'record' : 'records'}
          </p>
          <VirtualTable
            caption="Audit records, newest first"
            name="records"
            columns={recordColumns}
            rows={rows}
            total={total}
            keyOf={({ id }) => id}
            onEnd={onEnd}
            empty="No record matches."
          />
        </>
      )}
    </QueryView>
  );
}

/** New records move the older ones on to later pages, where they may come twice. */
function distinct(records: readonly AuditRecord[]): readonly AuditRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}

interface VolumeProps {
  /** The figures count the whole log, so that they are shown only where nothing is searched. */
  readonly isFiltered: boolean;
  onHour(times: Pick<Filters, 'start_time' | 'end_time'>): void;
}

function Volume({ isFiltered, onHour }: VolumeProps) {
  const client = useClient();
  const stats = useQuery({ queryKey: ['audit-stats'], queryFn: ({ signal }) => client.getAuditStats({ signal }) });
  return (
    <QueryView query={stats} what="the volume">
      {({ by_hour: hours, by_status: byStatus, total_events: total, durable }) => (
        <>
          {durable ? null : (
            <p role="note" className="note">
              This log is in memory: its records are gone when the daemon stops. Set <code>audit.filePath</code> in the
              configuration to keep them.
            </p>
          )}
          {isFiltered ? null : <Figures {...{ hours, byStatus, total, onHour }} />}
        </>
      )}
    </QueryView>
  );
}

type Stats = Answers['getAuditStats'];

interface FiguresProps extends Pick<VolumeProps, 'onHour'> {
  readonly hours: Stats['by_hour'];
  readonly byStatus: Stats['by_status'];
  readonly total: number;
}

function Figures({ hours, byStatus, total, onHour }: FiguresProps) {
  return (
    <>
      <p className="figure-line">
        <Link href="/audit">
          <strong>{formatCount(total)}</strong> records
        </Link>
        {Object.entries(byStatus).map(([status, count]) => (
          <Link key={status} href={`/audit?${new URLSearchParams({ status })}`}>
            <strong>{formatCount(count)}</strong> {status}
          </Link>
        ))}
      </p>
      <BarChart
        label="Records an hour, the last 24 hours"
        unit="Hour"
        bars={hours.map(({ hour, count }) => ({
          name: hour,
          label: formatClock(new Date(hour)).slice(0, 5),
          count,
        }))}
        onBar={(hour) => onHour({ start_time: hour, end_time: new Date(Date.parse(hour) + hourMs).toISOString() })}
      />
    </>
  );
}
