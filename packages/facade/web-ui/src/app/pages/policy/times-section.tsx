// How long a ticket waits for a decision.
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { Section } from '../../components/page.js';
import { ProblemNote } from '../../components/states.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { messageFor } from '../../lib/problem.js';

export function TimesSection({ timeoutSecs }: { readonly timeoutSecs: number }) {
  const client = useClient();
  const [text, setText] = useState(String(timeoutSecs));
  const save = useAction(
    (secs: number) => client.mergePolicy({ approval_timeout_secs: secs }),
    ({ policy }) => `Tickets expire after ${policy.approval_timeout_secs} seconds`,
  );
  const [isTried, setTried] = useState(false);
  const isNumber = /^[1-9]\d*$/.test(text.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    save.reset();
    if (isNumber) void save.run(Number(text));
  };
  const wrong = isTried && !isNumber ? 'Expected a whole number above 0.' : undefined;
  const beside = wrong ?? messageFor(save.problem, 'approval_timeout_secs');
  return (
    <Section title="Timeout of approvals">
      <form className="stack" noValidate onSubmit={submit}>
        <TextField label="Seconds" inputMode="numeric" error={beside} value={text} onValue={setText} />
        <ProblemNote problem={beside === undefined ? save.problem : undefined} />
        <div className="actions">
          <Button type="submit" isBusy={save.isBusy}>
            Save timeout
          </Button>
        </div>
      </form>
    </Section>
  );
}
