// The audit log: filtered, record by record, its volume over time, its chain checked, and exported.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { BarChart } from '../../components/bar-chart.js';
import { DataTable } from '../../components/data-table.js';
import { Page, Section } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { QueryView } from '../../components/states.js';
import { useClient } from '../../data/session.js';
import { formatCount } from '../../lib/format.js';
import { AuditFilterFields, type Filters, filterNames } from './audit-filters.js';
import { ChainCheck } from './chain-check.js';
import { ExportButtons } from './export-buttons.js';
import { type AuditRecord, RecordDialog, recordColumns } from './record.js';

const pageSize = 50;

/** Filters are in the address, so that a view can be kept and sent to others. */
export function AuditPage() {
  const client = useClient();
  const [search, setSearch] = useSearchParams();
  const [shown, setShown] = useState<AuditRecord | undefined>(undefined);
  const filters = Object.fromEntries(
    filterNames.flatMap((name) => (search.get(name) ? [[name, search.get(name) ?? '']] : [])),
  ) as Filters;
  const offset = Number(search.get('offset') ?? 0);
  const list = useQuery({
    queryKey: ['audit', filters, offset],
    queryFn: ({ signal }) => client.listAuditEvents({ ...filters, limit: pageSize, offset }, { signal }),
  });
  const go = (next: Filters, from = 0) => setSearch({ ...next, ...(from === 0 ? {} : { offset: String(from) }) });
  return (
    <Page
      title="Audit"
      lead="Everything that was called, refused, approved or changed. Each record holds the one before it in place."
      actions={<ExportButtons filters={filters} />}
    >
      <ChainCheck />
      <Volume />
      <Section title="Records">
        <AuditFilterFields filters={filters} onFilters={(next) => go(next)} />
        <QueryView query={list} what="the records">
          {({ events, total }) => (
            <>
              <p className="muted" role="status">
                {formatCount(total)} {total === 1 ? 'record' : 'records'}
              </p>
              <DataTable
                caption="Audit records, newest first"
                columns={recordColumns(setShown)}
                rows={events}
                keyOf={({ id }) => id}
                empty="No record matches."
              />
              <Pager
                {...{ offset, total, limit: pageSize, count: events.length }}
                onOffset={(next) => go(filters, next)}
              />
            </>
          )}
        </QueryView>
      </Section>
      {shown === undefined ? null : <RecordDialog record={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}

function Volume() {
  const client = useClient();
  const stats = useQuery({ queryKey: ['audit-stats'], queryFn: ({ signal }) => client.getAuditStats({ signal }) });
  return (
    <QueryView query={stats} what="the volume">
      {({ by_hour: hours, by_status: byStatus, total_events: total, durable }) => (
        <Section title="Volume">
          {durable ? null : (
            <p role="note" className="note">
              This log is in memory: its records are gone when the daemon stops. Set <code>audit.filePath</code> in the
              configuration to keep them.
            </p>
          )}
          <dl className="row figures">
            <Figure name="All" count={total} />
            {Object.entries(byStatus).map(([status, count]) => (
              <Figure key={status} name={status} count={count} />
            ))}
          </dl>
          <BarChart
            label="Records an hour, the last 24 hours"
            unit="Hour"
            bars={hours.map(({ hour, count }) => ({ name: hour, count }))}
          />
        </Section>
      )}
    </QueryView>
  );
}

function Figure({ name, count }: { readonly name: string; readonly count: number }) {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd>{formatCount(count)}</dd>
    </div>
  );
}
