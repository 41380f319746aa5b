// The budgets of the configuration: each with its accounts, the fullest first, and how to begin if there is none.
import { CodeView } from '../../components/code-view.js';
import { Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { useConfig } from '../../data/queries.js';
import { useBudgets } from '../../data/use-safety-count.js';
import { budgetsSummary } from '../../lib/budget-words.js';
import { BudgetSection } from './budget-section.js';
import { DefinitionTokens } from './definition-tokens.js';
import { Part } from './part.js';

export function BudgetsPart() {
  const budgets = useBudgets(true);
  return (
    <Part lead="How much agents may use. A call is charged when it is sent; refused and repeated answers are free.">
      <QueryView query={budgets} what="the budgets">
        {({ budgets: all, is_complete: isComplete, token_estimate: estimate }) =>
          all.length === 0 ? (
            <NoBudget />
          ) : (
            <>
              <p className="figure-line" role="status">
                {budgetsSummary(all)}
              </p>
              {isComplete ? null : (
                <p className="note">There are more accounts than can be shown: the fullest of them are here.</p>
              )}
              {all.map((budget) => (
                <BudgetSection key={budget.id} budget={budget} />
              ))}
              <p className="hint">
                The mark in a bar is where the log has a warning. Tokens are estimated: {estimate}.
              </p>
            </>
          )
        }
      </QueryView>
      <DefinitionTokens />
    </Part>
  );
}

const example = `"budgets": [
  {
    "id": "per-agent",
    "scope": { "by": "actor" },
    "window": "day",
    "calls": 2000,
    "resultTokens": 200000
  }
]`;

function NoBudget() {
  const path = useConfig().data?.config_path;
  return (
    <Section
      title="No budget is configured"
      lead="An agent may send as many calls as it likes. A budget limits calls, bytes or tokens of results, seconds at servers, or cost."
    >
      <CodeView label="For the configuration file" text={example} />
      <p>
        Add it to {path === undefined ? 'the configuration file' : <code>{path}</code>}; it takes effect when the file
        is saved. This one gives each agent 2,000 calls and 200,000 tokens of results a day.
      </p>
    </Section>
  );
}
