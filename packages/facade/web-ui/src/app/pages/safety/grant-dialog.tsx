// One grant with everything that is known of it.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Modal } from '../../components/modal.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { often } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { conditionLine, type Grant, namesOf, scopeOfGrant, scopeText, usesText } from '../../lib/grant-words.js';
import { LineList } from '../approvals/line-list.js';
import { entryPath } from '../catalog/entry-link.js';
import { At, GrantBadge } from './grant-table.js';

interface GrantDialogProps {
  readonly id: string;
  onClose(): void;
}

export function GrantDialog({ id, onClose }: GrantDialogProps) {
  const client = useClient();
  const grant = useQuery({
    queryKey: ['grant', id],
    refetchInterval: often,
    queryFn: ({ signal }) => client.getGrant(id, { signal }),
  });
  return (
    <Modal title={id} isWide onClose={onClose}>
      <QueryView query={grant} what="the grant">
        {({ grant: shown }) => <Shown grant={shown} />}
      </QueryView>
    </Modal>
  );
}

function Shown({ grant }: { readonly grant: Grant }) {
  const { conditions, free, kind, capability_id: capability, approval_id: ticket, revoked_by: revoker } = grant;
  return (
    <div className="stack">
      <p>
        <GrantBadge grant={grant} /> It answers <VisibleText text={scopeText(scopeOfGrant(grant))} />.
      </p>
      <dl className="facts">
        <Fact name="Must be equal">
          {conditions.length === 0 ? (
            'no argument'
          ) : (
            <LineList label="Must be equal" lines={conditions.map(conditionLine)} />
          )}
        </Fact>
        <Fact name="Any value">
          <VisibleText text={free.length === 0 ? 'no argument' : namesOf(free)} />
        </Fact>
        <Fact name="Uses left">{usesText(grant)}</Fact>
        <Fact name="Last use">
          <At secs={grant.last_used_at} />
        </Fact>
        <Fact name={grant.state === 'active' ? 'Ends' : grant.state === 'expired' ? 'Ended' : 'Would have ended'}>
          <At secs={grant.expires_at} />
        </Fact>
        {grant.revoked_at === undefined ? null : (
          <Fact name="Revoked">
            by <VisibleText text={revoker ?? 'an operator'} />, <At secs={grant.revoked_at} />
          </Fact>
        )}
        <Fact name="Made">
          by <VisibleText text={grant.issued_by} />, <At secs={grant.created_at} />, from the ticket{' '}
          <Link href={`/approvals?id=${encodeURIComponent(ticket)}`}>{ticket}</Link>
        </Fact>
        <Fact name="Caller">
          <VisibleText text={callerText(grant)} />
          {grant.client === null ? null : (
            <span className="muted">
              , asked with <VisibleText text={grant.client} />
            </span>
          )}
        </Fact>
        <Fact name="Definition">
          <Link href={entryPath(`${kind}s`, capability)} className="mono">
            <VisibleText text={capability} />
          </Link>{' '}
          <code className="hint">{grant.definition_digest}</code>
        </Fact>
      </dl>
    </div>
  );
}

/** `actor ada, role dev, profile reading` */
function callerText({ actor, role, profile }: Grant): string {
  const parts = Object.entries({ actor, role, profile }).flatMap(([of, name]) =>
    name === null ? [] : [`${of} ${name}`],
  );
  return parts.length === 0 ? 'without an actor, role or profile' : parts.join(', ');
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
