// The receivers of notices about tickets. Masked values that are not edited keep their stored value.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { Section } from '../../components/page.js';
import { ProblemNote } from '../../components/states.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { messageFor } from '../../lib/problem.js';

const fields = [
  ['url', 'URL', 'Gets a signed POST for each ticket that is created and decided.'],
  ['secret_env', 'Variable with the signing secret', 'Name of an environment variable of the daemon.'],
  ['secret', 'Signing secret', 'In place of the variable; it is written to the file.'],
  ['auth_header', 'Authorization header', undefined],
] as const;

type Fields = Readonly<Record<(typeof fields)[number][0], string>>;

export function WebhookSection({ webhook }: { readonly webhook: JsonObject | null }) {
  const client = useClient();
  const [form, setForm] = useState<Fields>(() => toFields(webhook));
  const save = useAction(
    () => client.mergePolicy({ webhook: toWebhook(form, webhook) }),
    () => 'The webhook is saved',
  );
  const remove = useAction(
    () => client.mergePolicy({ webhook: null }),
    () => 'The webhook is removed',
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save.run(undefined);
  };
  const beside = (name: keyof Fields) => messageFor(save.problem, `webhook.${name}`, `policy.webhook.${name}`);
  const isPlaced = fields.some(([name]) => beside(name) !== undefined);
  return (
    <Section title="Webhook">
      <form className="stack" noValidate onSubmit={submit}>
        {fields.map(([name, label, hint]) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            error={beside(name)}
            value={form[name]}
            onValue={(value) => setForm({ ...form, [name]: value })}
          />
        ))}
        <ProblemNote problem={isPlaced ? undefined : (save.problem ?? remove.problem)} />
        <div className="actions">
          <Button type="submit" isBusy={save.isBusy}>
            Save webhook
          </Button>
          {webhook === null ? null : (
            <Button variant="danger" isBusy={remove.isBusy} onClick={() => void remove.run(undefined)}>
              Remove webhook
            </Button>
          )}
        </div>
      </form>
    </Section>
  );
}

function toFields(webhook: JsonObject | null): Fields {
  const text = (name: string) => (typeof webhook?.[name] === 'string' ? webhook[name] : '');
  return { url: text('url'), secret_env: text('secret_env'), secret: text('secret'), auth_header: text('auth_header') };
}

/** Headers have no field here and stay as they are. */
function toWebhook(form: Fields, webhook: JsonObject | null) {
  const given = Object.entries(form).filter(([name, value]) => name === 'url' || value !== '');
  const headers = isJsonObject(webhook?.headers) ? { headers: webhook.headers as Record<string, string> } : {}; // as the schema has it
  return { url: form.url, ...Object.fromEntries(given), ...headers };
}
