// Resolves the access block, and refuses a rule that has nothing to ask for.
import type { Issue } from '../issues.js';
import type { LocalAccess } from './config.js';
import type { RawConfig } from './file-schema.js';

export function toAccess({ access }: RawConfig): LocalAccess {
  return {
    otherUsers: access?.otherUsers ?? 'none',
    operatorToken: access?.operatorToken ?? false,
    requireTokenOnLoopback: access?.requireTokenOnLoopback ?? false,
  };
}

/** With `rbac` every request has a role, so the rule would say nothing new; without either it would lock everyone out. */
export function accessIssues({ access, authToken, rbac }: RawConfig): readonly Issue[] {
  if (access?.requireTokenOnLoopback !== true || authToken !== undefined || rbac != null) return [];
  return [{ path: 'access.requireTokenOnLoopback', message: 'needs an authToken, which it asks for' }];
}
