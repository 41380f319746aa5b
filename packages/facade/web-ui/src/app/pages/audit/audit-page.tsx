// The audit log: searched by one line, record by record as sentences, its volume over time, its chain checked, exported.
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { OutcomeChart, OutcomeFigures } from '../../components/outcome-chart.js';
import { Page, Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VirtualTable } from '../../components/virtual-table.js';
import { useClient } from '../../data/session.js';
import type { AuditRecord } from '../../lib/audit-record.js';
import { plural } from '../../lib/format.js';
import { ChainCheck } from './chain-check.js';
import { ExportButtons } from './export-buttons.js';
import { type Filters, filterNames } from './query.js';
import { recordColumns } from './record.js';
import { SearchLine } from './search-line.js';
import './audit.css';

/** Records that are read at once. */
const pageSize = 200;
/** The most bars of the chart. */
const bars = 60;

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
        <Volume filters={filters} />
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
          <p className="visually-hidden" role="status">
            {plural(total, 'record')}
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

function Volume({ filters }: { readonly filters: Filters }) {
  const client = useClient();
  const stats = useQuery({ queryKey: ['audit-stats'], queryFn: ({ signal }) => client.getAuditStats({ signal }) });
  const series = useQuery({
    queryKey: ['audit-series', filters],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => client.getAuditSeries({ ...filters, buckets: bars }, { signal }),
  });
  const pathOf = (terms: Readonly<Record<string, string>>) => `/audit?${new URLSearchParams({ ...filters, ...terms })}`;
  return (
    <>
      {stats.data === undefined || stats.data.durable ? null : (
        <p role="note" className="note">
          This log is in memory: its records are lost when the daemon stops. Set <code>audit.filePath</code> in the
          configuration to keep them.
        </p>
      )}
      <QueryView query={series} what="the volume">
        {(data) => (
          <>
            <OutcomeFigures series={data} unit="records" pathOf={pathOf} />
            <OutcomeChart series={data} unit="records" pathOf={pathOf} />
          </>
        )}
      </QueryView>
    </>
  );
}
