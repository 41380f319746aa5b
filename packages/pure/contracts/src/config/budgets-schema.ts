// The budgets and the prices as they are written in the configuration file.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';

export const budgetScopes = ['global', 'actor', 'client', 'role', 'session', 'trace', 'work_item', 'server'] as const;
/** The callers or calls that share one account of a budget. */
export type BudgetScope = (typeof budgetScopes)[number];

export const budgetWindows = ['minute', 'hour', 'day', 'week', 'month', 'total'] as const;
/** A fixed slot of UTC, at whose end an account is empty again; a week begins on Monday. `total` never ends. */
export type BudgetWindow = (typeof budgetWindows)[number];

export const exhaustedEffects = ['deny', 'requireApproval'] as const;
/** `deny`: the call is refused. `requireApproval`: a person decides on each further call. */
export type ExhaustedEffect = (typeof exhaustedEffects)[number];

const amount = (max: number, what: string) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max), v.description(what)));

const money = (max: number) => v.pipe(v.number(), v.finite(), v.maxValue(max));

const pattern = (what: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(1024),
      v.description(`${what}; \`*\` matches any run of characters`),
    ),
  );

export const budgetScopeSchema = notAList(
  v.looseObject({
    by: v.optional(
      v.pipe(
        v.picklist(budgetScopes),
        v.description(
          'Each actor, client, … has an account of its own; `global` is one for all calls (default global)',
        ),
      ),
    ),
    match: pattern('Ids of the calls that it counts (default all)'),
    only: pattern('Names of the actors, clients, … that have it (default all)'),
  }),
);

export const budgetSchema = notAList(
  v.looseObject({
    id: v.pipe(
      v.string(),
      v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 _ -'),
      v.description('Its name, in answers, records and metrics'),
    ),
    scope: v.optional(v.pipe(v.nullable(budgetScopeSchema), v.description('The calls that share an account'))),
    window: v.optional(
      v.pipe(
        v.picklist(budgetWindows),
        v.description('A fixed slot of UTC, at whose end the account is empty again; `total` never ends (default day)'),
      ),
    ),
    calls: amount(1_000_000_000_000, 'Calls that may be sent'),
    resultBytes: amount(1_000_000_000_000_000, 'Bytes of JSON in the results'),
    resultTokens: amount(1_000_000_000_000, 'Tokens in the results, estimated as a quarter of their bytes'),
    upstreamSecs: amount(1_000_000_000, 'Seconds that the servers take for the calls'),
    cost: v.optional(
      v.pipe(
        money(1_000_000_000),
        v.minValue(0.000_001),
        v.description('Sum of the prices of the calls, in the unit of `prices`'),
      ),
    ),
    warnAt: v.optional(
      v.pipe(
        v.number(),
        v.minValue(0),
        v.maxValue(1),
        v.description('The part of a limit at which the log has a warning (default 0.8)'),
      ),
    ),
    onExhausted: v.optional(
      v.pipe(
        v.picklist(exhaustedEffects),
        v.description('`deny` refuses further calls, `requireApproval` asks a person about each (default deny)'),
      ),
    ),
  }),
);

export const budgetsSchema = v.pipe(v.array(budgetSchema), v.maxLength(100));
export type RawBudget = v.InferOutput<typeof budgetSchema>;

/** By id or pattern; the first that matches counts. */
export const pricesSchema = v.pipe(
  money(1_000_000),
  v.minValue(0),
  v.check((price) => price <= 0 || price >= 0.000_001, 'must be 0 or at least 0.000001'),
);
