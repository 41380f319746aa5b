// Budgets as operators see them, and what a refused call learns of its budget.
import * as v from 'valibot';
import { budgetScopes, budgetWindows, exhaustedEffects } from '../config/budgets-schema.js';

/** Names of the limited amounts in answers: numbers of calls, bytes and estimated tokens of results, seconds, and the unit of `prices`. */
export const budgetMeasures = ['calls', 'result_bytes', 'result_tokens', 'upstream_secs', 'cost'] as const;
/** The amounts that a budget limits. Tokens are estimated. */
export type BudgetMeasure = (typeof budgetMeasures)[number];

const amount = v.pipe(v.number(), v.minValue(0));

/** `error.budget` of a call that is refused for its budget. */
export const budgetRefusalSchema = v.object({
  id: v.string(),
  measure: v.picklist(budgetMeasures),
  used: v.pipe(amount, v.description('Calls in flight included; tokens are estimated')),
  limit: amount,
  resets_at: v.pipe(v.nullable(v.string()), v.description('When the account is empty again; null if never by itself')),
});
export type BudgetRefusal = Readonly<v.InferOutput<typeof budgetRefusalSchema>>;

const amounts = {
  calls: v.optional(amount),
  result_bytes: v.optional(amount),
  result_tokens: v.optional(v.pipe(amount, v.description('Estimated as a quarter of the bytes'))),
  upstream_secs: v.optional(amount),
  cost: v.optional(amount),
};

/** One account of a budget in its current window. */
export const budgetAccountSchema = v.object({
  scope: v.pipe(v.string(), v.description('Name of the actor, client, …; empty for the account of all calls')),
  since: v.pipe(v.nullable(v.string()), v.description('Start of the window; null for one that never ends')),
  resets_at: v.nullable(v.string()),
  in_flight: v.pipe(amount, v.description('Calls that have not ended')),
  used: v.pipe(v.object(amounts), v.description('The used amounts, with those that calls in flight hold')),
  used_ratio: v.pipe(amount, v.description('Used part of the limit that is used up most')),
});
export type BudgetAccount = Readonly<v.InferOutput<typeof budgetAccountSchema>>;

/** A budget of the configuration with its accounts. */
export const budgetSchema = v.object({
  id: v.string(),
  by: v.picklist(budgetScopes),
  match: v.nullable(v.string()),
  only: v.nullable(v.string()),
  window: v.picklist(budgetWindows),
  limits: v.object(amounts),
  warn_at: amount,
  on_exhausted: v.picklist(exhaustedEffects),
  accounts: v.pipe(v.array(budgetAccountSchema), v.description('The fullest first')),
});
export type BudgetStanding = Readonly<v.InferOutput<typeof budgetSchema>>;

/** Answer of `GET /v1/budgets`. */
export const budgetListSchema = v.object({
  ok: v.literal(true),
  token_estimate: v.pipe(v.string(), v.description('How tokens are estimated')),
  budgets: v.array(budgetSchema),
  is_complete: v.pipe(v.boolean(), v.description('False if there are more accounts than are listed')),
});

/** Body of `POST /v1/budgets/{id}/reset`. */
export const budgetResetRequestSchema = v.object({
  scope: v.optional(
    v.nullable(v.pipe(v.string(), v.maxLength(1024), v.description('One account; all of them without it'))),
  ),
});

/** Answer of `POST /v1/budgets/{id}/reset`. */
export const budgetResetSchema = v.object({
  ok: v.literal(true),
  id: v.string(),
  reset: v.pipe(amount, v.description('Accounts that are empty now')),
});
