// The body of `POST /v1/config/policy`. A field that is not one of it is refused with the name that was probably meant.
import * as v from 'valibot';
import { argumentRuleEntries, maxArgumentRules, policySchema, webhookSchema } from '../config/policy-schema.js';

const { allow, deny, requireApproval, approvalTimeoutSecs, redactKeys } = policySchema.entries;
const { url, secret, secretEnv, authHeader, headers } = webhookSchema.entries;

const webhookEntries = { url, secret, secret_env: secretEnv, auth_header: authHeader, headers };
const listEntries = { allow, deny, require_approval: requireApproval };
const fieldsOfShadow = Object.keys(listEntries);
const policyEntries = {
  ...listEntries,
  redact_keys: redactKeys,
  approval_timeout_secs: approvalTimeoutSecs,
};
const fieldsOfRule = [...Object.keys(argumentRuleEntries), 'effect'];
const fieldsOfWebhook = Object.keys(webhookEntries);
const fieldsOfPolicy = [...Object.keys(policyEntries), 'rules', 'shadow', 'webhook'];

/** Lists of rules by themselves. A present list replaces, an absent one stays, and null empties. */
export const ruleListsSchema = v.strictObject(listEntries, sayOf(fieldsOfShadow, [], 'in'));
export type RuleListsRequest = v.InferOutput<typeof ruleListsSchema>;

/** A rule on arguments, over HTTP. */
export const argumentRuleRequestSchema = v.strictObject(
  { ...argumentRuleEntries, effect: v.picklist(['deny', 'require_approval']) },
  sayOf(fieldsOfRule, [], 'in'),
);

/** A present field replaces, an absent one stays, and null restores the default. */
export const policyRequestSchema = v.strictObject(
  {
    ...policyEntries,
    rules: v.optional(
      v.nullable(
        v.pipe(
          v.array(argumentRuleRequestSchema),
          v.maxLength(maxArgumentRules),
          v.description('Rules on the arguments of calls: the whole list'),
        ),
      ),
    ),
    shadow: v.optional(
      v.pipe(
        v.nullable(ruleListsSchema),
        v.description('Rules on trial: recorded where they would have been stricter, never enforced'),
      ),
    ),
    webhook: v.optional(v.nullable(v.strictObject(webhookEntries, sayOf(fieldsOfWebhook, fieldsOfPolicy, 'beside')))),
  },
  sayOf(fieldsOfPolicy, fieldsOfWebhook, 'in'),
);
export type PolicyRequest = v.InferOutput<typeof policyRequestSchema>;

/** Explains an unknown field: it has another spelling, belongs elsewhere, or does not exist. */
function sayOf(fields: readonly string[], elsewhere: readonly string[], where: 'in' | 'beside') {
  return (issue: v.StrictObjectIssue): string => {
    const key = issue.expected === 'never' ? issue.path?.at(-1)?.key : undefined;
    if (typeof key !== 'string') return issue.message;
    const own = spelled(key, fields);
    if (own !== undefined) return `is not a field here: write ${own}`;
    const other = spelled(key, elsewhere);
    if (other !== undefined) return `is not a field here: ${other} belongs ${where} webhook`;
    return `is not a field here: there are ${fields.join(', ')}`;
  };
}

/** The field that a name means, with its words joined in any way. */
function spelled(name: string, fields: readonly string[]): string | undefined {
  const plain = (text: string) => text.replace(/[_-]/g, '').toLowerCase();
  return fields.find((field) => plain(field) === plain(name));
}
