// Grants as a table: the calls that each answers, what is left of it, and who made it.
import { Link } from 'wouter';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { Moment } from '../../components/moment.js';
import { VisibleText } from '../../components/visible-text.js';
import { conditionLine, type Grant, namesOf, stateText, usesText } from '../../lib/grant-words.js';
import { toVisible } from '../../lib/visible.js';

interface GrantTableProps {
  readonly grants: readonly Grant[];
  onOpen(id: string): void;
  /** Asked for; a dialog of the page asks first. */
  onRevoke(grant: Grant): void;
}

export function GrantTable({ grants, onOpen, onRevoke }: GrantTableProps) {
  return (
    <DataTable
      caption="Grants, newest first"
      columns={columns(onOpen, onRevoke)}
      rows={grants}
      keyOf={({ grant_id }) => grant_id}
      empty=""
    />
  );
}

const tones: Readonly<Record<Grant['state'], Tone>> = {
  active: 'good',
  used_up: 'neutral',
  expired: 'neutral',
  revoked: 'bad',
  void: 'warn',
};

export function GrantBadge({ grant }: { readonly grant: Grant }) {
  return <Badge tone={tones[grant.state]}>{stateText(grant)}</Badge>;
}

/** Moment of Unix seconds; `never` without one. */
export function At({ secs }: { readonly secs: number | undefined }) {
  return secs === undefined ? 'never' : <Moment at={new Date(secs * 1000)} />;
}

function columns(onOpen: (id: string) => void, onRevoke: (grant: Grant) => void): readonly Column<Grant>[] {
  return [
    {
      title: 'Calls of',
      render: ({ grant_id: id, capability_id: capability }) => (
        <button type="button" className="grant-open mono" data-key="Enter" onClick={() => onOpen(id)}>
          <VisibleText text={capability} />
          <span className="visually-hidden">, {id}</span>
        </button>
      ),
    },
    {
      title: 'Must be equal',
      kind: 'code',
      render: ({ conditions }) => (
        <span className="cell-clip">
          <VisibleText text={conditions.length === 0 ? '–' : conditions.map(conditionLine).join(', ')} />
        </span>
      ),
    },
    {
      title: 'Any value',
      kind: 'code',
      render: ({ free }) => <VisibleText text={free.length === 0 ? '–' : namesOf(free)} />,
    },
    { title: 'Uses left', kind: 'number', render: usesText },
    {
      title: 'State',
      render: (grant) => (
        <span>
          <GrantBadge grant={grant} />{' '}
          {grant.state === 'active' ? (
            <span className="muted">
              ends <At secs={grant.expires_at} />
            </span>
          ) : null}
        </span>
      ),
    },
    { title: 'Last use', render: ({ last_used_at: secs }) => <At secs={secs} /> },
    {
      title: 'Made',
      render: ({ issued_by: by, created_at: at, approval_id: ticket }) => (
        <span>
          by <VisibleText text={by} />, <At secs={at} />,{' '}
          <Link href={`/approvals?id=${encodeURIComponent(ticket)}`}>
            ticket<span className="visually-hidden"> {ticket}</span>
          </Link>
        </span>
      ),
    },
    {
      title: 'Revoke',
      kind: 'actions',
      render: (grant) =>
        grant.state !== 'active' ? null : (
          <Button variant="quiet" onClick={() => onRevoke(grant)}>
            Revoke…
            <span className="visually-hidden">
              {' '}
              {grant.grant_id} for {toVisible(grant.capability_id)}
            </span>
          </Button>
        ),
    },
  ];
}
