// The policy block with its defaults filled in, and the checks of it that a schema cannot say.
import { type Issue, joinPath } from '../issues.js';
import { defaultPolicy, type Policy, type PolicyRules, type Webhook } from './config.js';
import type { RawConfig } from './file-schema.js';
import type { RawGrants } from './grants-schema.js';
import { headerIssues } from './header-issues.js';
import type { ArgumentRule, GrantRules } from './policy-rules.js';
import type { RawArgumentRule, RawPolicy, RawPolicyRules, RawRuleLists } from './policy-schema.js';

type RawWebhook = NonNullable<RawPolicy['webhook']>;

export function policyIssues(raw: RawPolicy | null | undefined): Issue[] {
  const webhook = raw?.webhook;
  if (webhook == null) return [];
  const at = (...keys: string[]) => joinPath(['policy', 'webhook', ...keys]);
  const issues = headerIssues(webhook.headers ?? {}, (name) => at('headers', name));
  if (webhook.secret != null && webhook.secretEnv != null) {
    issues.push({ path: at(), message: 'needs at most one of `secret` and `secretEnv`; it has both' });
  }
  if (/[\r\n\0]/.test(webhook.authHeader ?? '')) {
    issues.push({ path: at('authHeader'), message: 'must not hold a line break' });
  }
  return issues;
}

export function toPolicy(raw: RawPolicy | null | undefined): Policy {
  return {
    ...toRules(raw ?? {}),
    approvalTimeoutSecs: raw?.approvalTimeoutSecs ?? defaultPolicy.approvalTimeoutSecs,
    redactKeys: raw?.redactKeys ?? defaultPolicy.redactKeys,
    webhook: raw?.webhook == null ? null : toWebhook(raw.webhook),
    ...(raw?.grants?.enabled === true ? { grants: toGrants(raw.grants) } : {}),
  };
}

export function toRules(raw: RawPolicyRules): PolicyRules {
  const shadow = raw.shadow == null ? undefined : toLists(raw.shadow);
  const isEmpty =
    shadow === undefined || shadow.allow.length + shadow.deny.length + shadow.requireApproval.length === 0;
  const rules = raw.rules ?? [];
  return {
    ...toLists(raw),
    ...(rules.length === 0 ? {} : { rules: rules.map(toArgumentRule) }),
    ...(isEmpty ? {} : { shadow }),
  };
}

function toArgumentRule({ id, match, when, effect, reason, shadow }: RawArgumentRule): ArgumentRule {
  return { id, match, when, effect, reason: reason ?? null, shadow: shadow ?? false };
}

/** Records name a rule by its id alone. */
export function argumentRuleIssues({ policy, profiles, rbac }: RawConfig): Issue[] {
  const ofProfiles = Object.entries(profiles ?? {}).map(
    ([id, own]) => [['profiles', id, 'policy'], own.policy] as const,
  );
  const ofRoles = Object.entries(rbac?.roles ?? {}).map(([name, role]) => [['rbac', 'roles', name], role] as const);
  const found = [[['policy'], policy] as const, ...ofProfiles, ...ofRoles].flatMap(([at, rules]) =>
    (rules?.rules ?? []).map(({ id }, index) => ({ id, at: [...at, 'rules', index] })),
  );
  return found.flatMap(({ id, at }, index) => {
    const first = found.findIndex((other) => other.id === id);
    if (first === index) return [];
    return [{ path: joinPath([...at, 'id']), message: `is the id of ${joinPath(found[first]?.at ?? [])} as well` }];
  });
}

function toGrants({ maxTtlSecs = 28_800, maxUses = 100, mayOffer }: RawGrants): GrantRules {
  return { maxTtlSecs, maxUses, mayOffer: mayOffer ?? null };
}

function toLists({ allow, deny, requireApproval }: RawRuleLists): PolicyRules {
  return { allow: allow ?? [], deny: deny ?? [], requireApproval: requireApproval ?? [] };
}

function toWebhook({ url, secret, secretEnv, authHeader, headers }: RawWebhook): Webhook {
  return {
    url,
    secret: secret ?? null,
    secretEnv: secretEnv ?? null,
    authHeader: authHeader ?? null,
    headers: headers ?? {},
  };
}
