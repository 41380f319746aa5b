// The policy block as it is written in the configuration file, and the narrower one of a profile.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { isUnicode, notUnicode } from '../unicode.js';
import { grantsSchema } from './grants-schema.js';
import { namedMap } from './named-map.js';
import { argumentRuleEffects } from './policy-rules.js';

const patterns = (what: string) =>
  v.optional(
    v.nullable(
      v.pipe(
        v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(1024), v.check(isUnicode, notUnicode))),
        v.maxLength(10_000),
        v.description(`${what}; \`*\` matches any run of characters`),
      ),
    ),
  );

const listEntries = {
  allow: patterns('Ids that may be used; absent or empty allows everything'),
  deny: patterns('Ids that may not be used'),
  requireApproval: patterns('Ids that need the approval of a person at each use'),
};

/** Rules on trial. Closed: a misspelt list would watch nothing. */
export const shadowSchema = notAList(v.looseObject(listEntries));

export const argumentRuleEntries = {
  id: v.pipe(
    v.string(),
    v.regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 _ . -'),
    v.description('Its name in records, `rule:<id>`; unique in the configuration'),
  ),
  match: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(1024),
    v.description('Ids that it covers; `*` matches any run of characters'),
  ),
  when: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(2000),
    v.description(
      'Condition in CEL, such as `!args.repo.startsWith("acme/")`; the rule also applies if it has no value',
    ),
  ),
  reason: v.optional(
    v.nullable(
      v.pipe(v.string(), v.minLength(1), v.maxLength(500), v.description('Hint for the caller of a refused call')),
    ),
  ),
  shadow: v.optional(
    v.nullable(v.pipe(v.boolean(), v.description('Whether it is on trial: recorded, and never enforced'))),
  ),
};

/** Most rules on arguments in one list. */
export const maxArgumentRules = 1000;

/** Closed: a misspelt field would have no effect. */
export const argumentRuleSchema = notAList(
  v.looseObject({
    ...argumentRuleEntries,
    effect: v.pipe(v.picklist(argumentRuleEffects), v.description('Its effect on a call that it applies to')),
  }),
);
export type RawArgumentRule = v.InferOutput<typeof argumentRuleSchema>;

export const ruleEntries = {
  ...listEntries,
  rules: v.optional(
    v.nullable(
      v.pipe(
        v.array(argumentRuleSchema),
        v.maxLength(maxArgumentRules),
        v.description('Rules on the arguments of calls, which only tighten'),
      ),
    ),
  ),
  shadow: v.optional(
    v.pipe(
      v.nullable(shadowSchema),
      v.description('Rules that are recorded where they would have been stricter, and never enforced'),
    ),
  ),
};

const nullableText = (what: string) => v.optional(v.nullable(v.pipe(v.string(), v.minLength(1), v.description(what))));

export const webhookSchema = notAList(
  v.looseObject({
    url: v.pipe(
      v.string(),
      v.regex(/^https?:\/\/[^/\s]/i, 'must be an http: or https: address'),
      v.description('Where notices are sent'),
    ),
    secret: nullableText('Signs the body, HMAC-SHA-256'),
    secretEnv: nullableText('Environment variable that holds the secret'),
    authHeader: nullableText('Value of the Authorization header'),
    headers: v.optional(v.pipe(v.nullable(namedMap(v.string())), v.description('Further headers'))),
  }),
);

/** Names of the fields of a webhook. */
export const webhookFields: readonly string[] = Object.keys(webhookSchema.entries);

/** A week: longer than any approval takes, shorter than the longest wait of a timer. */
const maxApprovalTimeoutSecs = 604_800;

export const redactKeysSchema = v.optional(
  v.nullable(
    v.pipe(
      v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(256))),
      v.maxLength(1000),
      v.description('Key names whose values never reach logs, traces, audit records and webhooks'),
    ),
  ),
);

export const policySchema = notAList(
  v.looseObject({
    ...ruleEntries,
    redactKeys: redactKeysSchema,
    approvalTimeoutSecs: v.optional(
      v.nullable(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(maxApprovalTimeoutSecs),
          v.description('Seconds after which an undecided approval expires (default 300)'),
        ),
      ),
    ),
    webhook: v.optional(v.pipe(v.nullable(webhookSchema), v.description('Receives events of approvals'))),
    grants: v.optional(
      v.pipe(v.nullable(grantsSchema), v.description('Approvals that answer later calls as well; off without it')),
    ),
  }),
);
export type RawPolicy = v.InferOutput<typeof policySchema>;

export const profilePolicySchema = notAList(v.looseObject(ruleEntries));
export type RawPolicyRules = v.InferOutput<typeof profilePolicySchema>;
export type RawRuleLists = v.InferOutput<typeof shadowSchema>;
