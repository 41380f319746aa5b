// Asks the policy again, with the arguments as they will be sent. Only where rules on arguments are configured.
import type { JsonObject } from '@portico/contracts';
import type { Target } from '../../call/target.js';
import { permit } from '../../state/permit.js';
import type { Permission } from '../../state/target.js';
import type { Run } from './record.js';

/** @throws CallFailure POLICY_DENIED */
export function permitArguments(run: Run, target: Target, args: JsonObject): Permission {
  const permission = permit(run.state, run.call, target, args);
  const { shadow } = permission;
  if (shadow !== undefined) run.shadow ??= shadow;
  return permission;
}
