// Describes access without a role: one line for each rule in force. Pure functions.
import type { Config } from '@portico/contracts';
import { isLoopback } from '@portico/policy-engine';

/** @param canIdentify whether the system reports the owner of a connection over loopback */
export function describeAccess(
  { access, authToken, rbac }: Config,
  bind: string,
  canIdentify: boolean,
): readonly string[] {
  const { operatorToken, otherUsers, requireTokenOnLoopback } = access;
  if (rbac !== null) return operatorToken ? [byRole, besideRoles] : [byRole];
  const isAsked = authToken !== null && (requireTokenOnLoopback || !isLoopback(bind));
  if (isAsked) return operatorToken ? ['/v1 asks for the authToken', byToken] : ['/v1 asks for the authToken'];
  return [sayUsers(otherUsers, canIdentify), operatorToken ? byToken : byNone(canIdentify)];
}

const byRole = 'rbac gives every request a role';
const besideRoles = 'the operator token of the state directory administers beside rbac (access.operatorToken)';
const byToken = 'administration needs the operator token of the state directory (access.operatorToken)';
const byNone = (canIdentify: boolean) =>
  `any program of this ${canIdentify ? 'user' : 'machine'} may administer without a token (access.operatorToken is off)`;

function sayUsers(otherUsers: Config['access']['otherUsers'], canIdentify: boolean): string {
  if (!canIdentify)
    return 'every user of this machine is admitted: this system does not report the owner of a connection';
  return otherUsers === 'calls'
    ? 'other users of this machine may call and not administer (access.otherUsers)'
    : 'other users of this machine are refused';
}
