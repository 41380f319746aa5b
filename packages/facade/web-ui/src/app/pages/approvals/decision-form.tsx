// Approves a ticket, with other arguments where they were edited, or rejects it. Typed text stays when it fails.
import type { JsonObject } from '@portico/contracts';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { DiffView } from '../../components/diff-view.js';
import { TextField } from '../../components/field.js';
import { JsonField } from '../../components/json-field.js';
import { ProblemNote } from '../../components/states.js';
import { useOperator } from '../../data/operator.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { diffOf } from '../../lib/args-diff.js';
import { isEdited, parseJsonObject } from '../../lib/json-text.js';
import { messageFor } from '../../lib/problem.js';
import { toVisibleJson } from '../../lib/visible.js';
import { type GrantRequest, RememberDialog } from './remember-dialog.js';
import type { Ticket } from './ticket.js';

interface Approval {
  /** The edited arguments; undefined for the call as it was asked for. */
  readonly modified?: JsonObject;
  readonly grant?: GrantRequest;
}

interface DecisionFormProps {
  readonly ticket: Ticket;
  /** Called with the grant that was made with the approval. */
  onGranted(grantId: string): void;
}

export function DecisionForm({ ticket, onGranted }: DecisionFormProps) {
  const original = toVisibleJson(ticket.args);
  const [text, setText] = useState(original);
  const { name, setName } = useOperator();
  const [operator, setOperator] = useState(name);
  const [reason, setReason] = useState('');
  const [wasTried, setTried] = useState(false);
  // A definition that changes while the page is open is read before it can be approved.
  const [readDigest, setReadDigest] = useState(ticket.view.definition_digest);
  const isUnread = readDigest !== ticket.view.definition_digest;
  const [isRemembering, setRemembering] = useState(false);
  const { approve, reject } = useDecisions(ticket, { operator, reason, digest: readDigest });
  const parsed = parseJsonObject(text);
  const args = parsed.ok ? (parsed.value as JsonObject) : undefined;
  const isChanged = args !== undefined && isEdited(ticket.args, args);
  const isNamed = operator.trim() !== '';
  const isBusy = approve.isBusy || reject.isBusy;

  const decide = (run: () => Promise<unknown>) => {
    setTried(true);
    if (!isNamed) return;
    setName(operator);
    approve.reset();
    reject.reset();
    void run();
  };
  const remember = async (grant: GrantRequest) => {
    setName(operator);
    const granted = (await approve.run({ grant }))?.grant_id;
    if (granted !== undefined) onGranted(granted);
  };

  return (
    <>
      {/* Enter in a field decides nothing: a reason is typed here as well. */}
      <form className="stack" onSubmit={(event) => event.preventDefault()}>
        <JsonField
          label="Arguments"
          text={text}
          error={messageFor(approve.problem, 'modified_args', 'args')}
          onText={setText}
        />
        {isChanged && args !== undefined ? (
          <YourChanges from={ticket.args} to={args} onTakeBack={() => setText(original)} />
        ) : null}
        <div className="columns">
          <TextField
            label="Your name"
            hint="Stands in the ticket and in the audit log."
            value={operator}
            error={
              wasTried && !isNamed ? 'Say who decides.' : messageFor(approve.problem ?? reject.problem, 'operator')
            }
            onValue={setOperator}
          />
          <TextField label="Reason" hint="For a rejection; the caller reads it." value={reason} onValue={setReason} />
        </div>
        <ProblemNote problem={isRemembering ? undefined : (approve.problem ?? reject.problem)} />
        {isUnread ? (
          <div className="actions">
            <p role="alert">The definition changed while this page was open. The changes are shown above.</p>
            <Button onClick={() => setReadDigest(ticket.view.definition_digest)}>I have read the changes</Button>
          </div>
        ) : null}
        <div className="actions decision-actions">
          <Button
            variant="primary"
            isBusy={approve.isBusy}
            disabled={isUnread || (isBusy && !approve.isBusy)}
            onClick={() => {
              if (args !== undefined) decide(() => approve.run(isChanged ? { modified: args } : {}));
            }}
          >
            {isChanged ? 'Approve with these changes' : 'Approve'}
          </Button>
          {ticket.grant_offer === undefined ? null : (
            <Button
              disabled={isUnread || isBusy || isChanged}
              title={
                isChanged ? 'Take the changes back first: only a call as it was asked for is remembered' : undefined
              }
              onClick={() => decide(async () => setRemembering(true))}
            >
              Approve and remember…
            </Button>
          )}
          <Button
            variant="danger"
            isBusy={reject.isBusy}
            disabled={isBusy && !reject.isBusy}
            onClick={() => decide(() => reject.run(undefined))}
          >
            Reject
          </Button>
        </div>
      </form>
      {ticket.grant_offer === undefined || !isRemembering ? null : (
        <RememberDialog
          kind={ticket.kind}
          capability={ticket.capability_id}
          offer={ticket.grant_offer}
          isBusy={approve.isBusy}
          problem={approve.problem}
          onApprove={(grant) => void remember(grant)}
          onClose={() => setRemembering(false)}
        />
      )}
    </>
  );
}

interface Typed {
  readonly operator: string;
  readonly reason: string;
  /** Digest of the definition that the person has read. */
  readonly digest: string | null;
}

function useDecisions({ id }: Ticket, { operator, reason, digest }: Typed) {
  const client = useClient();
  const approve = useAction(
    ({ modified, grant }: Approval) =>
      client.approve(id, {
        operator,
        definition_digest: digest,
        ...(modified === undefined ? {} : { modified_args: modified }),
        ...(grant === undefined ? {} : { grant }),
      }),
    () => `${id} is approved`,
  );
  const reject = useAction(
    () => client.reject(id, { operator, ...(reason === '' ? {} : { reason }) }),
    () => `${id} is rejected`,
  );
  return { approve, reject };
}

interface YourChangesProps {
  readonly from: Ticket['args'];
  readonly to: JsonObject;
  onTakeBack(): void;
}

function YourChanges({ from, to, onTakeBack }: YourChangesProps) {
  return (
    <>
      <DiffView label="Your changes" lines={diffOf(from, to)} />
      <div className="actions">
        <Button variant="quiet" onClick={onTakeBack}>
          Take the changes back
        </Button>
      </div>
    </>
  );
}
