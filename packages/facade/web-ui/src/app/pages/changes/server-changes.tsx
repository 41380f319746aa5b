// The differences of one server, and those that can be accepted together.
import type { Answers } from '@portico/client';
import { type DriftView, type FindingView, heldText } from '@portico/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button.js';
import { Section } from '../../components/page.js';
import { useHeldRows } from '../../decisions/use-held-rows.js';
import { plural } from '../../lib/format.js';
import { toVisible } from '../../lib/visible.js';
import { acceptableTogether, findingsOf, mostAtOnce, unlockedOf, withItsServer } from './drift-groups.js';
import { DriftRow } from './drift-row.js';

interface ServerChangesProps {
  readonly id: string;
  /** Undefined for one that is locked and not configured any more. */
  readonly server: Answers['getLock']['servers'][number] | undefined;
  readonly drifts: readonly DriftView[];
  readonly findings: readonly FindingView[];
  readonly isOpenAtFirst: boolean;
  onAccept(drifts: readonly DriftView[]): void;
}

export function ServerChanges({ id, server, drifts, findings, isOpenAtFirst, onAccept }: ServerChangesProps) {
  const [shownCount, setShownCount] = useState(firstRows);
  const current = drifts.slice(0, shownCount).map((drift) => ({ key: drift.id, drift }));
  const { rows, listProps } = useHeldRows(current);
  const unlocked = unlockedOf(server === undefined ? [] : [server]);
  const together = acceptableTogether(drifts, unlocked);
  const more = drifts.length - current.length;
  return (
    <Section
      title={toVisible(id)}
      lead={server === undefined ? 'It is in the lock and not in the configuration.' : <Lead server={server} />}
      actions={
        <>
          {together.length > 1 ? (
            <AcceptTogether id={id} drifts={together} count={server?.drifts ?? drifts.length} onAccept={onAccept} />
          ) : null}
          {server === undefined ? null : (
            <Link href={`/servers/${encodeURIComponent(id)}`} className="button is-plain">
              Server<span className="visually-hidden"> {toVisible(id)}</span>
            </Link>
          )}
        </>
      }
    >
      <ul className="needs" {...listProps}>
        {rows.map(({ item: { key, drift }, isGone }) => (
          <DriftRow
            key={key}
            drift={drift}
            accepted={withItsServer(drift, drifts, unlocked)}
            findings={findingsOf(drift, findings)}
            isGone={isGone}
            isOpenAtFirst={isOpenAtFirst}
            onAccept={onAccept}
          />
        ))}
      </ul>
      {more <= 0 ? null : (
        <Button onClick={() => setShownCount(shownCount + moreRows)}>
          Show {Math.min(more, moreRows)} more of {plural(more, 'change')}
        </Button>
      )}
    </Section>
  );
}

const firstRows = 25;
const moreRows = 200;

function Lead({ server }: { readonly server: NonNullable<ServerChangesProps['server']> }) {
  if (server.held > 0 || server.wholly_held) return `The server ${heldText(server)}.`;
  return server.mode === 'enforce' ? 'Nothing of it is held.' : 'Nothing of it is held: the mode is warn.';
}

interface TogetherProps {
  readonly id: string;
  readonly drifts: readonly DriftView[];
  /** All changes of the server; more than these if some are dangerous, too long, or on another page of the answer. */
  readonly count: number;
  onAccept(drifts: readonly DriftView[]): void;
}

function AcceptTogether({ id, drifts, count, onAccept }: TogetherProps) {
  if (drifts.length > mostAtOnce)
    return (
      <span className="muted">
        Too many for one dialog; accept them with: portico lock accept --server {toVisible(id)}
      </span>
    );
  const word = drifts.length === count ? `all ${drifts.length}` : `the ${drifts.length} that are not dangerous`;
  return (
    <Button onClick={() => onAccept(drifts)}>
      Accept {word}…<span className="visually-hidden"> of {toVisible(id)}</span>
    </Button>
  );
}
