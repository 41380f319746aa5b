// The finding for each cause: at which step it ended the call, why, and what its caller and the operator can do.
import type { Cause } from './causes.js';
import { detailOf, type Fact } from './fact.js';
import {
  deciderOf,
  type Finding,
  finding,
  nothing,
  patternOf,
  repeatAsIs,
  serverOf,
  thingOf,
  timeOf,
} from './finding.js';
import { atServer } from './findings-at-server.js';

function reasonOf({ rule }: Fact): string {
  if (rule?.startsWith('loop:')) return ', since it repeats itself without a change';
  if (rule?.startsWith('budget:')) return `, since the budget "${patternOf(rule)}" is used up`;
  return rule === undefined ? '' : ` by the rule "${patternOf(rule)}"`;
}

const early: Readonly<Partial<Record<Cause, Finding>>> = {
  denied_by_rule: finding(
    'authorize',
    'stopped',
    (fact) => `the deny rule "${patternOf(fact.rule)}" covers ${thingOf(fact)}`,
    'Do not repeat it: ask the operator, or use something that is listed.',
    'Remove or narrow the rule, where the call is to be allowed.',
  ),
  denied_by_argument_rule: finding(
    'authorize',
    'stopped',
    (fact) => `the rule "${patternOf(fact.rule)}" denies ${thingOf(fact)} with these arguments`,
    'Change the arguments as the hint of the answer says, or ask the operator.',
    'Narrow the condition of the rule, where these arguments are to be allowed.',
  ),
  loop: finding(
    'authorize',
    'stopped',
    (fact) =>
      `${thingOf(fact)} had the same arguments and the same result again and again${fact.rule === 'loop:alternating' ? ', in turns with another call' : ''}`,
    'Do not repeat it: report what was tried, and ask the user how to go on.',
    'See what the agent wanted. If the repetition is meant, add the id to loops.except, or raise loops.identical.',
  ),
  budget_exhausted: finding(
    'authorize',
    'stopped',
    (fact) => `the budget "${patternOf(fact.rule)}" was used up, or calls in flight held the rest of it`,
    'Do not repeat it before the time that the answer names: report what is done and what is left.',
    'See portico budgets list: raise the limit, or empty the budget.',
  ),
  not_visible: finding(
    'authorize',
    'stopped',
    (fact) =>
      `${thingOf(fact)} exists, and is outside what the caller sees${fact.profile === undefined ? '' : ` through the profile "${fact.profile}"`}: its answer was "not found"`,
    'Use something that is listed.',
    'Add it to allow, or to the profile or role of the caller, where it is to be seen.',
  ),
  not_found: finding(
    'resolve',
    'stopped',
    (fact) => `no server lists ${thingOf(fact)}, and no alias has that name`,
    'Look for the id with a search, or in the list.',
    'Check that its server is configured and connected, and that the id is spelt as it is listed.',
  ),
  invalid_arguments: finding(
    'prepare',
    'stopped',
    (fact) => `${detailOf(fact, 'argument') ?? 'an argument'} does not fit the schema of ${thingOf(fact)}`,
    'Correct the argument and send the call again.',
    'Nothing was sent; where the schema of the server is wrong, argumentChecks of that server can be "off".',
  ),
  invalid_request: finding(
    'prepare',
    'unknown',
    () =>
      'the request was refused as not valid before anything was sent; the answer said why, the record does not: a URI, arguments, a state, or a key that was used for another request',
    'Read the message of the answer, and correct what it names.',
    nothing,
  ),
  approval_share_used_up: finding(
    'approve',
    'stopped',
    () => 'too many calls of this caller wait for an approval already',
    'Repeat it when some of them are decided.',
    'Decide on what waits, or raise limits.approvals.',
  ),
  approval_pending: finding(
    'approve',
    'waits',
    (fact) =>
      detailOf(fact, 'reason') === 'definition_changed'
        ? 'the definition changed, so it waits for a decision on the new one'
        : `it waits for a person${reasonOf(fact)}`,
    'Wait for the decision; a repeat under the same key joins the ticket.',
    'Approve or reject the ticket.',
  ),
  approval_running: finding(
    'approve',
    'passed',
    (fact) => `${deciderOf(fact)} approved it; no record says yet how the call ended`,
    'Ask for the ticket: it has the result once that is there.',
    'Look at the ticket; a call that was cut off leaves its record at the next start.',
  ),
  approval_rejected: finding(
    'approve',
    'stopped',
    (fact) => {
      const reason = detailOf(fact, 'reason');
      const who = fact.type === 'approval_rejected' ? deciderOf(fact) : 'somebody';
      return `${who} rejected it${reason === undefined ? '' : `: ${reason}`}`;
    },
    'Do not repeat it as it is: change what was objected to, and use a new key.',
    'Nothing is to be done; an approval of a new call would let it run.',
  ),
  approval_cancelled: finding(
    'approve',
    'stopped',
    () => 'its caller cancelled it while it waited for a decision',
    repeatAsIs,
    nothing,
  ),
  approval_expired: finding(
    'approve',
    'stopped',
    () => 'no decision came within the time of its ticket',
    'Send the call again: it opens a new ticket.',
    'Decide earlier, or raise policy.approvalTimeoutSecs.',
  ),
  replayed: finding(
    'dedupe',
    'replayed',
    (fact) =>
      `the key ${JSON.stringify(fact.key ?? '')} has an answer already, which was given again; the server was not contacted`,
    'Use a new key to have it run again.',
    nothing,
  ),
};

const late: Readonly<Partial<Record<Cause, Finding>>> = {
  succeeded: finding('answer', 'passed', () => 'it ran and was answered', nothing, nothing),
  asked_caller: finding(
    'converse',
    'asked',
    (fact) => `${serverOf(fact)} or an approval asks the caller something; the call goes on with its answer`,
    'Answer what was asked, with the state of the interim answer.',
    nothing,
  ),
  tool_error: finding(
    'converse',
    'stopped',
    (fact) => `the tool itself says that it failed (isError)${timeOf(fact.upstreamUs)}; Portico passed its answer on`,
    'Read the result: it says what the tool needs.',
    'Look at the log of the server.',
  ),
  interrupted: finding(
    'converse',
    'unknown',
    () => 'the service ended while it ran; whether it took effect is not known',
    'Find out whether it took effect; the same key does not run it again.',
    'Look for a service_stop or a crash before the latest service_start.',
  ),
  internal_after_send: finding(
    'answer',
    'stopped',
    () => 'it failed in Portico after the server was contacted; whether it took effect is not known',
    'Find out whether it took effect before it is repeated.',
    'Look at the log of the daemon and at its state directory.',
  ),
  internal_before_send: finding(
    'record',
    'unknown',
    () =>
      'it failed in Portico; the record has no time at a server. The audit log, the state store or a limit may have refused it',
    'Repeat it later.',
    'Look at GET /readyz and at the log of the daemon.',
  ),
  unknown: finding(
    'resolve',
    'unknown',
    () => 'no record says how it ended',
    'Ask the operator.',
    'Look at the records themselves; an audit_gap says what the log does not hold.',
  ),
};

export const findings = { ...early, ...atServer, ...late } as Readonly<Record<Cause, Finding>>; // the test goes over all
