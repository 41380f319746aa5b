// The rules in force are described in words.
import { resolveConfig } from '@portico/contracts';
import { expect, it } from 'vitest';
import { describeAccess } from './describe-access.js';

function describeOf(file: object, bind = '127.0.0.1', canTell = true): readonly string[] {
  const config = resolveConfig({ mcpServers: {}, ...file });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  return describeAccess(config.value, bind, canTell);
}

const byToken = 'administration needs the operator token of the state directory (access.operatorToken)';
const byNone = 'any program of this user may administer without a token (access.operatorToken is off)';
const besideRoles = 'the operator token of the state directory administers beside rbac (access.operatorToken)';
const refused = 'other users of this machine are refused';

it.each([
  [{}, [refused, byNone]],
  [
    { access: { otherUsers: 'calls' } },
    ['other users of this machine may call and not administer (access.otherUsers)', byNone],
  ],
  [{ access: { operatorToken: true } }, [refused, byToken]],
  [{ authToken: 't' }, [refused, byNone]],
  [{ authToken: 't', access: { requireTokenOnLoopback: true } }, ['/v1 asks for the authToken']],
  [
    { authToken: 't', access: { requireTokenOnLoopback: true, operatorToken: true } },
    ['/v1 asks for the authToken', byToken],
  ],
  [{ rbac: { roles: {} } }, ['rbac gives every request a role']],
  [{ rbac: { roles: {} }, access: { operatorToken: true } }, ['rbac gives every request a role', besideRoles]],
])('lists the admitted callers of %j', (file, said) => {
  expect(describeOf(file)).toEqual(said);
});

const everyUser = 'every user of this machine is admitted: this system does not report the owner of a connection';

it('says when the system does not report the owner of a connection, and what is required beyond loopback', () => {
  expect(describeOf({}, '127.0.0.1', false)).toEqual([everyUser, byNone.replace('of this user', 'of this machine')]);
  expect(describeOf({ access: { operatorToken: true } }, '127.0.0.1', false)).toEqual([everyUser, byToken]);
  expect(describeOf({ authToken: 't' }, '0.0.0.0')).toEqual(['/v1 asks for the authToken']);
});
