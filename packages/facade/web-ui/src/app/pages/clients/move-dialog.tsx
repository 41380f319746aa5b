// Shows what moving the own servers of a client behind Portico does before it is done.
import type { AiClient, ClientMove } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { Modal } from '../../components/modal.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';

interface MoveDialogProps {
  readonly aiClient: AiClient;
  onDone(): void;
  onClose(): void;
}

export function MoveDialog({ aiClient: { id, name }, onDone, onClose }: MoveDialogProps) {
  const client = useClient();
  const planned = useQuery({
    queryKey: ['client-move', id],
    queryFn: ({ signal }) => client.moveClient(id, { dry_run: true }, { signal }),
  });
  const move = useAction(
    () => client.moveClient(id, {}),
    ({ servers, left }) => sayMoved(name, servers.length, left.length),
  );
  const confirm = async () => {
    if ((await move.run(undefined)) === undefined) return;
    onDone();
    onClose();
  };
  return (
    <Modal title={`Move servers of ${name} behind Portico`} isWide onClose={onClose}>
      <div className="stack">
        <QueryView query={planned} what="the servers">
          {(shown) => <Planned {...shown} />}
        </QueryView>
        <ProblemNote problem={move.problem} />
        <div className="actions">
          <Button
            variant="primary"
            isBusy={move.isBusy}
            disabled={planned.data === undefined || planned.data.servers.length === 0}
            onClick={() => void confirm()}
          >
            Move
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Modal>
  );
}

function sayMoved(name: string, moved: number, left: number): string {
  const rest = left === 0 ? '' : `; ${left} stayed`;
  return `${moved} of the servers of ${name} ${moved === 1 ? 'is' : 'are'} behind Portico${rest}`;
}

function Planned({ path, config_path, servers, left }: ClientMove) {
  return (
    <>
      <p>
        The servers are added to{' '}
        <code>
          <VisibleText text={config_path} />
        </code>
        . The servers that connect are then turned off in{' '}
        <code>
          <VisibleText text={path} />
        </code>
        . Undo turns them on again.
      </p>
      <ul>
        {servers.map(({ name, server_id, imported, lost_fields, plain_secrets }) => (
          <li key={`${server_id} ${name}`}>
            <VisibleText text={name} />
            {imported ? '' : ' (Portico has it already)'}
            {lost_fields.length === 0 ? null : <VisibleText text={`; without ${lost_fields.join(', ')}`} />}
            {plain_secrets.length === 0 ? null : (
              <VisibleText text={`; plain secrets in ${plain_secrets.join(', ')}`} />
            )}
          </li>
        ))}
        {left.map(({ name, reason }) => (
          <li key={`left ${name}`}>
            <VisibleText text={`${name} stays: ${reason}`} />
          </li>
        ))}
      </ul>
    </>
  );
}
