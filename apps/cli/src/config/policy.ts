// `portico config policy`: the rules, one at a time.
import type { JsonObject, JsonValue, PolicyInForce } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, addGroup, type Session, type Shell } from '../command.js';
import { CommandFailure, UsageFailure } from '../failures.js';
import { parseObject } from '../input/json-arguments.js';
import { collect, toPositive } from '../input/numbers.js';
import { isObject } from '../is-object.js';
import { showFields } from '../output/describe.js';

type List = 'allow' | 'deny' | 'require_approval' | 'redact_keys';

interface RuleOptions {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly requireApproval?: readonly string[];
  readonly redactKey?: readonly string[];
  readonly shadow?: true;
}

interface SetOptions {
  readonly approvalTimeout?: number;
}

export function addPolicy(config: Command, shell: Shell): void {
  const group = addGroup(
    config,
    'policy',
    'The capabilities that may be called, and the calls that a person decides on',
  );
  addShow(group, shell);
  addRules(group, shell, 'add', 'Add rules; existing rules stay', (now, given) => [...new Set([...now, ...given])]);
  addRules(group, shell, 'remove', 'Remove rules; all others stay', (now, given) =>
    now.filter((rule) => !given.includes(rule)),
  );
  addSet(group, shell);
}

function addShow(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'show',
    summary: 'Show the rules in force',
    examples: ['config policy show', 'config policy show --json'],
    reach: 'state',
    async run(session) {
      show(session, await configuredPolicy(session));
      return undefined;
    },
  });
}

const ruleFlags = (command: Command) =>
  command
    .option('--allow <pattern>', 'only these may be called; may be repeated', collect)
    .option('--deny <pattern>', 'these may never be called; may be repeated', collect)
    .option('--require-approval <pattern>', 'calls that a person has to approve; may be repeated', collect)
    .option('--redact-key <name>', 'a key that logs leave out; may be repeated', collect)
    .option('--shadow', 'among the rules on trial, which are recorded and decide nothing');

function addRules(
  group: Command,
  shell: Shell,
  verb: 'add' | 'remove',
  summary: string,
  change: (now: readonly string[], given: readonly string[]) => readonly string[],
): void {
  addCommand<[], RuleOptions>(group, shell, {
    usage: verb,
    summary,
    examples: [
      `config policy ${verb} --deny "files.write_*"`,
      `config policy ${verb} --require-approval "memory.delete_*"`,
      `config policy ${verb} --deny "memory.*" --shadow`,
    ],
    flags: ruleFlags,
    reach: 'state',
    async run(session, _args, { allow, deny, requireApproval, redactKey, shadow }) {
      const given = Object.entries({ allow, deny, require_approval: requireApproval, redact_keys: redactKey }).flatMap(
        ([list, rules]) => (rules === undefined ? [] : [[list as List, rules] as const]),
      );
      if (given.length === 0)
        throw new UsageFailure('name a rule with --allow, --deny, --require-approval or --redact-key');
      if (shadow === true && redactKey !== undefined)
        throw new UsageFailure('--shadow is for --allow, --deny and --require-approval; a redacted key has no trial');
      const configured = await rulesToChange(
        session,
        given.map(([list]) => list),
      );
      const policy = shadow === true ? { ...configured, ...noRules, ...configured.shadow } : configured;
      const missing = given.flatMap(([list, rules]) =>
        verb === 'remove' ? rules.filter((rule) => !policy[list].includes(rule)) : [],
      );
      if (missing.length > 0)
        throw new CommandFailure(`there is no rule ${missing.join(', ')} in that list; nothing was changed`);
      const lists = Object.fromEntries(given.map(([list, rules]) => [list, [...change(policy[list], rules)]]));
      show(session, (await session.client.mergePolicy(shadow === true ? { shadow: lists } : lists)).policy);
      return undefined;
    },
  });
}

function addSet(group: Command, shell: Shell): void {
  addCommand<[string | undefined], SetOptions>(group, shell, {
    usage: 'set [json]',
    summary: 'Replace fields of the policy by those of a JSON object; null goes back to the default',
    examples: [
      'config policy set --approval-timeout 600',
      'config policy set \'{"deny": ["files.move_file"], "webhook": null}\'',
    ],
    flags: (command) => command.option('--approval-timeout <seconds>', 'how long a ticket waits', toPositive),
    reach: 'state',
    async run(session, [json], { approvalTimeout }) {
      if (json === undefined && approvalTimeout === undefined)
        throw new UsageFailure('give a JSON object, or --approval-timeout');
      const body = json === undefined ? {} : parseObject(json, 'the policy');
      const timeout = approvalTimeout === undefined ? {} : { approval_timeout_secs: approvalTimeout };
      show(session, (await session.client.mergePolicy({ ...body, ...timeout })).policy);
      return undefined;
    },
  });
}

/** The policy as the file states it; null and empty lists mean the default. Reading it leaves no audit record. */
interface ShownPolicy extends Omit<PolicyInForce, 'approval_timeout_secs'> {
  readonly approval_timeout_secs: number | null;
}

async function configuredPolicy({ client }: Session): Promise<ShownPolicy> {
  const { config } = await client.getConfig();
  const policy = isObject(config.policy) ? config.policy : {};
  const { approvalTimeoutSecs, webhook } = policy;
  const { rules, shadow } = policy;
  return {
    ...listsOf(policy),
    ...(Array.isArray(rules) && rules.length > 0 ? { rules: rules.filter(isObject).map(ruleOf) } : {}),
    ...(isObject(shadow) ? { shadow: listsOf(shadow) } : {}),
    redact_keys: textsOf(policy.redactKeys),
    approval_timeout_secs: typeof approvalTimeoutSecs === 'number' ? approvalTimeoutSecs : null,
    webhook: isObject(webhook) ? webhook : null,
  };
}

type ShownRule = NonNullable<PolicyInForce['rules']>[number];

/** A rule on arguments as the file states it. */
function ruleOf({ id, match, when, effect, reason, shadow }: JsonObject): ShownRule {
  return {
    id: String(id),
    match: String(match),
    when: String(when),
    effect: effect === 'deny' ? effect : 'require_approval',
    reason: typeof reason === 'string' ? reason : null,
    shadow: shadow === true,
  };
}

const noRules = { allow: [], deny: [], require_approval: [] };

function listsOf({ allow, deny, requireApproval }: JsonObject) {
  return { allow: textsOf(allow), deny: textsOf(deny), require_approval: textsOf(requireApproval) };
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The keys that are redacted by default stay when one is added. Only a change reports them, even an empty one. */
async function rulesToChange(session: Session, lists: readonly List[]): Promise<Pick<ShownPolicy, List | 'shadow'>> {
  const policy = await configuredPolicy(session);
  if (!lists.includes('redact_keys') || policy.redact_keys.length > 0) return policy;
  return (await session.client.mergePolicy({})).policy;
}

function ruleLine({ id, match, when, effect, shadow }: ShownRule): string {
  return `${id}: ${effect}${shadow ? ' (shadow)' : ''} ${match} when ${when}`;
}

function show({ output }: Session, policy: ShownPolicy): void {
  const list = (rules: readonly string[]) => rules.join('\n');
  const { approval_timeout_secs: timeout } = policy;
  output.answer({ ok: true, policy }, () =>
    showFields(output, {
      allow: list(policy.allow) || 'everything',
      deny: list(policy.deny) || 'nothing',
      'require approval': list(policy.require_approval) || 'nothing',
      'rules on arguments': list((policy.rules ?? []).map(ruleLine)),
      'shadow allow': list(policy.shadow?.allow ?? []),
      'shadow deny': list(policy.shadow?.deny ?? []),
      'shadow require approval': list(policy.shadow?.require_approval ?? []),
      'redact keys': list(policy.redact_keys) || '(the usual names of secrets)',
      'approval timeout': timeout === null ? '(default)' : `${timeout} s`,
      webhook: policy.webhook,
    }),
  );
}
