// The policy as the configuration shows it, in the words of the request that changes it.
import { isJsonObject, type JsonObject, type JsonValue, type PolicyInForce } from '@portico/contracts';
import { defaultRedactKeys } from '@portico/policy-engine';

const defaultTimeoutSecs = 300;

export function inForce(config: JsonObject): PolicyInForce {
  const policy = isJsonObject(config.policy) ? config.policy : {};
  const webhook = isJsonObject(policy.webhook) ? policy.webhook : undefined;
  const { secretEnv, authHeader, ...rest } = webhook ?? {};
  return {
    allow: texts(policy.allow),
    deny: texts(policy.deny),
    require_approval: texts(policy.requireApproval),
    ...(isJsonObject(policy.shadow) ? { shadow: shadowOf(policy.shadow) } : {}),
    redact_keys: Array.isArray(policy.redactKeys) ? texts(policy.redactKeys) : [...defaultRedactKeys],
    approval_timeout_secs:
      typeof policy.approvalTimeoutSecs === 'number' ? policy.approvalTimeoutSecs : defaultTimeoutSecs,
    webhook:
      webhook === undefined
        ? null
        : {
            ...rest,
            ...(secretEnv === undefined ? {} : { secret_env: secretEnv }),
            ...(authHeader === undefined ? {} : { auth_header: authHeader }),
          },
  };
}

function shadowOf({ allow, deny, requireApproval }: JsonObject): PolicyInForce['shadow'] {
  return { allow: texts(allow), deny: texts(deny), require_approval: texts(requireApproval) };
}

function texts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
