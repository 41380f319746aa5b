// The form that adds an alias or changes one.
import { type FormEvent, useState } from 'react';
import { CheckField, SelectField, TextField } from '../../components/field.js';
import { Modal } from '../../components/modal.js';
import { SaveActions } from '../../components/save-actions.js';
import { useConfig } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { messageFor } from '../../lib/problem.js';
import { type Alias, listAliases } from './list-aliases.js';

interface AliasDialogProps {
  readonly known: Alias | undefined;
  onClose(): void;
}

const kinds = [
  ['tool', 'Capability'],
  ['resource', 'Resource'],
  ['prompt', 'Prompt'],
] as const;

const blank: Alias = { kind: 'tool', alias: '', target: '', summary: '', description: '', isPassthrough: false };

export function AliasDialog({ known, onClose }: AliasDialogProps) {
  const client = useClient();
  const [form, setForm] = useState<Alias>(known ?? blank);
  const [isTried, setTried] = useState(false);
  const save = useAction(client.updateAlias, ({ alias }) => `Alias ${alias} is saved`);
  const { kind, alias, target, summary, description, isPassthrough } = form;
  const config = useConfig().data?.config;
  const isTaken =
    known === undefined &&
    config !== undefined &&
    listAliases(config).some((other) => other.kind === kind && other.alias === alias.trim());
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (alias.trim() === '' || target.trim() === '' || isTaken) return;
    const saved = await save.run({
      kind,
      alias: alias.trim(),
      target: target.trim(),
      summary: summary === '' ? null : summary,
      description: description === '' ? null : description,
      ...(kind === 'tool' ? { passthrough: isPassthrough } : {}),
    });
    if (saved !== undefined) onClose();
  };
  const missing = (text: string, message: string) => (isTried && text.trim() === '' ? message : undefined);
  const taken = isTried && isTaken ? 'There is such an alias; edit that one, or choose another.' : undefined;
  const wrong = (name: string) => messageFor(save.problem, name);
  const isPlaced = ['alias', 'target'].some((name) => wrong(name) !== undefined);
  return (
    <Modal title={known === undefined ? 'Add an alias' : `Edit ${known.alias}`} onClose={onClose}>
      <form className="stack" noValidate onSubmit={submit}>
        {known === undefined ? (
          <SelectField
            label="Kind"
            options={kinds}
            value={kind}
            onValue={(value) => setForm({ ...form, kind: kinds.find(([each]) => each === value)?.[0] ?? 'tool' })}
          />
        ) : null}
        <TextField
          label="Alias"
          className="mono"
          readOnly={known !== undefined}
          hint="Listed in place of the id, which goes on to work."
          error={missing(alias, 'Give the alias.') ?? taken ?? wrong('alias')}
          value={alias}
          onValue={(value) => setForm({ ...form, alias: value })}
        />
        <TextField
          label="Target"
          className="mono"
          placeholder="server.tool"
          hint="Canonical id; it may be one that is not there yet."
          error={missing(target, 'Enter the target of the alias.') ?? wrong('target')}
          value={target}
          onValue={(value) => setForm({ ...form, target: value })}
        />
        <TextField
          label="Summary"
          hint="In place of the tool's own."
          value={summary}
          onValue={(value) => setForm({ ...form, summary: value })}
        />
        <TextField
          label="Description"
          value={description}
          onValue={(value) => setForm({ ...form, description: value })}
        />
        {kind === 'tool' ? (
          <CheckField
            label="Passthrough"
            hint="MCP clients get it as a tool of its own, under the alias."
            isChecked={isPassthrough}
            onChecked={(isChecked) => setForm({ ...form, isPassthrough: isChecked })}
          />
        ) : null}
        <SaveActions
          label={known === undefined ? 'Add alias' : 'Save'}
          isBusy={save.isBusy}
          problem={isPlaced ? undefined : save.problem}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}
