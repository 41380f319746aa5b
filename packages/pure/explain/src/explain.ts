// Why one call ended as it did, from the audit records of its trace and nothing else. Never throws.
import type { Explanation } from '@portico/contracts';
import { type Cause, causeOf } from './causes.js';
import { counterfactualsOf } from './counterfactuals.js';
import type { Evidence } from './evidence.js';
import { chosenOf, type ExecutionFacts, executionsOf } from './executions.js';
import { type Fact, isObject, isOfCall, toFact } from './fact.js';
import { findings } from './findings.js';
import { answerOfNow } from './in-force.js';
import { stepsOf } from './steps.js';

/** Explains how a call ended from the audit records of its trace. It never throws: what is missing is named. */
export function explain(evidence: Evidence): Explanation {
  const facts = evidence.records.flatMap((record) => toFact(record) ?? []);
  const executions = executionsOf(facts);
  const chosen = chosenOf(executions, evidence.about);
  const common = {
    as_of: 'then',
    verified: evidence.verified ?? 'unknown',
    verification: evidence.verification ?? 'the chain was not looked at',
  } as const;
  if (chosen === undefined) return { ...nothingKnown(evidence), ...common };
  const { main } = chosen;
  const cause = causeOf(main);
  const finding = findings[cause];
  const origin = cause === 'replayed' ? toFact(evidence.origin) : undefined;
  const now = answerOfNow(main, evidence.now);
  const decided = chosen.approvals.at(-1);
  const { caller, operator } = finding;
  return {
    trace_id: main.traceId ?? evidence.traceId,
    outcome: outcomeOf(cause, main),
    cause,
    summary: summaryOf(cause, main, decided),
    ...(main.capability === undefined ? {} : { capability_id: main.capability }),
    ...main.source,
    steps: stepsOf({ ...chosen, finding, origin }),
    counterfactuals: counterfactualsOf(cause, withRuleOf(main, decided), evidence.now),
    next: { caller, operator },
    ...common,
    ...(now === undefined ? {} : { now }),
    missing: [...missingFrom(cause, chosen, origin), ...ticketMissing(evidence, main), ...(evidence.missing ?? [])],
    others: executions
      .filter((each) => each !== chosen)
      .map(({ main: { id, status, capability } }) => ({
        id,
        status,
        ...(capability === undefined ? {} : { capability_id: capability }),
      })),
  };
}

/** Whether a record is of a call or an approval. */
export function isExplained(record: unknown): boolean {
  return toFact(record) !== undefined;
}

/** The id of the record that says how the explained call ended, or how far it has come. */
export function subjectOf({ records, about }: Pick<Evidence, 'records' | 'about'>): string | undefined {
  return chosenOf(executionsOf(records.flatMap((record) => toFact(record) ?? [])), about)?.main.id;
}

/** The records that an explanation cites, by the calls of a trace. */
export function citedIn({ steps }: Pick<Explanation, 'steps'>): readonly string[] {
  return [...new Set(steps.flatMap(({ evidence }) => evidence))];
}

function nothingKnown({ traceId, missing = [] }: Evidence): Omit<Explanation, 'as_of' | 'verified' | 'verification'> {
  const { caller, operator } = findings.unknown;
  return {
    trace_id: traceId,
    outcome: 'unknown',
    cause: 'unknown',
    summary: 'No record of a call is there.',
    steps: [],
    counterfactuals: [],
    next: { caller, operator },
    missing: ['a record of a call of this trace', ...missing],
    others: [],
  };
}

function outcomeOf(cause: Cause, { status }: Fact): Explanation['outcome'] {
  return cause === 'unknown' || cause === 'approval_running' ? 'unknown' : status;
}

function withRuleOf(main: Fact, decided: Fact | undefined): Fact {
  return { ...main, rule: main.rule ?? decided?.rule, policyDigest: main.policyDigest ?? decided?.policyDigest };
}

function summaryOf(cause: Cause, main: Fact, decided: Fact | undefined): string {
  const what = main.capability ?? 'The call';
  const because = findings[cause].because(findings[cause].step === 'approve' ? (decided ?? main) : main);
  const code = main.code === undefined ? '' : ` (${main.code})`;
  return `${what}: ${says(cause, main)}${code}: ${because}.`;
}

function says(cause: Cause, { status }: Fact): string {
  if (cause === 'replayed') return 'answered again';
  if (cause === 'approval_running' || cause === 'unknown') return 'unknown';
  return { success: 'success', failed: 'failed', denied: 'denied', intercepted: 'waits', cancelled: 'cancelled' }[
    status
  ];
}

function missingFrom(cause: Cause, { main, approvals, facts }: ExecutionFacts, origin: Fact | undefined): string[] {
  const missing: string[] = [];
  const isGated = main.approvalId !== undefined;
  if (isGated && !approvals.some(({ type }) => type === 'approval_created')) {
    missing.push(`the record that opened approval ${main.approvalId}`);
  }
  const needsDecision = isOfCall(main) && isGated && main.status !== 'intercepted';
  const isDecision = ({ type }: Fact) => type !== 'approval_created';
  if (needsDecision && !approvals.some(isDecision)) missing.push(`the decision on approval ${main.approvalId}`);
  if (cause === 'approval_running') missing.push('the record of how the approved call ended');
  if (cause === 'replayed' && origin === undefined)
    missing.push('the record of the execution whose answer was given again');
  if (cause === 'unknown') missing.push(`how ${facts.length === 1 ? 'it' : 'they'} ended`);
  return missing;
}

/** A ticket that is known and says something else than the records. */
function ticketMissing({ tickets = [] }: Evidence, { approvalId, type }: Fact): string[] {
  const ticket = tickets.find((each) => isObject(each) && each.id === approvalId);
  if (approvalId === undefined || !isObject(ticket) || !isObject(ticket.status)) return [];
  const { status } = ticket.status;
  const isOpen = type === 'approval_created';
  return isOpen && status !== 'pending' ? [`the record by which approval ${approvalId} came to be ${status}`] : [];
}
