// The form that adds a server or changes one. Masked values that are left as they are stay as they are stored.
import type { JsonObject } from '@portico/contracts';
import { type FormEvent, useState } from 'react';
import { SelectField, TextAreaField, TextField } from '../../components/field.js';
import { Modal } from '../../components/modal.js';
import { SaveActions } from '../../components/save-actions.js';
import { useServers } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { messageFor } from '../../lib/problem.js';
import { emptyForm, readForm, type ServerForm, type ServerFormErrors, toForm } from './server-form.js';

interface ServerDialogProps {
  /** The one to change; absent to add one. */
  readonly server?: { readonly id: string; readonly definition: JsonObject };
  onClose(): void;
}

const transports = [
  ['stdio', 'A program on this machine'],
  ['http', 'A server at an address'],
] as const;

/** Fields that the form has no place for are said below it. */
const placed = ['name', 'command', 'args', 'env', 'url', 'headers'] as const;

export function ServerDialog({ server, onClose }: ServerDialogProps) {
  const client = useClient();
  const [form, setForm] = useState<ServerForm>(() =>
    server === undefined ? emptyForm : toForm(server.id, server.definition),
  );
  const [errors, setErrors] = useState<ServerFormErrors>({});
  const servers = useServers().data?.servers ?? [];
  const save = useAction(client.upsertServer, (answer) => `${answer.server} is saved; it is ${answer.status}`);

  const field = (name: keyof ServerForm) => ({
    value: form[name],
    error: errors[name] ?? messageFor(save.problem, ...pathsOf(name, form.name)),
    onValue: (value: string) => setForm((before) => ({ ...before, [name]: value })),
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const read = readForm(form);
    const isTaken = server === undefined && servers.some(({ id }) => id === form.name.trim());
    const taken = isTaken
      ? { name: 'A server of this name is configured; edit that one, or choose another name.' }
      : {};
    setErrors({ ...(read.ok ? {} : read.errors), ...taken });
    save.reset();
    if (read.ok && !isTaken && (await save.run({ name: read.name, server: read.server })) !== undefined) onClose();
  };
  const isPlaced = placed.some((name) => messageFor(save.problem, ...pathsOf(name, form.name)) !== undefined);
  return (
    <Modal title={server === undefined ? 'Add a server' : `Edit ${server.id}`} onClose={onClose}>
      <form className="stack" noValidate onSubmit={submit}>
        <TextField
          label="Name"
          hint="1 to 64 of A-Z a-z 0-9 _ - ; ids of its tools begin with it."
          readOnly={server !== undefined}
          {...field('name')}
        />
        <SelectField
          label="Reached as"
          options={transports}
          value={form.transport}
          onValue={(value) => setForm({ ...form, transport: value === 'http' ? 'http' : 'stdio' })}
        />
        {form.transport === 'stdio' ? (
          <>
            <TextField
              label="Command"
              className="mono"
              hint="A program, by name or path; no shell is in between."
              {...field('command')}
            />
            <TextAreaField label="Arguments" rows={3} hint="One in each line." {...field('args')} />
            <TextAreaField
              label="Environment"
              rows={3}
              hint="NAME=value in each line. ******** keeps what is stored; keychain://, op:// and env:// look a secret up."
              {...field('env')}
            />
          </>
        ) : (
          <>
            <TextField label="URL" className="mono" inputMode="url" {...field('url')} />
            <TextAreaField
              label="Headers"
              rows={3}
              hint="Name: value in each line. ******** keeps what is stored."
              {...field('headers')}
            />
          </>
        )}
        <TextAreaField
          label="More fields"
          rows={form.more === '' ? 2 : 6}
          hint="JSON: auth, resilience, protocolVersion and what else the definition has."
          {...field('more')}
        />
        <SaveActions
          label={server === undefined ? 'Add server' : 'Save'}
          isBusy={save.isBusy}
          problem={isPlaced ? undefined : save.problem}
          onCancel={onClose}
        />
      </form>
    </Modal>
  );
}

/** As the service names the field: in the request, or in the file. */
function pathsOf(field: keyof ServerForm, name: string): string[] {
  return field === 'name'
    ? ['name']
    : [`server.${field}`, `mcpServers.${name}.${field}`, `mcpServers["${name}"].${field}`];
}
