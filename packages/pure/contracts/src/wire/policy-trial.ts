// Previews of rules before they apply: the outcome of one call, the effect of a change, and the matches of the
// configured rules.
import * as v from 'valibot';
import { jsonObjectSchema } from '../json.js';
import { isUnicode, notUnicode } from '../unicode.js';
import { aliasKinds } from './configuration.js';
import { ruleListsSchema } from './policy-request.js';

const ok = v.literal(true);
const ids = v.array(v.string());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const kind = v.picklist(aliasKinds);
const decision = v.picklist(['allow', 'deny', 'not_allowed', 'require_approval']);
const optionalName = v.optional(v.nullable(v.string()));
const rule = v.pipe(
  v.string(),
  v.description('As records name it: its effect and its pattern, as in `deny:github.*`, or `rule:<id>`'),
);
const places = v.pipe(ids, v.description('Fields of the configuration where it is written, such as `policy.deny[0]`'));

/** Body of `POST /v1/config/policy/test`. */
export const policyTestRequestSchema = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(4096), v.description('Canonical id or alias, listed or not')),
  kind: v.optional(v.nullable(v.pipe(kind, v.description('tool by default')))),
  profile: optionalName,
  role: optionalName,
  args: v.optional(
    v.nullable(v.pipe(jsonObjectSchema, v.description('Arguments of the call; without them only the rules are asked'))),
  ),
});
export type PolicyTestRequest = v.InferOutput<typeof policyTestRequestSchema>;

/** Answer of `POST /v1/config/policy/test`. */
export const policyTestedSchema = v.object({
  ok,
  id: v.string(),
  kind,
  decision: v.pipe(
    decision,
    v.description('The verdict of the rules of policy, profile and role; `not_allowed` is not covered by `allow`'),
  ),
  pattern: v.pipe(v.nullable(v.string()), v.description('The rule that decides; null without one')),
  effect: v.pipe(
    v.picklist(['runs', 'waits_for_approval', 'denied', 'not_found']),
    v.description('The outcome of a use; `not_found` also where no such thing is visible to the profile and role'),
  ),
  names: v.pipe(ids, v.description('Every name that the rules were tried on')),
  rule: v.nullable(rule),
  depends_on: v.pipe(
    ids,
    v.description('Rules on arguments that decide on each call, as `rule:acme-only`; empty if arguments were given'),
  ),
  written_at: v.pipe(
    ids,
    v.description('Fields of the configuration that decide: `policy.deny[0]`, or the lists that do not cover it'),
  ),
  is_known: v.pipe(
    v.boolean(),
    v.description('Whether the definition is known; the lists of its server may not have been read yet'),
  ),
  shadow: v.nullable(
    v.object({
      decision: v.pipe(decision, v.description('The verdict of the rules on trial')),
      rule: v.nullable(rule),
      written_at: places,
    }),
  ),
  arguments: v.pipe(
    v.nullable(
      v.object({
        fits: v.pipe(
          v.picklist(['yes', 'no', 'unknown']),
          v.description('`unknown` where the definition is not known, is not checked, or the call ends before'),
        ),
        problem: v.nullable(v.string()),
        converted: v.pipe(ids, v.description('Paths that are converted to what the schema says')),
        redacted: v.pipe(ids, v.description('Paths whose values are redacted in records; 100 at most')),
        sanitized_args: v.pipe(jsonObjectSchema, v.description('As records show them')),
      }),
    ),
    v.description('Null without arguments'),
  ),
  answer: v.pipe(
    v.nullable(
      v.object({
        status: v.pipe(count, v.description('The HTTP status')),
        code: v.string(),
        message: v.string(),
        hint: v.optional(v.string()),
      }),
    ),
    v.description('The answer to the caller; null if the call is sent to its server'),
  ),
  near: v.pipe(ids, v.description('Ids that an unknown one may have been meant for')),
  grants: v.optional(
    v.pipe(
      ids,
      v.description(
        'Grants that would answer the call, each for the principal that it was made for; absent without any',
      ),
    ),
  ),
});
export type PolicyTested = v.InferOutput<typeof policyTestedSchema>;

const lists = ['allow', 'deny', 'require_approval'] as const;
export type RuleListName = (typeof lists)[number];
const pattern = v.pipe(v.string(), v.minLength(1), v.maxLength(1024), v.check(isUnicode, notUnicode));

/** Body of `POST /v1/config/policy/preview`. */
export const policyPreviewRequestSchema = v.object({
  pattern: v.optional(
    v.nullable(v.pipe(pattern, v.description('A rule that is being written; alone it is added to its list'))),
  ),
  list: v.optional(v.nullable(v.pipe(v.picklist(lists), v.description('The list that it is for; deny by default')))),
  policy: v.optional(
    v.nullable(v.pipe(ruleListsSchema, v.description('Lists as they would be; those that are absent stay'))),
  ),
  profile: optionalName,
  role: optionalName,
  since: v.optional(
    v.nullable(
      v.pipe(
        v.string(),
        v.description('Compares the calls of the audit log from this time on, RFC 3339 or Unix seconds'),
      ),
    ),
  ),
});

const thing = { kind, id: v.string() };
const flip = { from: v.pipe(decision, v.description('By the rules in force now')), to: decision };
const shortened = <T extends v.GenericSchema>(item: T) =>
  v.object({ total: count, items: v.pipe(v.array(item), v.description('The first 100')) });

/** Answer of `POST /v1/config/policy/preview`. */
export const policyPreviewedSchema = v.object({
  ok,
  matches: v.pipe(v.nullable(shortened(v.object(thing))), v.description('Listed entries that the pattern matches')),
  changed: v.pipe(shortened(v.object({ ...thing, ...flip })), v.description('Entries that would get another verdict')),
  complete: v.pipe(v.boolean(), v.description('Whether all that is listed was looked at: 20,000 things at most')),
  past: v.pipe(
    v.nullable(
      v.object({
        since: v.string(),
        oldest: v.pipe(v.nullable(v.string()), v.description('Time of the oldest record that was read')),
        records: v.pipe(count, v.description('Records that were read, newest first: 20,000 at most')),
        complete: v.pipe(v.boolean(), v.description('Whether these are all records since then')),
        durable: v.pipe(v.boolean(), v.description('Whether the log outlives the process')),
        calls: v.pipe(count, v.description('Calls among them, replays left out')),
        undetermined: v.pipe(count, v.description('Calls whose record does not show enough: a redacted address')),
        changed: shortened(
          v.object({
            ...thing,
            ...flip,
            role: v.nullable(v.string()),
            profile: v.nullable(v.string()),
            calls: count,
            last: v.pipe(
              v.object({ id: v.string(), timestamp: v.string() }),
              v.description('The record of the newest of them'),
            ),
          }),
        ),
      }),
    ),
    v.description('Null without `since`'),
  ),
});
export type PolicyPreviewed = v.InferOutput<typeof policyPreviewedSchema>;

/** Answer of `GET /v1/config/policy/rules`. */
export const policyRulesSchema = v.object({
  ok,
  rules: v.array(
    v.object({
      path: v.pipe(v.string(), v.description('Field of the configuration, such as `policy.deny[0]`')),
      list: v.pipe(v.picklist([...lists, 'rules']), v.description('`rules` are those on arguments')),
      pattern: v.string(),
      id: v.optional(v.pipe(v.string(), v.description('The id of a rule on arguments'))),
      when: v.optional(v.pipe(v.string(), v.description('Its condition'))),
      effect: v.optional(v.picklist(['deny', 'require_approval'])),
      mode: v.pipe(v.picklist(['enforce', 'shadow']), v.description('`shadow` is recorded and decides nothing')),
      matches: v.pipe(
        v.nullable(count),
        v.description('Tools, resources and prompts that it covers now; null if there are too many to compare'),
      ),
      hits: v.pipe(
        v.nullable(count),
        v.description(
          'Calls since the start that it stopped or held, or would have; equal rules of several lists share them. Null for `allow`, where it is enforced',
        ),
      ),
      last_hit: v.nullable(v.string()),
      last_call: v.pipe(
        v.nullable(v.object({ capability_id: v.string(), trace_id: v.string() })),
        v.description('That call; null without hits'),
      ),
    }),
  ),
  total: v.pipe(count, v.description('Rules that are configured; 10,000 are listed at most')),
  uptime_secs: v.pipe(count, v.description('Since when hits are counted')),
});
export type PolicyRuleInfo = v.InferOutput<typeof policyRulesSchema>['rules'][number];

const effects = ['runs', 'waits_for_approval', 'denied', 'not_found'] as const;

/** Answer of `GET /v1/config/policy/verdicts`: the verdict on each listed capability for one profile and role. */
export const policyVerdictsSchema = v.object({
  ok,
  counts: v.pipe(
    v.object({ runs: count, waits_for_approval: count, denied: count, not_found: count }),
    v.description('Tools, resources and prompts that the servers list, by what would become of a call'),
  ),
  verdicts: v.pipe(
    v.array(
      v.object({
        kind: v.picklist(['tool', 'resource', 'prompt']),
        id: v.string(),
        effect: v.picklist(effects),
        rule: v.pipe(
          v.nullable(v.string()),
          v.description('The rule that decides, as `deny:github.*`; null if no single rule does'),
        ),
        written_at: v.pipe(ids, v.description('Fields of the configuration that decide')),
        depends_on: v.pipe(ids, v.description('Rules on arguments that decide on each call, as `rule:acme-only`')),
      }),
    ),
    v.description('All that does not simply run, and all that depends on arguments'),
  ),
  complete: v.pipe(v.boolean(), v.description('Whether all that the servers list was looked at: 20,000 things are')),
});

/** Answer of `GET /v1/config/policy/unmatched`. */
export const unmatchedRulesSchema = v.object({
  ok,
  unmatched: v.array(
    v.object({
      path: v.pipe(v.string(), v.description('Field of the configuration, such as `policy.deny[0]`')),
      pattern: v.pipe(v.string(), v.description('The pattern, or the target of an alias')),
    }),
  ),
});

const named = v.pipe(v.string(), v.minLength(1), v.maxLength(4096));

/** One case of `policy.tests.json`: a call, who asks, and what the rules are to make of it. */
export const policyCaseSchema = v.strictObject({
  name: named,
  as: v.optional(v.strictObject({ role: optionalName, profile: optionalName })),
  call: named,
  kind: v.optional(kind),
  args: v.optional(jsonObjectSchema),
  expect: v.picklist(['allow', 'approve', 'deny', 'absent']),
  rule: v.optional(named),
});
export type PolicyCase = v.InferOutput<typeof policyCaseSchema>;

/** The file of `portico policy test --file`. */
export const policyCasesSchema = v.pipe(v.array(policyCaseSchema), v.minLength(1), v.maxLength(10_000));
