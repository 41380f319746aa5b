// One record of the audit log: as a row, and whole.
import type { Answers } from '@portico/client';
import { Link } from 'wouter';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { JsonView } from '../../components/code-view.js';
import type { Column } from '../../components/data-table.js';
import { Modal } from '../../components/modal.js';
import { Moment } from '../../components/moment.js';
import { VisibleText } from '../../components/visible-text.js';
import { formatDuration } from '../../lib/format.js';

export type AuditRecord = Answers['getAuditEvent']['event'];

const tones: Readonly<Record<string, Tone>> = {
  success: 'good',
  failed: 'bad',
  denied: 'bad',
  intercepted: 'warn',
  cancelled: 'neutral',
};

export function recordColumns(onShow: (record: AuditRecord) => void): readonly Column<AuditRecord>[] {
  return [
    { title: 'Time', render: ({ timestamp }) => <Moment at={new Date(timestamp)} /> },
    { title: 'Kind', render: ({ event_type: type }) => type.replaceAll('_', ' ') },
    {
      title: 'What',
      kind: 'code',
      render: (record) => <VisibleText text={record.capability_id ?? record.server_id ?? ''} />,
    },
    { title: 'Status', render: ({ status }) => <Badge tone={tones[status] ?? 'neutral'}>{status}</Badge> },
    { title: 'Who', render: (record) => <VisibleText text={sayActor(record)} /> },
    {
      title: 'Took',
      kind: 'number',
      render: ({ duration_us: duration }) => (duration === undefined ? '' : formatDuration(duration / 1000)),
    },
    {
      title: 'Open',
      kind: 'actions',
      render: (record) => (
        <Button variant="quiet" onClick={() => onShow(record)}>
          Details<span className="visually-hidden"> of {record.id}</span>
        </Button>
      ),
    },
  ];
}

/** With the kind of proof: one name may be of several. */
function sayActor({ actor_id: actor, actor_kind: kind, role }: AuditRecord): string {
  const name = actor ?? role;
  return name === undefined || kind === undefined ? (name ?? kind ?? '') : `${name} (${kind})`;
}

interface RecordDialogProps {
  readonly record: AuditRecord;
  onClose(): void;
}

export function RecordDialog({ record, onClose }: RecordDialogProps) {
  const { id, trace_id: trace, prev_hash: previous, hash } = record;
  return (
    <Modal title={id} isWide onClose={onClose}>
      <div className="stack">
        <dl className="facts">
          <dt>Hash</dt>
          <dd className="mono">{hash}</dd>
          <dt>Hash before it</dt>
          <dd className="mono">{previous}</dd>
          {trace === undefined ? null : (
            <>
              <dt>Trace</dt>
              <dd>
                <Link href={`/audit?trace_id=${trace}`} className="mono" onClick={onClose}>
                  {trace}
                </Link>
              </dd>
            </>
          )}
        </dl>
        <JsonView label="Record" value={record} />
      </div>
    </Modal>
  );
}
