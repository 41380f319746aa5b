// Questions of operators about the rules: the outcome of a call, the effect of a change, and the matches so far.
import {
  type PolicyPreviewed,
  type PolicyRuleInfo,
  type PolicyTested,
  policyPreviewRequestSchema,
  policyTestRequestSchema,
  type RuleListName,
} from '@portico/contracts';
import { type ControlPlane, type PatternList, type PolicyVerdict, requireChange } from '@portico/control-plane';
import type { Hono } from 'hono';
import { send } from './answer.js';
import { textOf, timeIn } from './audit-query.js';
import { readBody } from './request.js';
import { exchangeOf } from './web-exchange.js';

export function addPolicyRoutes(app: Hono, plane: ControlPlane): void {
  const answer = (body: object) => send(JSON.stringify({ ok: true, ...body }), 200);

  app.post('/v1/config/policy/test', async (c) => {
    const { id, kind: given, profile, role, args } = await readBody(exchangeOf(c), policyTestRequestSchema);
    const kind = given ?? 'tool';
    const trial = { id, kind, profile: profile ?? null, role: role ?? null, args: args ?? undefined };
    const verdict = plane.policy.try(trial);
    const grants = await plane.policy.answering(trial, verdict);
    return answer({ id, kind, ...testedOf(verdict), ...(grants.length === 0 ? {} : { grants }) });
  });

  app.post('/v1/config/policy/preview', async (c) => {
    const { pattern, list, policy, profile, role, since } = await readBody(exchangeOf(c), policyPreviewRequestSchema);
    const change = {
      pattern: pattern == null ? undefined : { text: pattern, list: fieldOf[list ?? 'deny'] },
      lists: policy == null ? undefined : listsOf(policy),
      viewer: { profile: profile ?? null, role: role ?? null },
      sinceMs: since == null ? undefined : timeIn(since, 'since'),
    };
    requireChange(change);
    const { matches = null, changed, isComplete, past } = await plane.policy.preview(change);
    const calls = past === undefined ? null : pastOf(past, !plane.audit.isVolatile);
    return answer({ matches, changed, complete: isComplete, past: calls });
  });

  app.get('/v1/config/policy/rules', async () => {
    const { rules, total } = await plane.policy.rules();
    const shown = rules.map(
      ({ path, list, pattern, rule, isShadow, matches = null, hits = null, lastHitMs, lastHit }): PolicyRuleInfo => ({
        path,
        list: list === 'requireApproval' ? 'require_approval' : list,
        pattern,
        ...(rule && { id: rule.id, when: rule.when, effect: rule.effect === 'deny' ? 'deny' : 'require_approval' }),
        mode: isShadow ? 'shadow' : 'enforce',
        matches,
        hits,
        last_hit: lastHitMs === undefined ? null : new Date(lastHitMs).toISOString(),
        last_call: lastHit === undefined ? null : { capability_id: lastHit.capability, trace_id: lastHit.traceId },
      }),
    );
    return answer({ rules: shown, total, uptime_secs: plane.activity().uptime_secs });
  });

  app.get('/v1/config/policy/verdicts', async (c) => {
    const viewer = { profile: textOf(c, 'profile') ?? null, role: textOf(c, 'role') ?? null };
    const { counts, verdicts, isComplete } = await plane.policy.verdicts(viewer);
    const shown = verdicts.map(({ kind, id, effect, rule = null, places, dependsOn }) => ({
      kind,
      id,
      effect,
      rule,
      written_at: [...places],
      depends_on: [...dependsOn],
    }));
    return answer({ counts, verdicts: shown, complete: isComplete });
  });

  app.get('/v1/config/policy/unmatched', () => answer({ unmatched: plane.policy.unmatched() }));
}

const fieldOf: Readonly<Record<RuleListName, PatternList>> = {
  allow: 'allow',
  deny: 'deny',
  require_approval: 'requireApproval',
};

type Lists = Readonly<Partial<Record<RuleListName, readonly string[] | null | undefined>>>;

/** Null empties a list, as in a change of the policy. */
function listsOf(policy: Lists): Partial<Record<PatternList, readonly string[]>> {
  const given = Object.entries(policy).filter(([, rules]) => rules !== undefined);
  return Object.fromEntries(given.map(([name, rules]) => [fieldOf[name as RuleListName], rules ?? []])); // its keys
}

/** The wire shape of a policy verdict, without what was asked. */
export function testedOf(verdict: PolicyVerdict): Omit<PolicyTested, 'ok' | 'id' | 'kind'> {
  const { decision, rule = null, dependsOn, effect, names, places, isKnown, shadow, args, answer, near } = verdict;
  return {
    decision: decision.kind,
    pattern: 'pattern' in decision ? decision.pattern : null,
    effect,
    names: [...names],
    rule,
    depends_on: [...dependsOn],
    written_at: [...places],
    is_known: isKnown,
    shadow: shadow
      ? { decision: shadow.decision.kind, rule: shadow.rule ?? null, written_at: [...shadow.places] }
      : null,
    arguments: args
      ? {
          fits: args.fits,
          problem: args.problem ?? null,
          converted: [...args.converted],
          redacted: [...args.redacted],
          sanitized_args: args.sanitized,
        }
      : null,
    answer: answer ?? null,
    near: [...near],
  };
}

type Past = NonNullable<Awaited<ReturnType<ControlPlane['policy']['preview']>>['past']>;

function pastOf({ sinceMs, oldest, isComplete, changed, ...counts }: Past, durable: boolean): PolicyPreviewed['past'] {
  return {
    since: new Date(sinceMs).toISOString(),
    oldest: oldest ?? null,
    complete: isComplete,
    durable,
    ...counts,
    changed: { total: changed.total, items: [...changed.items] },
  };
}
