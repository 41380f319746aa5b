// One list of rules. A change is made to one rule of the list as the service has it then.
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { Section } from '../../components/page.js';
import { Empty, ProblemNote } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { type Action, useAction } from '../../data/use-action.js';
import { messageFor } from '../../lib/problem.js';
import { toVisible } from '../../lib/visible.js';
import { inForce } from './in-force.js';
import { useMarked } from './marked.js';
import { MetRule, type Rule } from './met-rule.js';
import { usePreview } from './policy-queries.js';
import { changeRules, type RuleChange, type RuleList } from './rules.js';
import { TrialNote } from './trial-note.js';

interface RuleSectionProps {
  readonly list: RuleList;
  readonly title: string;
  readonly lead: string;
  readonly empty: string;
  readonly rules: readonly string[];
  /** Rules that match nothing that the servers list. */
  readonly unmatched: ReadonlySet<string>;
  /** Returns the current matches of a rule and its past calls; undefined if they are not known. */
  metBy(rule: string): Rule | undefined;
}

export function RuleSection({ list, title, lead, empty, rules, unmatched, metBy }: RuleSectionProps) {
  const [edited, setEdited] = useState<string | undefined>(undefined);
  const change = useRuleChange(list);
  const remove = useRuleChange(list);
  const markOf = useMarked();
  // A rule that another person removed while it is edited keeps its form, and what was typed.
  const shown = edited === undefined || rules.includes(edited) ? rules : [...rules, edited];
  return (
    <Section title={title} lead={lead}>
      {shown.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <ul className="rules" aria-label={title}>
          {shown.map((rule) =>
            rule === edited ? (
              <li key={rule}>
                <RuleForm
                  label={`Change ${toVisible(rule)}`}
                  verb="Save"
                  start={rule}
                  action={change}
                  toChange={(to) => ({ list, from: rule, to })}
                  onDone={() => setEdited(undefined)}
                  onCancel={() => setEdited(undefined)}
                />
              </li>
            ) : (
              <li key={rule} data-row tabIndex={-1} {...markOf(metBy(rule))}>
                <code>
                  <VisibleText text={rule} />
                </code>
                {list === 'redact_keys' ? null : (
                  <MetRule list={list} pattern={rule} rule={metBy(rule)} isUnmatched={unmatched.has(rule)} />
                )}
                <span className="actions">
                  <Button variant="quiet" data-key="Enter" onClick={() => setEdited(rule)}>
                    Edit<span className="visually-hidden"> {toVisible(rule)}</span>
                  </Button>
                  <Button variant="quiet" onClick={() => void remove.run({ list, from: rule, to: null })}>
                    Remove<span className="visually-hidden"> {toVisible(rule)}</span>
                  </Button>
                </span>
              </li>
            ),
          )}
        </ul>
      )}
      <ProblemNote problem={remove.problem} />
      <AddRule list={list} title={title} />
    </Section>
  );
}

function AddRule({ list, title }: Pick<RuleSectionProps, 'list' | 'title'>) {
  const add = useRuleChange(list);
  const [key, setKey] = useState(0);
  return (
    <RuleForm
      key={key}
      label={`Add to ${title.toLowerCase()}`}
      verb="Add"
      start=""
      action={add}
      toChange={(to) => ({ list, from: null, to })}
      onDone={() => setKey(key + 1)}
    />
  );
}

interface RuleFormProps {
  readonly label: string;
  readonly verb: string;
  readonly start: string;
  readonly action: Action<RuleChange, unknown>;
  toChange(to: string): RuleChange;
  onDone(): void;
  onCancel?(): void;
}

function RuleForm({ label, verb, start, action, toChange, onDone, onCancel }: RuleFormProps) {
  const [text, setText] = useState(start);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await action.run(toChange(text.trim()))) !== undefined) onDone();
  };
  const { problem } = action;
  const { list } = toChange('');
  const preview = usePreview(text === start ? '' : text, list === 'redact_keys' ? undefined : list);
  const beside = messageFor(problem, list) ?? (problem?.code === 'FAILED' ? problem.message : undefined);
  return (
    <form className="rule-form" noValidate onSubmit={submit}>
      <TextField
        label={label}
        className="mono"
        placeholder={list === 'redact_keys' ? 'key_name' : 'server.tool*'}
        error={beside}
        value={text}
        onValue={setText}
        autoFocus={onCancel !== undefined}
      />
      <div className="actions">
        <Button type="submit" isBusy={action.isBusy}>
          {verb}
        </Button>
        {onCancel === undefined ? null : (
          <Button variant="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
      <TrialNote preview={preview} />
      <ProblemNote problem={beside === undefined ? problem : undefined} />
    </form>
  );
}

/** Reads the list as it is now, so that only the one rule is changed. */
function useRuleChange(list: RuleList): Action<RuleChange, unknown> {
  const client = useClient();
  return useAction(
    async (change: RuleChange) => {
      const { config } = await client.getConfig();
      const changed = changeRules(inForce(config)[list], change);
      if (typeof changed === 'string') throw new Error(changed);
      return client.mergePolicy({ [list]: changed });
    },
    (_, { from, to }) =>
      from === null ? `Rule ${to} is added` : to === null ? `Rule ${from} is removed` : `Rule ${from} is now ${to}`,
  );
}
