// What a role adds to the policy: it narrows what everybody may do and what its profile may do, and never widens it.
import type { Role } from '@portico/contracts';
import { isLocalRole } from './local-roles.js';
import { compilePolicy, type Policy } from './policy.js';

/** Through which view somebody looks. */
export interface Viewer {
  /** Null for the whole catalog, or for the role's own profile where it has one. */
  readonly profile: string | null;
  /** Null for the operator of this machine, and for everybody where there are no roles. */
  readonly role: string | null;
}

export interface RoleSet {
  /** The rules of a role alone; undefined for one that does not exist. */
  policyOf(role: string): Policy | undefined;
  /**
   * The profile that a viewer looks through. A role with a profile of its own sees no other.
   * @returns undefined for a role that does not exist, and for a profile that its role does not have
   */
  profileOf(viewer: Viewer): string | null | undefined;
}

export function compileRoles(roles: ReadonlyMap<string, Role>): RoleSet {
  const policies = new Map([...roles].map(([name, role]) => [name, compilePolicy(role)]));
  return Object.freeze({
    policyOf: (role: string) => policies.get(role),
    profileOf({ profile, role }: Viewer) {
      if (role === null || isLocalRole(role)) return profile;
      const known = roles.get(role);
      if (known === undefined) return undefined;
      if (known.profile === null || known.profile === profile) return profile;
      return profile === null ? known.profile : undefined;
    },
  });
}
