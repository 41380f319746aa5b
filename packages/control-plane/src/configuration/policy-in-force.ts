// The policy as operators see it: with its defaults, and without secrets.
import {
  type ArgumentRule,
  type JsonObject,
  mask,
  maskSecrets,
  type Policy,
  type PolicyInForce,
  type PolicyRules,
} from '@portico/contracts';
import { defaultRedactKeys } from '@portico/policy-engine';

export function policyInForce({ webhook, ...policy }: Policy): PolicyInForce {
  return {
    allow: [...policy.allow],
    deny: [...policy.deny],
    require_approval: [...policy.requireApproval],
    ...(policy.rules === undefined ? {} : { rules: policy.rules.map(shownRule) }),
    ...(policy.shadow === undefined ? {} : { shadow: shownRules(policy.shadow) }),
    redact_keys: [...(policy.redactKeys ?? defaultRedactKeys)],
    approval_timeout_secs: policy.approvalTimeoutSecs,
    webhook: webhook === null ? null : shownWebhook(webhook),
  };
}

function shownRule({ id, match, when, effect, reason, shadow }: ArgumentRule) {
  return { id, match, when, effect: effect === 'deny' ? effect : ('require_approval' as const), reason, shadow };
}

function shownRules({ allow, deny, requireApproval }: PolicyRules): PolicyInForce['shadow'] {
  return { allow: [...allow], deny: [...deny], require_approval: [...requireApproval] };
}

function shownWebhook({ url, secret, secretEnv, authHeader, headers }: NonNullable<Policy['webhook']>): JsonObject {
  const masked = maskSecrets({ url, headers });
  return {
    ...masked,
    ...(secret === null ? {} : { secret: mask }),
    ...(secretEnv === null ? {} : { secret_env: secretEnv }),
    ...(authHeader === null ? {} : { auth_header: mask }),
  };
}
