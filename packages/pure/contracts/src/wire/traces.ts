// Traces as the audit log has them, and why a call of one ended as it did.
import * as v from 'valibot';
import { auditStatuses, sourceEntries } from './audit.js';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const described = (text: string) => v.pipe(v.string(), v.description(text));
const time = described('RFC 3339 in UTC, to the millisecond');
const auditIds = v.pipe(v.array(v.string()), v.description('Ids of audit records'));

/** The steps in the life of a call, in their order. */
export const callSteps = [
  'record',
  'resolve',
  'authorize',
  'prepare',
  'classify',
  'approve',
  'dedupe',
  'take_turn',
  'converse',
  'distill',
  'answer',
] as const;
export type CallStep = (typeof callSteps)[number];

/** The verdict of one step of a call. */
export const stepVerdicts = [
  'passed',
  'stopped',
  'waits',
  'asked',
  'replayed',
  'not_needed',
  'not_reached',
  'unknown',
] as const;
export type StepVerdict = (typeof stepVerdicts)[number];

/** A trace in a list: its calls, their outcome, and when. */
export const traceSummarySchema = v.object({
  trace_id: v.string(),
  first_time: time,
  last_time: time,
  calls: v.pipe(count, v.description('Calls of it that the log holds, replays included')),
  status: v.pipe(
    v.picklist(auditStatuses),
    v.description('The worst of its records: failed, denied, cancelled, intercepted, success'),
  ),
  ...sourceEntries,
});
export type TraceSummary = v.InferOutput<typeof traceSummarySchema>;

/** Answer of `GET /v1/traces`. */
export const tracesListSchema = v.object({
  ok: v.literal(true),
  traces: v.pipe(v.array(traceSummarySchema), v.description('The one with the latest record first')),
  complete: v.pipe(
    v.boolean(),
    v.description('Whether all records that were asked for have been read; otherwise only the latest of them'),
  ),
});

/** One step of a call: what it decided, and by which rule. */
export const explainedStepSchema = v.object({
  step: v.picklist(callSteps),
  verdict: v.picklist(stepVerdicts),
  because: v.string(),
  evidence: auditIds,
  took_us: v.optional(v.pipe(count, v.description('Microseconds'))),
});
export type ExplainedStep = v.InferOutput<typeof explainedStepSchema>;

/** Whether an explanation is about the rules of the time of the call or those of now. */
export const asOfValues = ['then', 'now'] as const;

/** The smallest change that would have ended the call in another way. */
export const counterfactualSchema = v.object({
  change: described('The smallest change of one thing'),
  effect: described('How the call would end'),
  how: described('A command, a path in the configuration, or what to do'),
  as_of: v.pipe(v.picklist(asOfValues), v.description('By the rules of the record, or by those in force now')),
});
export type Counterfactual = v.InferOutput<typeof counterfactualSchema>;

/** Why a call ended as it did, step by step. */
export const explanationSchema = v.object({
  trace_id: v.nullable(v.string()),
  outcome: v.picklist([...auditStatuses, 'unknown']),
  cause: described('A name for the reason, for programs: `denied_by_rule`, `circuit_open`, …'),
  summary: v.string(),
  capability_id: v.optional(v.string()),
  ...sourceEntries,
  steps: v.array(explainedStepSchema),
  counterfactuals: v.array(counterfactualSchema),
  next: v.object({ caller: v.string(), operator: v.string() }),
  as_of: v.pipe(v.literal('then'), v.description('Steps and verdicts as recorded, not by the current rules')),
  now: v.optional(
    v.pipe(
      v.object({
        as_of: v.literal('now'),
        decision: v.picklist(['allow', 'deny', 'not_allowed', 'require_approval']),
        rule: v.optional(v.string()),
        policy_digest: v.string(),
        text: v.string(),
      }),
      v.description(
        'Decision of the current policy, where its rules are not those of the record, or the record does not name them',
      ),
    ),
  ),
  verified: v.pipe(
    v.union([v.boolean(), v.literal('unknown')]),
    v.description('Whether the cited records, and those beside each of them, are in their places in the hash chain'),
  ),
  verification: v.string(),
  missing: v.pipe(v.array(v.string()), v.description('Missing evidence')),
  others: v.pipe(
    v.array(v.object({ id: v.string(), status: v.picklist(auditStatuses), capability_id: v.optional(v.string()) })),
    v.description('The other calls of the trace: each can be explained by the id of its record'),
  ),
});
export type Explanation = v.InferOutput<typeof explanationSchema>;

/** Answer of `GET /v1/traces/{id}/explain`. */
export const explainAnswerSchema = v.object({
  ok: v.literal(true),
  explanation: explanationSchema,
  frames: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description(
        'Messages of the trace that the inspector keeps, for `GET /v1/traces/{id}/frames`; absent while it is off',
      ),
    ),
  ),
});
