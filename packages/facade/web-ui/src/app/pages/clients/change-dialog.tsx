// Shows the exact change to a client's file before it is made.
import type { AiClient } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { Modal } from '../../components/modal.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';

interface ChangeDialogProps {
  readonly aiClient: AiClient;
  readonly action: 'attach' | 'detach';
  onDone(): void;
  onClose(): void;
}

export function ChangeDialog({ aiClient: { id, name, path }, action, onDone, onClose }: ChangeDialogProps) {
  const client = useClient();
  const preview = useQuery({
    queryKey: ['client-preview', id, action],
    queryFn: ({ signal }) => client.previewClient(id, { action }, { signal }),
  });
  const change = useAction(
    () => (action === 'attach' ? client.attachClient(id) : client.detachClient(id)),
    () => (action === 'attach' ? `Portico is attached to ${name}` : `Portico is detached from ${name}`),
  );
  const confirm = async () => {
    if ((await change.run(undefined)) === undefined) return;
    onDone();
    onClose();
  };
  const verb = action === 'attach' ? 'Attach' : 'Detach';
  return (
    <Modal title={action === 'attach' ? `Attach to ${name}` : `Detach from ${name}`} isWide onClose={onClose}>
      <div className="stack">
        <p>
          {action === 'attach' ? 'This is written into ' : 'This is taken out of '}
          <code>
            <VisibleText text={path} />
          </code>
          . Everything else in the file stays, and a copy of it as it is now is kept for Undo.
        </p>
        <QueryView query={preview} what="the change">
          {(shown) => (
            <>
              {shown.restores.length === 0 ? null : (
                <p>
                  These servers of its own are turned on again: <VisibleText text={shown.restores.join(', ')} />.
                </p>
              )}
              {shown.change !== null ? <Change {...shown.change} /> : null}
              {shown.change === null && shown.restores.length === 0 ? (
                <p className="note">The file stays as it is.</p>
              ) : null}
            </>
          )}
        </QueryView>
        <ProblemNote problem={change.problem} />
        <div className="actions">
          <Button
            variant="primary"
            isBusy={change.isBusy}
            disabled={preview.data === undefined}
            onClick={() => void confirm()}
          >
            {verb}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Modal>
  );
}

interface ChangeProps {
  readonly line: number;
  readonly removed: string;
  readonly added: string;
}

function Change({ line, removed, added }: ChangeProps) {
  return (
    <div className="change">
      {removed === '' ? null : <Part name={`Removed at line ${line}`} mark="−" text={removed} kind="removed" />}
      {added === '' ? null : <Part name={`Added at line ${line}`} mark="+" text={added} kind="added" />}
    </div>
  );
}

interface PartProps {
  readonly name: string;
  readonly mark: string;
  readonly text: string;
  readonly kind: 'added' | 'removed';
}

function Part({ name, mark, text, kind }: PartProps) {
  return (
    <figure className={`change-part is-${kind}`}>
      <figcaption>
        <span aria-hidden="true">{mark} </span>
        {name}
      </figcaption>
      <pre>
        <VisibleText text={text} />
      </pre>
    </figure>
  );
}
