// Addresses of a database that deserve a warning.
import { expect, it } from 'vitest';
import { unencryptedAddress, unencryptedStorage } from './storage-tls.js';

it.each([
  'postgres://me:pw@db.example:5432/portico',
  'postgresql://me@10.0.0.5/portico?application_name=x',
  'postgres:///portico?host=db.example',
])('warns of %s, which says nothing of TLS', (url) => {
  const warning = unencryptedStorage({ url }, {});
  expect(warning).toContain('sslmode=verify-full');
  expect(warning).not.toContain('pw@');
});

it.each([
  'postgres://me@localhost/portico',
  'postgres://me@127.0.0.1:5432/portico',
  'postgres://me@[::1]/portico',
  'postgres:///portico?host=/run/postgresql',
  'postgres://me@db.example/portico?sslmode=require',
  'postgres://me@db.example/portico?sslmode=disable',
  'op://vault/database/url',
])('does not warn of %s', (url) => {
  expect(unencryptedAddress(url, {})).toBeUndefined();
});

it('uses the variables of the driver if the address does not decide', () => {
  expect(unencryptedAddress('postgres://me@db.example/p', { PGSSLMODE: 'verify-full' })).toBeUndefined();
  expect(unencryptedAddress('postgres:///p', { PGHOST: 'db.example' })).toContain('db.example');
  expect(unencryptedStorage(null, {})).toBeUndefined();
});
