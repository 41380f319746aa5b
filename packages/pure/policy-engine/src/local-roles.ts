// The roles of unauthenticated callers on loopback. A configuration cannot name them: its names have no @.

/** The user of the daemon, where administration needs the operator token. */
export const callerRole = '@caller';
/** Another user of this machine, where `access.otherUsers` admits calls. */
export const otherUserRole = '@other-user';

/** Whether a role has the common view, and administers nothing. */
export function isLocalRole(role: string | null): boolean {
  return role === callerRole || role === otherUserRole;
}
