// Who is let in without a role, in words: one line for each rule in force. Only computations.
import type { Config } from '@portico/contracts';
import { isLoopback } from '@portico/policy-engine';

/** @param canTell whether the system tells whose a connection over loopback is */
export function describeAccess({ access, authToken, rbac }: Config, bind: string, canTell: boolean): readonly string[] {
  const { operatorToken, otherUsers, requireTokenOnLoopback } = access;
  const isAsked = authToken !== null && (requireTokenOnLoopback || !isLoopback(bind));
  const first = rbac !== null ? 'rbac gives every request a role' : isAsked ? '/v1 asks for the authToken' : '';
  if (first !== '') return operatorToken ? [first, byToken] : [first];
  return [sayUsers(otherUsers, canTell), ...(operatorToken ? [byToken] : [])];
}

const byToken = 'administration needs the operator token of the state directory (access.operatorToken)';

function sayUsers(otherUsers: Config['access']['otherUsers'], canTell: boolean): string {
  if (!canTell) return 'every user of this machine is let in: this system does not tell whose a connection is';
  return otherUsers === 'calls'
    ? 'other users of this machine may call and not administer (access.otherUsers)'
    : 'other users of this machine are refused';
}
