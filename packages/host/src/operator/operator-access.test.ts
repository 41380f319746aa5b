// Codes of the console work once and for a while; a session ends by itself, and with the token.
import { expect, it } from 'vitest';
import { codeLifeMs, createOperatorAccess, sessionLifeMs } from './operator-access.js';

it('takes the token, and no other', () => {
  const access = createOperatorAccess();
  expect([access.isGood('token'), access.issueCode()]).toEqual([false, null]);
  access.setToken('token');
  expect([access.isGood('token'), access.isGood('other'), access.isGood('')]).toEqual([true, false, false]);
});

it('opens one session by a code', () => {
  let now = 0;
  const access = createOperatorAccess(() => now);
  access.setToken('token');
  const code = access.issueCode()?.code ?? '';
  const session = access.redeem(code);
  expect([access.isGood(session?.token ?? ''), access.isGood(code)]).toEqual([true, false]);
  expect([access.redeem(code), access.redeem('guessed')]).toEqual([undefined, undefined]);
  now = sessionLifeMs;
  expect(access.isGood(session?.token ?? '')).toBe(false);
});

it('takes no code that is over', () => {
  let now = 0;
  const access = createOperatorAccess(() => now);
  access.setToken('token');
  const code = access.issueCode()?.code ?? '';
  now = codeLifeMs;
  expect(access.redeem(code)).toBeUndefined();
});

it('ends codes and sessions where the token changes or is taken away', () => {
  const access = createOperatorAccess();
  access.setToken('token');
  const session = access.redeem(access.issueCode()?.code ?? '');
  const code = access.issueCode()?.code ?? '';
  access.setToken('token');
  expect(access.isGood(session?.token ?? '')).toBe(true);
  access.setToken(undefined);
  access.setToken('token');
  expect([access.isGood(session?.token ?? ''), access.redeem(code)]).toEqual([false, undefined]);
});

it('keeps a hundred codes', () => {
  const access = createOperatorAccess();
  access.setToken('token');
  const codes = Array.from({ length: 101 }, () => access.issueCode()?.code ?? '');
  expect(codes.map((code) => access.redeem(code) !== undefined)).toEqual(codes.map((_code, index) => index > 0));
});
