// The smallest change of one thing with which the call would have ended otherwise.
import type { Counterfactual } from '@portico/contracts';
import type { Cause } from './causes.js';
import type { InForce, RuleInForce } from './evidence.js';
import { detailOf, type Fact } from './fact.js';
import { patternOf } from './finding.js';
import { isDecidedByNow } from './in-force.js';

type Of = (fact: Fact, now: InForce | undefined) => readonly Counterfactual[];

const then = (change: string, effect: string, how: string): Counterfactual => ({ change, effect, how, as_of: 'then' });

export function counterfactualsOf(cause: Cause, fact: Fact, now: InForce | undefined): Counterfactual[] {
  return [...(table[cause]?.(fact, now) ?? [])];
}

const restart = ({ server }: Fact) => `portico server restart ${shellWord(server ?? '<server>')}`;

const raiseDeadline: Of = (_fact, now) => [
  then(
    `raise toolTimeoutMs${now === undefined ? '' : ` (now ${now.toolTimeoutMs})`}`,
    'it would have more time to be answered',
    'toolTimeoutMs in the configuration',
  ),
];

const allowLoop: Of = (fact) => [
  then('raise loops.identical', 'it would run more often', 'loops.identical in the configuration'),
  then(`add "${fact.capability ?? 'its id'}" to loops.except`, 'it would run', 'loops.except in the configuration'),
];

const refill: Of = ({ rule }) => {
  const budget = patternOf(rule) ?? 'ID';
  return [
    then('empty the budget', 'it would be counted from nothing', `portico budgets reset ${shellWord(budget)}`),
    then('raise its limit', 'it would be sent', `the budget "${budget}" in the configuration`),
  ];
};

const lift: Of = (fact, now) => {
  if (fact.rule?.startsWith('loop:')) return allowLoop(fact, now);
  if (fact.rule?.startsWith('budget:')) return refill(fact, now);
  const pattern = patternOf(fact.rule);
  if (pattern === undefined) return [];
  if (fact.rule?.startsWith('rule:')) return narrowRule(fact, now);
  if (now === undefined || isDecidedByNow(fact, now) !== true || now.lift === undefined)
    return [removal(fact.rule?.startsWith('deny:') ? 'deny' : 'requireApproval', { pattern, paths: [] }, 'then')];
  const [first, ...more] = now.lift;
  if (first === undefined) return [];
  const list = fact.rule?.startsWith('deny:') ? 'deny' : 'requireApproval';
  if (more.length === 0 && first.paths.length <= 1) return [removal(list, first, 'now')];
  const rules = now.lift.map((rule) => `"${rule.pattern}" from ${rule.paths.join(' and ') || list}`).join(', ');
  return [{ change: `remove ${rules}`, effect: effects[list], how: 'no change of one rule is enough', as_of: 'now' }];
};

const narrowRule: Of = ({ rule }) => [
  then(
    `narrow or remove the rule "${patternOf(rule)}"`,
    'it would not apply to these arguments',
    `the entry of rules with the id ${JSON.stringify(patternOf(rule))} in the configuration`,
  ),
];

const effects = { deny: 'it would not be denied', requireApproval: 'it would run without an approval' } as const;

function removal(
  list: 'deny' | 'requireApproval',
  { pattern, paths }: RuleInForce,
  asOf: 'then' | 'now',
): Counterfactual {
  const [path = `policy.${list}`] = paths;
  const flag = list === 'deny' ? 'deny' : 'require-approval';
  return {
    change: `remove "${pattern}" from ${path}`,
    effect: effects[list],
    how: path.startsWith('policy.')
      ? `portico config policy remove --${flag} ${shellWord(pattern)}`
      : `${path} in the configuration`,
    as_of: asOf,
  };
}

const allowIt: Of = (fact, now) => {
  const name = fact.capability;
  if (name === undefined) return [];
  const paths = now?.notAllowedBy ?? [];
  const effect = 'it would be found';
  if (now === undefined || paths.length === 0)
    return [
      then(
        `add "${name}" to allow, or to the profile or role`,
        effect,
        'policy.allow, or the profile or role of the caller',
      ),
    ];
  const additions = paths.map((path) => `"${path.endsWith('.servers') ? (fact.server ?? name) : name}" to ${path}`);
  if (paths.length > 1)
    return [
      {
        change: `add ${additions.join(' and ')}`,
        effect,
        how: 'no change of one rule is enough',
        as_of: 'now',
      },
    ];
  const [path = ''] = paths;
  const how =
    path === 'policy.allow' ? `portico config policy add --allow ${shellWord(name)}` : `${path} in the configuration`;
  return [{ change: `add ${additions[0]}`, effect, how, as_of: 'now' }];
};

const waitForCircuit: Of = (fact, now) => [
  then(
    `wait until the circuit admits a call${now?.cooldownMs === undefined ? '' : ` (resilience.cooldownMs: ${now.cooldownMs})`}`,
    'one call is sent to see whether the server works again',
    now?.circuit === 'closed' ? 'send it again: the circuit is closed now' : 'wait, then send it again',
  ),
  then('restart the server', 'its circuit is closed', restart(fact)),
];

const approveInstead: Of = (fact, now) => [
  then('approve a ticket of the call', 'it would run', 'portico approvals approve ID'),
  ...lift(fact, now),
];

const approveThis: Of = (fact, now) => [
  then('approve the ticket', 'it would run', `portico approvals approve ${shellWord(fact.approvalId ?? 'ID')}`),
  ...lift(fact, now),
];

const table: Readonly<Partial<Record<Cause, Of>>> = {
  denied_by_rule: lift,
  denied_by_argument_rule: narrowRule,
  loop: allowLoop,
  budget_exhausted: refill,
  not_visible: allowIt,
  not_found: () => [then('use an id that is listed', 'it would be found', 'portico search WORDS')],
  not_found_at_server: (fact) => [then('restart the server', 'its list is read again', restart(fact))],
  invalid_arguments: (fact) => [
    then(
      `correct ${detailOf(fact, 'argument') ?? 'the argument'}`,
      'the arguments would be taken',
      `portico describe ${fact.capability === undefined ? 'ID' : shellWord(fact.capability)}`,
    ),
  ],
  invalid_query: () => [
    then('leave the modifiers out', 'the whole result would be answered', '_jsonpath, _limit_lines, _truncate_bytes'),
  ],
  invalid_state: () => [then('begin the call again', 'it would be sent', 'send it without requestState')],
  approval_share_used_up: () => [
    then('raise limits.approvals', 'its ticket would be opened', 'limits.approvals in the configuration'),
  ],
  share_used_up: (_fact, now) => [
    then(
      `raise limits.queuedCalls${now === undefined ? '' : ` (now ${now.queuedCalls})`}`,
      'it would wait for a place, where it was that limit',
      'limits.queuedCalls in the configuration',
    ),
  ],
  withheld: () => [then('send the call again', 'a ticket on what is in force is opened', 'send it again')],
  approval_pending: approveThis,
  approval_rejected: approveInstead,
  approval_cancelled: approveInstead,
  approval_expired: (fact, now) => [
    then(
      `raise policy.approvalTimeoutSecs${now === undefined ? '' : ` (now ${now.approvalTimeoutSecs})`}`,
      'there would be more time to decide',
      'portico config policy set --approval-timeout SECONDS',
    ),
    ...lift(fact, now),
  ],
  replayed: () => [
    then('use a new idempotency key', 'it would run again', 'the header Idempotency-Key, or idempotency_key'),
  ],
  circuit_open: waitForCircuit,
  unreachable: (fact) => [then('restart the server', 'a new session is opened', restart(fact))],
  connection_lost: (fact) => [then('restart the server', 'a new session is opened', restart(fact))],
  timeout_at_server: raiseDeadline,
  timeout_before_server: raiseDeadline,
  cancelled_before_server: () => [
    then('do not cancel it', 'it would be sent', 'keep the connection open, or use a key'),
  ],
  cancelled_at_server: () => [
    then('do not cancel it', 'it would be answered', 'keep the connection open, or use a key'),
  ],
};

/** As a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
