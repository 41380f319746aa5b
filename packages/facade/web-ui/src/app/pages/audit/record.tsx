// One record of the audit log as a row.
import { exactJson, toEventText } from '@portico/contracts';
import { Link } from 'wouter';
import { Badge } from '../../components/badge.js';
import { EventSentence } from '../../components/event-sentence.js';
import { Moment } from '../../components/moment.js';
import type { VirtualColumn } from '../../components/virtual-table.js';
import { VisibleText } from '../../components/visible-text.js';
import type { AuditRecord } from '../../lib/audit-record.js';
import { formatDuration } from '../../lib/format.js';
import { useWhyPath } from '../../why/why-address.js';
import { WhyLink } from '../../why/why-link.js';

/** Characters of arguments that a row has room for. */
const roomForArguments = 160;

export const recordColumns: readonly VirtualColumn<AuditRecord>[] = [
  { title: 'When', name: 'time', render: ({ timestamp }) => <Moment at={new Date(timestamp)} /> },
  { title: 'What', name: 'what', render: (record) => <Sentence record={record} /> },
  { title: 'Arguments', name: 'args', render: (record) => <VisibleText text={argumentsOf(record)} /> },
  { title: 'Client', name: 'client', render: (record) => <VisibleText text={clientOf(record)} /> },
  { title: 'Channel', name: 'channel', render: ({ channel = '' }) => channel },
  { title: 'Outcome', name: 'outcome', render: (record) => <Outcome record={record} /> },
  {
    title: 'Took',
    name: 'took',
    render: ({ duration_us: duration }) => (duration === undefined ? '' : formatDuration(duration / 1000)),
  },
  {
    title: 'Why',
    name: 'why',
    render: (record) => <WhyLink id={record.id} of={`${record.capability_id ?? record.event_type}, ${record.id}`} />,
  },
];

function Sentence({ record }: { readonly record: AuditRecord }) {
  const pathOf = useWhyPath();
  return (
    <Link href={pathOf(record.id)} className="row-link" data-key="Enter">
      <EventSentence event={record} />
    </Link>
  );
}

function Outcome({ record }: { readonly record: AuditRecord }) {
  const { outcome, tone } = toEventText(record);
  if (record.status === 'success') return <span className="muted">{outcome}</span>;
  return (
    <Badge tone={tone}>
      <VisibleText text={outcome} />
    </Badge>
  );
}

function argumentsOf({ sanitized_args: args }: AuditRecord): string {
  return args === undefined || Object.keys(args).length === 0 ? '' : exactJson(args).slice(0, roomForArguments);
}

/** With its version; else who it is by proof. */
function clientOf({ client, actor_id: actor, role }: AuditRecord): string {
  return client === undefined ? (actor ?? role ?? '') : [client.name, client.version ?? ''].join(' ').trim();
}
