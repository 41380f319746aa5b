// Tests an id against policy: the service answers, so that its own rules apply.
import type { Answers } from '@portico/client';
import { type FormEvent, useState } from 'react';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { SelectField, TextField } from '../../components/field.js';
import { Section } from '../../components/page.js';
import { ProblemNote } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { messageFor } from '../../lib/problem.js';
import { toVisible } from '../../lib/visible.js';

interface TesterProps {
  readonly profiles: readonly string[];
  readonly roles: readonly string[];
}

const kinds = [
  ['tool', 'Capability'],
  ['resource', 'Resource'],
  ['prompt', 'Prompt'],
] as const;

export function Tester({ profiles, roles }: TesterProps) {
  const client = useClient();
  const [id, setId] = useState('');
  const [kind, setKind] = useState<string>('tool');
  const [profile, setProfile] = useState('');
  const [role, setRole] = useState('');
  const [verdict, setVerdict] = useState<Answers['testPolicy'] | undefined>(undefined);
  const test = useAction(client.testPolicy);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const asked = kinds.find(([known]) => known === kind)?.[0] ?? 'tool';
    const orNull = (text: string) => (text === '' ? null : text);
    setVerdict(await test.run({ id: id.trim(), kind: asked, profile: orNull(profile), role: orNull(role) }));
  };
  const isPlaced = messageFor(test.problem, 'id') !== undefined;
  return (
    <Section title="What would happen to this id?" lead="The daemon is asked; nothing is run.">
      <form className="tester" noValidate onSubmit={submit}>
        <TextField
          label="Id or alias"
          className="mono"
          placeholder="server.tool"
          error={messageFor(test.problem, 'id')}
          value={id}
          onValue={setId}
        />
        <SelectField label="Kind" options={kinds} value={kind} onValue={setKind} />
        {profiles.length === 0 ? null : (
          <SelectField label="Profile" options={choices(profiles, 'none')} value={profile} onValue={setProfile} />
        )}
        {roles.length === 0 ? null : (
          <SelectField label="Role" options={choices(roles, 'operator')} value={role} onValue={setRole} />
        )}
        <Button type="submit" variant="primary" isBusy={test.isBusy}>
          Test
        </Button>
      </form>
      <div role="status">{verdict === undefined ? null : <Verdict {...verdict} />}</div>
      <ProblemNote problem={isPlaced ? undefined : test.problem} />
    </Section>
  );
}

const effects: Readonly<Record<Answers['testPolicy']['effect'], readonly [Tone, string]>> = {
  runs: ['good', 'Runs'],
  waits_for_approval: ['warn', 'Waits for approval'],
  denied: ['bad', 'Denied'],
  not_found: ['neutral', 'Not found'],
};

function Verdict(tested: Answers['testPolicy']) {
  const { id, effect, decision, pattern, names, written_at, depends_on, shadow, near } = tested;
  const [tone, word] = effects[effect];
  return (
    <div className="note verdict">
      <p>
        <Badge tone={tone}>{word}</Badge> <VisibleText text={id} />
      </p>
      <p>
        {pattern === null ? (
          reasons[decision]
        ) : (
          <>
            The rule{' '}
            <code>
              <VisibleText text={pattern} />
            </code>{' '}
            decides{written_at.length === 0 ? '' : ` (${written_at.map(toVisible).join(', ')})`}.
          </>
        )}
        {effect === 'not_found' && decision !== 'not_allowed'
          ? ' There is no such thing now, for this profile and role.'
          : ''}
      </p>
      {depends_on.length === 0 ? null : (
        <p>
          It depends on the arguments: <VisibleText text={depends_on.join(', ')} />.
        </p>
      )}
      {shadow === null ? null : (
        <p>
          Rules on trial would have it otherwise: <VisibleText text={shadow.rule ?? shadow.decision} />.
        </p>
      )}
      {near.length === 0 ? null : (
        <p className="hint">
          Did you mean <VisibleText text={near.join(', ')} />?
        </p>
      )}
      {names.length > 1 ? (
        <p className="hint">
          Tried on: <VisibleText text={names.join(', ')} />
        </p>
      ) : null}
    </div>
  );
}

const reasons: Readonly<Record<Answers['testPolicy']['decision'], string>> = {
  allow: 'No rule is against it.',
  deny: 'A deny rule covers it.',
  not_allowed: 'No allow rule covers it, so it does not exist for callers.',
  require_approval: 'It needs approval.',
};

function choices(names: readonly string[], none: string): readonly (readonly [string, string])[] {
  return [['', none], ...names.map((name) => [name, toVisible(name)] as const)];
}
