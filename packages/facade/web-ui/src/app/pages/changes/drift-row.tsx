// A definition that differs, as a row: what it is, its class, whether it is held, and on demand what has changed.
import {
  type DriftView,
  definitionTitle,
  driftSentences,
  driftSeverity,
  driftWord,
  type FindingView,
  findingSentences,
} from '@portico/contracts';
import { useState } from 'react';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { VisibleText } from '../../components/visible-text.js';
import { DecisionRow } from '../../decisions/decision-row.js';
import { toVisible } from '../../lib/visible.js';
import { ChangeText } from './change-text.js';
import { isShownWhole } from './drift-groups.js';

interface DriftRowProps {
  readonly drift: DriftView;
  /** It, and the change of its server if that has to be accepted as well. */
  readonly accepted: readonly DriftView[];
  readonly findings: readonly FindingView[];
  /** It was accepted, or the server took it back. */
  readonly isGone: boolean;
  readonly isOpenAtFirst: boolean;
  onAccept(drifts: readonly DriftView[]): void;
}

export function DriftRow({ drift, accepted, findings, isGone, isOpenAtFirst, onAccept }: DriftRowProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <DecisionRow
      isGone={isGone}
      over="done"
      actions={
        accepted.every(isShownWhole) ? (
          <Button variant="primary" data-key="a" onClick={() => onAccept(accepted)}>
            Accept…<span className="visually-hidden"> {toVisible(definitionTitle(drift))}</span>
          </Button>
        ) : (
          <span className="muted">Too long to be shown whole: portico lock accept</span>
        )
      }
    >
      <button
        type="button"
        className="drift-title"
        aria-expanded={isOpen}
        data-key="Enter"
        onClick={() => setOpen(!isOpen)}
      >
        <DriftTitle drift={drift} />
      </button>{' '}
      <DriftBadges drift={drift} />
      <p className="need-detail muted">{driftSentences[drift.class]}</p>
      {findings.map((finding) => (
        <p key={`${finding.rule} ${finding.evidence}`} className="need-detail">
          <FindingText finding={finding} />
        </p>
      ))}
      {isOpen ? <DriftTexts drift={drift} /> : null}
    </DecisionRow>
  );
}

export function DriftTitle({ drift }: { readonly drift: DriftView }) {
  const { former_name: former } = drift;
  return (
    <>
      <strong>
        <VisibleText text={definitionTitle(drift)} />
      </strong>
      {former === undefined ? null : (
        <>
          {' '}
          was <VisibleText text={former} />
        </>
      )}
    </>
  );
}

const tones: Readonly<Record<ReturnType<typeof driftSeverity>, Tone>> = {
  harmless: 'neutral',
  review: 'warn',
  dangerous: 'bad',
};

export function DriftBadges({ drift: { class: found, held } }: { readonly drift: DriftView }) {
  return (
    <span className="drift-badges">
      <Badge tone={tones[driftSeverity(found)]}>{driftWord(found)}</Badge>
      {held ? <Badge tone="warn">held</Badge> : found === 'removed' ? null : <Badge>in use</Badge>}
    </span>
  );
}

/** "has characters that are not seen: U+202E" */
export function FindingText({ finding: { rule, evidence } }: { readonly finding: FindingView }) {
  return (
    <>
      {findingSentences[rule]}:{' '}
      <q>
        <VisibleText text={evidence} />
      </q>
    </>
  );
}

/** Every change of a definition. */
export function DriftTexts({ drift }: { readonly drift: DriftView }) {
  return (
    <div className="stack drift-texts">
      {drift.changes.map((change) => (
        <ChangeText key={change.field} of={definitionTitle(drift)} change={change} />
      ))}
    </div>
  );
}
