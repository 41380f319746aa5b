// How the lock stands: its mode and file, why it cannot be used, and how to begin where there is none.
import type { Answers } from '@portico/client';
import { type DriftView, lockFaultText, lockModeSentences } from '@portico/contracts';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { CodeView } from '../../components/code-view.js';
import { Section } from '../../components/page.js';
import { VisibleText } from '../../components/visible-text.js';
import { plural } from '../../lib/format.js';
import { toVisible } from '../../lib/visible.js';
import { acceptableTogether, baseName, mostAtOnce, unlockedOf } from './drift-groups.js';

type State = Answers['getLock'];

interface LockStateProps {
  readonly state: State;
  readonly drifts: readonly DriftView[];
  /** Whether `drifts` has all of them. */
  readonly isWhole: boolean;
  onAccept(drifts: readonly DriftView[]): void;
}

export function LockState({ state, drifts, isWhole, onAccept }: LockStateProps) {
  const { mode, servers, missing, fault } = state;
  if (mode === 'off' && servers.every((server) => server.mode === 'off')) return <HowToBegin />;
  return (
    <>
      <ModeLine state={state} />
      {missing === true ? (
        <Missing state={state} drifts={drifts} isWhole={isWhole} onAccept={onAccept} />
      ) : fault === undefined ? null : (
        <Unusable state={state} fault={fault} />
      )}
    </>
  );
}

const modeTones: Readonly<Record<State['mode'], Tone>> = { off: 'neutral', warn: 'info', enforce: 'good' };

function ModeLine({ state: { mode, file, servers } }: { readonly state: State }) {
  const stricter = servers.filter((server) => server.mode !== mode);
  return (
    <p className="row lock-line">
      <Badge tone={modeTones[mode]}>mode {mode}</Badge>
      <span>{lockModeSentences[mode]}</span>
      {stricter.length === 0 ? null : (
        <span className="muted">
          Stricter for <VisibleText text={stricter.map(({ id, mode: own }) => `${id} (${own})`).join(', ')} />.
        </span>
      )}
      {file === null ? null : (
        <span className="mono muted" title={toVisible(file)}>
          <VisibleText text={baseName(file)} />
        </span>
      )}
    </p>
  );
}

/** Whether something is held for a lock that cannot be used. */
function isEnforced({ servers }: State): boolean {
  return servers.some(({ mode }) => mode === 'enforce');
}

function Unusable({ state, fault }: { readonly state: State; readonly fault: string }) {
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{isEnforced(state) ? `${lockFaultText}.` : 'The lock cannot be used, so nothing is compared.'}</strong>
      </p>
      <p>
        <VisibleText text={fault} />
      </p>
      <p className="problem-next">
        {isEnforced(state) ? 'GET /readyz answers 503 until then. ' : ''}
        Restore the file from version control, or resolve the conflict in it; it is read again once it is written.
      </p>
    </div>
  );
}

function Missing({ state, drifts, isWhole, onAccept }: LockStateProps) {
  const together = acceptableTogether(drifts, unlockedOf(state.servers));
  return (
    <div className={isEnforced(state) ? 'problem' : 'note stack'} role={isEnforced(state) ? 'alert' : 'status'}>
      <p>
        <strong>There is no lock file yet{isEnforced(state) ? ', and everything is held' : ''}.</strong> It has what is
        accepted. Look through the findings below first.
      </p>
      <CodeView label="Command that writes it from all that is listed" text="portico lock init" />
      {together.length === 0 || !isWhole || drifts.length > mostAtOnce ? null : (
        <Button onClick={() => onAccept(together)}>Accept {plural(together.length, 'definition')} here…</Button>
      )}
    </div>
  );
}

function HowToBegin() {
  return (
    <Section
      title="The lock is off"
      lead="A lock file has every definition as you accepted it, so that no server changes its tools unnoticed."
    >
      <ol className="steps">
        <li>
          Add this to the configuration file, and reload it:
          <CodeView label="Configuration" text={'"lock": { "mode": "warn" }'} />
        </li>
        <li>
          Write the lock from what all servers list, and commit it beside the configuration:
          <CodeView label="Command" text="portico lock init" />
        </li>
        <li>
          Once this page stays empty, change <code>warn</code> to <code>enforce</code>: what differs is held then, until
          a person accepts it.
        </li>
      </ol>
    </Section>
  );
}
