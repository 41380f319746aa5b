import type { BudgetStanding } from '@portico/contracts';
import { expect, test } from 'vitest';
import { budgetSentence, budgetsSummary, stateOf, textOfUse, usesOf } from './budget-words.js';

const budget: BudgetStanding = {
  id: 'night',
  by: 'actor',
  match: null,
  only: 'night-*',
  window: 'day',
  limits: { calls: 300, result_tokens: 200_000 },
  warn_at: 0.8,
  on_exhausted: 'deny',
  accounts: [],
};
const account = (used: BudgetStanding['limits']) => ({
  scope: 'night-ada',
  since: null,
  resets_at: null,
  in_flight: 0,
  used,
  used_ratio: 0,
});

test('a budget is a sentence with its limits, its window, its callers, and the effect', () => {
  expect(budgetSentence(budget)).toBe(
    'Up to 300 calls and 200,000 tokens of results (estimated) a day, for each actor named night-*. Further calls are refused.',
  );
  const maps = {
    ...budget,
    by: 'global',
    only: null,
    match: 'maps.*',
    window: 'total',
    limits: { calls: 1, cost: 0.000_001 },
  } as const;
  expect(budgetSentence({ ...maps, on_exhausted: 'requireApproval' })).toBe(
    'Up to 1 call and 0.000001 of cost in total, until it is emptied, for all calls together, counting calls of maps.*. A person decides on each further call.',
  );
});

test.each([
  [{ calls: 0 }, 'within'],
  [{ calls: 239, result_tokens: 10 }, 'within'],
  [{ calls: 240, result_tokens: 10 }, 'near'],
  [{ calls: 1, result_tokens: 200_000 }, 'used_up'],
  [{ calls: 240, result_tokens: 200_310 }, 'used_up'],
] as const)('the use %j is %s: the worst of its limits counts', (used, state) => {
  expect(stateOf(budget, account(used))).toBe(state);
});

test('a limit without any use has a bar too, and amounts have commas', () => {
  expect(usesOf(budget, account({ result_tokens: 151_204 })).map(textOfUse)).toEqual([
    '0 of 300 calls',
    '151,204 of 200,000 tokens of results (estimated)',
  ]);
});

test('a budget is used up if one of its accounts is', () => {
  const usedUp = { ...budget, accounts: [account({ calls: 300 }), account({ calls: 1 })] };
  expect([budgetsSummary([budget]), budgetsSummary([budget, usedUp])]).toEqual([
    '1 budget, none used up',
    '2 budgets, 1 used up',
  ]);
});
