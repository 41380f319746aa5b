// Rules on trial: what each would have stopped, and their adding and removing. They decide nothing.
import type { Answers } from '@portico/client';
import type { PolicyInForce } from '@portico/contracts';
import { type FormEvent, useState } from 'react';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { SelectField, TextField } from '../../components/field.js';
import { Section } from '../../components/page.js';
import { Empty, ProblemNote } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { type Action, useAction } from '../../data/use-action.js';
import { toVisible } from '../../lib/visible.js';
import { inForce } from './in-force.js';
import { MetRule } from './met-rule.js';
import { usePreview } from './policy-queries.js';
import { changeRules, type PatternList, type RuleChange, trialLists } from './rules.js';
import { TrialNote } from './trial-note.js';

interface ShadowSectionProps {
  readonly policy: PolicyInForce;
  readonly rules: Answers['listPolicyRules']['rules'];
}

const lists: readonly (readonly [PatternList, string])[] = [
  ['deny', 'Deny'],
  ['require_approval', 'Hold for approval'],
  ['allow', 'Allow only'],
];

export function ShadowSection({ policy, rules }: ShadowSectionProps) {
  const { shadow } = policy;
  const change = useShadowChange();
  const written = lists.flatMap(([list, word]) => (shadow?.[list] ?? []).map((pattern) => ({ list, word, pattern })));
  const metBy = (list: PatternList, pattern: string) =>
    rules.find((rule) => rule.path.startsWith('policy.shadow.') && rule.list === list && rule.pattern === pattern);
  return (
    <Section title="On trial" lead="These decide nothing. Calls that they would have stopped are counted and recorded.">
      {written.length === 0 ? (
        <Empty>No rule is on trial.</Empty>
      ) : (
        <ul className="rules" aria-label="On trial">
          {written.map(({ list, word, pattern }) => (
            <li key={`${list} ${pattern}`}>
              <code>
                <VisibleText text={pattern} />
              </code>
              <Badge tone="neutral">{word}</Badge>
              <MetRule list={list} pattern={pattern} rule={metBy(list, pattern)} />
              <span className="actions">
                <Button variant="quiet" onClick={() => void change.run({ list, from: pattern, to: null })}>
                  Remove<span className="visually-hidden"> {toVisible(pattern)} from trial</span>
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      <AddTrial policy={policy} change={change} />
    </Section>
  );
}

interface AddTrialProps extends Pick<ShadowSectionProps, 'policy'> {
  readonly change: Action<RuleChange, unknown>;
}

function AddTrial({ policy, change }: AddTrialProps) {
  const [text, setText] = useState('');
  const [list, setList] = useState<PatternList>('deny');
  const preview = usePreview(text, list, (pattern, to) => trialLists(policy, policy.shadow, { list: to, pattern }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await change.run({ list, from: null, to: text.trim() })) !== undefined) setText('');
  };
  return (
    <form className="rule-form" noValidate onSubmit={submit}>
      <TextField label="Put on trial" className="mono" placeholder="server.tool*" value={text} onValue={setText} />
      <SelectField
        label="It would"
        options={lists}
        value={list}
        onValue={(value) => setList(lists.find(([known]) => known === value)?.[0] ?? 'deny')}
      />
      <div className="actions">
        <Button type="submit" isBusy={change.isBusy}>
          Add
        </Button>
      </div>
      <TrialNote preview={preview} mode="trial" />
      <ProblemNote problem={change.problem} />
    </form>
  );
}

/** Reads the list as it is now, so that only the one rule is changed. */
function useShadowChange(): Action<RuleChange & { readonly list: PatternList }, unknown> {
  const client = useClient();
  return useAction(
    async (change: RuleChange & { readonly list: PatternList }) => {
      const { config } = await client.getConfig();
      const changed = changeRules(inForce(config).shadow?.[change.list] ?? [], change);
      if (typeof changed === 'string') throw new Error(changed);
      return client.mergePolicy({ shadow: { [change.list]: changed } });
    },
    (_, { from, to }) => (from === null ? `Rule ${to} is on trial` : `Rule ${from} is no longer on trial`),
  );
}
