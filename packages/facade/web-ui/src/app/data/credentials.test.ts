import { expect, test } from 'vitest';
import { type CredentialsEvent, firstCredentials, nextCredentials } from './credentials.js';

const after = (token: string | null, ...events: readonly CredentialsEvent[]) =>
  events.reduce(nextCredentials, firstCredentials(token));

test('a refusal of the present token asks for another one', () => {
  expect(after('old', { kind: 'refused', generation: 1 })).toEqual({
    token: 'old',
    generation: 1,
    visit: 1,
    asking: 'required',
    admin: 'unknown',
  });
});

test('a late refusal of the token before changes nothing', () => {
  const signedIn = after('old', { kind: 'refused', generation: 1 }, { kind: 'signed_in', token: 'new' });
  expect(signedIn).toEqual({ token: 'new', generation: 2, visit: 1, asking: 'no', admin: 'unknown' });
  expect(nextCredentials(signedIn, { kind: 'refused', generation: 1 })).toBe(signedIn);
});

test('a late refusal from before the sign-out changes nothing', () => {
  const signedOut = after('old', { kind: 'signed_out' });
  expect(signedOut).toEqual({ token: null, generation: 2, visit: 2, asking: 'no', admin: 'unknown' });
  expect(nextCredentials(signedOut, { kind: 'refused', generation: 1 })).toBe(signedOut);
});

test('the same token entered again starts a generation of its own', () => {
  const again = after('same', { kind: 'refused', generation: 1 }, { kind: 'signed_in', token: 'same' });
  expect(again).toEqual({ token: 'same', generation: 2, visit: 1, asking: 'no', admin: 'unknown' });
});

test('a dialog that the user closed stays closed, until the user opens it or signs in', () => {
  const declined = after(null, { kind: 'refused', generation: 1 }, { kind: 'dialog_closed' });
  expect(declined.asking).toBe('declined');
  expect(nextCredentials(declined, { kind: 'refused', generation: 1 })).toBe(declined);
  expect(nextCredentials(declined, { kind: 'dialog_opened' }).asking).toBe('asked');
  const signedIn = nextCredentials(declined, { kind: 'signed_in', token: 'new' });
  expect(nextCredentials(signedIn, { kind: 'refused', generation: 2 }).asking).toBe('required');
});

test('a dialog that the user opened and closed opens again when the service refuses a request', () => {
  const closed = after(null, { kind: 'dialog_opened' }, { kind: 'dialog_closed' });
  expect(nextCredentials(closed, { kind: 'refused', generation: 1 }).asking).toBe('required');
});

test('what an answer says of the role holds for the generation that asked, until the next sign-in', () => {
  const limited = after('one', { kind: 'role_seen', generation: 1, isAdmin: false });
  expect(limited.admin).toBe('no');
  expect(nextCredentials(limited, { kind: 'role_seen', generation: 7, isAdmin: true })).toBe(limited);
  const other = nextCredentials(limited, { kind: 'signed_in', token: 'other' });
  expect([other.admin, nextCredentials(other, { kind: 'role_seen', generation: 2, isAdmin: true }).admin]).toEqual([
    'unknown',
    'yes',
  ]);
});
