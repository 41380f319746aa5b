// What is in force is said in words.
import { resolveConfig } from '@portico/contracts';
import { expect, it } from 'vitest';
import { describeAccess } from './describe-access.js';

function describeOf(file: object, bind = '127.0.0.1', canTell = true): readonly string[] {
  const config = resolveConfig({ mcpServers: {}, ...file });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  return describeAccess(config.value, bind, canTell);
}

const byToken = 'administration needs the operator token of the state directory (access.operatorToken)';

it.each([
  [{}, ['other users of this machine are refused']],
  [
    { access: { otherUsers: 'calls' } },
    ['other users of this machine may call and not administer (access.otherUsers)'],
  ],
  [{ access: { operatorToken: true } }, ['other users of this machine are refused', byToken]],
  [{ authToken: 't' }, ['other users of this machine are refused']],
  [{ authToken: 't', access: { requireTokenOnLoopback: true } }, ['/v1 asks for the authToken']],
  [{ rbac: { roles: {} }, access: { operatorToken: true } }, ['rbac gives every request a role', byToken]],
])('says of %j who is let in', (file, said) => {
  expect(describeOf(file)).toEqual(said);
});

it('says where the system does not tell whose a connection is, and what is asked beyond loopback', () => {
  expect(describeOf({}, '127.0.0.1', false)).toEqual([
    'every user of this machine is let in: this system does not tell whose a connection is',
  ]);
  expect(describeOf({ authToken: 't' }, '0.0.0.0')).toEqual(['/v1 asks for the authToken']);
});
