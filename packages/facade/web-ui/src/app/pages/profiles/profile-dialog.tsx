// The form that adds a profile or changes one.
import { type FormEvent, useState } from 'react';
import { CheckField, TextField } from '../../components/field.js';
import { Modal } from '../../components/modal.js';
import { SaveActions } from '../../components/save-actions.js';
import { useConfig } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { messageFor } from '../../lib/problem.js';
import { toVisible } from '../../lib/visible.js';

export interface Profile {
  readonly name: string;
  readonly servers: readonly string[];
  readonly description: string | null;
}

interface ProfileDialogProps {
  readonly known: Profile | undefined;
  /** Ids of all servers. */
  readonly servers: readonly string[];
  onClose(): void;
}

export function ProfileDialog({ known, servers, onClose }: ProfileDialogProps) {
  const client = useClient();
  const [name, setName] = useState(known?.name ?? '');
  const [description, setDescription] = useState(known?.description ?? '');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(known?.servers));
  const [isTried, setTried] = useState(false);
  const save = useAction(client.putProfile, ({ profile }) => `Profile ${profile} is saved`);
  const profiles = useConfig().data?.profiles ?? {};
  const isTaken = known === undefined && Object.hasOwn(profiles, name.trim());
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name.trim() === '' || isTaken) return;
    const profile = {
      name: name.trim(),
      servers: [...chosen],
      description: description === '' ? null : description,
    };
    if ((await save.run(profile)) !== undefined) onClose();
  };
  const choose = (id: string, isChecked: boolean) =>
    setChosen((before) => new Set(isChecked ? [...before, id] : [...before].filter((each) => each !== id)));
  const taken = isTried && isTaken ? 'There is such a profile; edit that one, or choose another name.' : undefined;
  const nameError = taken ?? messageFor(save.problem, 'name');
  return (
    <Modal title={known === undefined ? 'Add a profile' : `Edit ${known.name}`} onClose={onClose}>
      <form className="stack" noValidate onSubmit={submit}>
        <TextField
          label="Name"
          hint="1 to 64 of A-Z a-z 0-9 _ - ; callers name it by ?profile= or X-Service-Profile."
          readOnly={known !== undefined}
          error={isTried && name.trim() === '' ? 'Give the profile a name.' : nameError}
          value={name}
          onValue={setName}
        />
        <TextField label="Description" value={description} onValue={setDescription} />
        <fieldset className="stack">
          <legend>Servers that it shows</legend>
          {servers.length === 0 ? <p className="hint">There are no servers yet.</p> : null}
          {servers.map((id) => (
            <CheckField
              key={id}
              label={toVisible(id)}
              isChecked={chosen.has(id)}
              onChecked={(isChecked) => choose(id, isChecked)}
            />
          ))}
        </fieldset>
        <SaveActions
          label={known === undefined ? 'Add profile' : 'Save'}
          isBusy={save.isBusy}
          problem={nameError === undefined ? save.problem : undefined}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}
