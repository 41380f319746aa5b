// Every tool as a row: what it does, what policy makes of a call, how often it was called, failed and was refused.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { Badge } from '../../components/badge.js';
import { Moment } from '../../components/moment.js';
import { type VirtualColumn, VirtualTable } from '../../components/virtual-table.js';
import { VisibleText } from '../../components/visible-text.js';
import { useIsAdmin } from '../../data/session.js';
import { CountLink } from './count-link.js';
import { EntryLink } from './entry-link.js';
import { PolicyState } from './policy-state.js';
import type { DayUsage } from './shapes.js';
import { byCount, byEffect, byLast, type ToolRow } from './tool-rows.js';

interface ToolTableProps {
  readonly rows: readonly ToolRow[];
  readonly usage: DayUsage | undefined;
  /** Whether what policy makes of them is known by now. */
  readonly isJudged: boolean;
}

export function ToolTable({ rows, usage, isJudged }: ToolTableProps) {
  const isAdmin = useIsAdmin();
  const columns = useMemo(
    () => (isAdmin ? [...plainColumns, ...adminColumns(usage, isJudged)] : plainColumns),
    [isAdmin, usage, isJudged],
  );
  return (
    <VirtualTable
      caption="Tools"
      name={isAdmin ? 'catalog' : 'catalog-plain'}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      empty="No tool is there: no server is connected, or policy hides them all."
    />
  );
}

const plainColumns: readonly VirtualColumn<ToolRow>[] = [
  {
    title: 'Tool',
    name: 'tool',
    render: ({ id }) => <EntryLink kind="tools" id={id} />,
    compare: (a, b) => a.id.localeCompare(b.id),
  },
  {
    title: 'Summary',
    name: 'summary',
    render: ({ summary, server, tags }) => (
      <>
        <Tags tags={tags.filter((tag) => tag !== server)} /> <VisibleText text={summary} />
      </>
    ),
  },
];

function adminColumns(usage: DayUsage | undefined, isJudged: boolean): readonly VirtualColumn<ToolRow>[] {
  return [
    {
      title: 'Policy',
      name: 'policy',
      render: ({ verdict }) => (isJudged ? <PolicyState verdict={verdict} /> : null),
      compare: byEffect,
    },
    {
      title: 'Calls, 24 h',
      name: 'calls',
      render: ({ id }) => <CountLink id={id} counted="calls" usage={usage} />,
      compare: byCount('calls'),
      isLargestFirst: true,
    },
    {
      title: 'Failed',
      name: 'failures',
      render: ({ id }) => <CountLink id={id} counted="failed" usage={usage} />,
      compare: byCount('failed'),
      isLargestFirst: true,
    },
    {
      title: 'Refused',
      name: 'refused',
      render: ({ id }) => <CountLink id={id} counted="refused" usage={usage} />,
      compare: byCount('refused'),
      isLargestFirst: true,
    },
    {
      title: 'Last call',
      name: 'last',
      render: (row) => <LastCall row={row} />,
      compare: byLast,
      isLargestFirst: true,
    },
  ];
}

function LastCall({ row: { id, usage } }: { readonly row: ToolRow }) {
  if (usage?.last == null) return null;
  return (
    <Link href={`/audit?${new URLSearchParams({ capability_id: id })}`} className="row-link">
      <Moment at={new Date(usage.last)} />
    </Link>
  );
}

export function Tags({ tags }: { readonly tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <span className="tags">
      {tags.map((tag) => (
        <Badge key={tag} tone={tag === 'destructive' ? 'warn' : tag === 'read-only' ? 'good' : 'neutral'}>
          <VisibleText text={tag} />
        </Badge>
      ))}
    </span>
  );
}
