// Accepts what it shows, and nothing else: the definitions as they were when it was opened, each with its digest. Where one
// of them changes while it is open, it says so and accepts nothing; where one changes on the way, the daemon refuses.
import { type DriftView, driftSentences, driftSeverity, type FindingView } from '@portico/contracts';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { Modal } from '../../components/modal.js';
import { ProblemNote } from '../../components/states.js';
import { useOperator } from '../../data/operator.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { plural } from '../../lib/format.js';
import { baseName, changedSince, findingsOf } from './drift-groups.js';
import { DriftBadges, DriftTexts, DriftTitle, FindingText } from './drift-row.js';

interface AcceptDialogProps {
  /** As they are shown. */
  readonly drifts: readonly DriftView[];
  /** As they are by now. */
  readonly current: readonly DriftView[];
  readonly findings: readonly FindingView[];
  onClose(): void;
}

export function AcceptDialog({ drifts, current, findings, onClose }: AcceptDialogProps) {
  const operator = useOperator();
  const [name, setName] = useState(operator.name);
  const [wasTried, setTried] = useState(false);
  const accept = useAccept(drifts);
  const isMoved = changedSince(drifts, current).length > 0 && !accept.isBusy;
  const isDangerous = drifts.some((drift) => driftSeverity(drift.class) === 'dangerous');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (isMoved || name.trim() === '') return;
    operator.setName(name.trim());
    if ((await accept.run(name.trim())) !== undefined) onClose();
  };
  return (
    <Modal
      title={drifts.length === 1 ? 'Accept this definition?' : `Accept ${drifts.length} definitions?`}
      isWide
      onClose={onClose}
    >
      <form className="stack" onSubmit={(event) => void submit(event)} noValidate>
        <p>
          The lock file has {drifts.length === 1 ? 'it' : 'them'} as shown here from now on, with your name, and agents
          may use {drifts.length === 1 ? 'it' : 'them'} where policy lets them.
        </p>
        <ul className="accepted">
          {drifts.map((drift) => (
            <Shown key={drift.id} drift={drift} isAlone={drifts.length === 1} findings={findings} />
          ))}
        </ul>
        <TextField
          label="Your name"
          hint="Written to the lock file and to the audit log, and kept in this browser."
          value={name}
          error={wasTried && name.trim() === '' ? 'Enter a name.' : undefined}
          onValue={setName}
        />
        {isMoved ? (
          <p className="note" role="alert">
            {plural(changedSince(drifts, current).length, 'definition')} changed while this was open, so that nothing is
            accepted. Close this and review what is there now.
          </p>
        ) : null}
        <ProblemNote problem={accept.problem} />
        <div className="actions">
          <Button type="submit" variant={isDangerous ? 'danger' : 'primary'} isBusy={accept.isBusy} disabled={isMoved}>
            Accept
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Modal>
  );
}

interface ShownProps {
  readonly drift: DriftView;
  readonly isAlone: boolean;
  readonly findings: readonly FindingView[];
}

function Shown({ drift, isAlone, findings }: ShownProps) {
  const { digest, class: found } = drift;
  return (
    <li>
      <DriftTitle drift={drift} /> <DriftBadges drift={drift} />
      <p className="hint">{driftSentences[found]}</p>
      {findingsOf(drift, findings).map((finding) => (
        <p key={`${finding.rule} ${finding.evidence}`} className="need-detail">
          <FindingText finding={finding} />
        </p>
      ))}
      <p className="hint">
        Digest <code className="digest">{digest}</code>
      </p>
      {isAlone ? (
        <DriftTexts drift={drift} />
      ) : (
        <details>
          <summary>Changed words</summary>
          <DriftTexts drift={drift} />
        </details>
      )}
    </li>
  );
}

/** Names the digests that were shown: the daemon accepts nothing where one is another by then. */
function useAccept(drifts: readonly DriftView[]) {
  const client = useClient();
  return useAction(
    (operator: string) => client.acceptDrift({ items: drifts.map(({ id, digest }) => ({ id, digest })), operator }),
    ({ accepted, file }) => `${plural(accepted.length, 'definition')} accepted; commit ${baseName(file)}`,
  );
}
