// Findings for causes between the turn of a call and its answer.
import type { Cause } from './causes.js';
import { type Finding, finding, nothing, repeatAsIs, serverOf, thingOf, timeOf } from './finding.js';

export const atServer: Readonly<Partial<Record<Cause, Finding>>> = {
  share_used_up: finding(
    'take_turn',
    'stopped',
    () => 'no rule decided: a share of this caller is used up, that of calls that wait for a place or for an answer',
    'Repeat it when some of the calls that wait have ended.',
    'Find what fills the queue of the server, or raise limits.queuedCalls.',
  ),
  withheld: finding(
    'converse',
    'stopped',
    () => 'after its approval it was not sent: its definition had changed, or a rule denies it by now',
    'Send the call again: it opens a ticket on what is in force.',
    'Look at the definition of the ticket and at the rules of now.',
  ),
  not_found_at_server: finding(
    'converse',
    'stopped',
    (fact) => `${serverOf(fact)} was asked, and has no ${thingOf(fact)}`,
    'Use something that the server lists.',
    'Where the server lists it, its list and its answers differ: restart it.',
  ),
  invalid_state: finding(
    'converse',
    'stopped',
    (fact) => `${serverOf(fact)} had been contacted when the request was found not to be valid`,
    'Begin the call again, without the state of the earlier answer.',
    nothing,
  ),
  invalid_query: finding(
    'distill',
    'stopped',
    () => 'the server answered; the modifiers of the call could not be applied to that result',
    'Make the query simpler, or leave the modifiers out.',
    nothing,
  ),
  circuit_open: finding(
    'converse',
    'stopped',
    (fact) => `the circuit of ${serverOf(fact)} was open after failures in a row; nothing was sent`,
    'Wait until the circuit admits a call.',
    'Find out why the server fails, then restart it.',
  ),
  unreachable: finding(
    'converse',
    'stopped',
    (fact) => `there was no session with ${serverOf(fact)}; nothing was sent`,
    'Repeat it later; it is safe, since nothing was sent.',
    'Look at the state and the log of the server, then restart it.',
  ),
  connection_lost: finding(
    'converse',
    'stopped',
    (fact) =>
      `the session with ${serverOf(fact)} ended${timeOf(fact.upstreamUs)}; whether the call took effect is not known`,
    'Find out whether it took effect before it is repeated, or repeat it under its key.',
    'Look at the log of the server: it ended while it worked on the call.',
  ),
  timeout_at_server: finding(
    'converse',
    'stopped',
    (fact) =>
      `${serverOf(fact)} did not answer${timeOf(fact.upstreamUs)} before the deadline; whether the call took effect is not known`,
    'Find out whether it took effect before it is repeated; ask for less at once.',
    'Raise toolTimeoutMs, or find out why the server is slow.',
  ),
  timeout_before_server: finding(
    'take_turn',
    'stopped',
    (fact) => `the deadline passed before ${serverOf(fact)} had answered; the record has no time at the server`,
    'Repeat it later.',
    'Raise toolTimeoutMs, or find out what holds the places of the server.',
  ),
  upstream_error: finding(
    'converse',
    'stopped',
    (fact) => `${serverOf(fact)} answered with an error of the protocol${timeOf(fact.upstreamUs)}`,
    'Read the message of the answer: the server refused the call.',
    'Look at the log of the server.',
  ),
  cancelled_before_server: finding(
    'take_turn',
    'stopped',
    () => 'it was cancelled, or its caller went away; the record has no time at the server',
    repeatAsIs,
    nothing,
  ),
  cancelled_at_server: finding(
    'converse',
    'stopped',
    (fact) =>
      `it was cancelled, or its caller went away, while ${serverOf(fact)} worked on it; whether it took effect is not known`,
    'Find out whether it took effect before it is repeated.',
    nothing,
  ),
};
