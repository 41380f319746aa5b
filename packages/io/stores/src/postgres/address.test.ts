// The parameters that the driver gets for an address.
import { expect, it } from 'vitest';
import { settingsOf } from './address.js';

it.each([
  ['postgres://h/db?sslmode=require', 'postgres://h/db?sslmode=verify-full'],
  ['postgres://h/db?a=b&sslmode=prefer&c=d', 'postgres://h/db?a=b&sslmode=verify-full&c=d'],
  ['postgres://h/db?sslmode=verify-ca', 'postgres://h/db?sslmode=verify-full'],
  ['postgres://h/db?sslmode=disable', 'postgres://h/db?sslmode=disable'],
  ['postgres://h/db?sslmode=no-verify', 'postgres://h/db?sslmode=no-verify'],
  ['postgres://h/db?uselibpqcompat=true&sslmode=require', 'postgres://h/db?uselibpqcompat=true&sslmode=require'],
  ['postgres://sslmode=require@h/db', 'postgres://sslmode=require@h/db'],
])('%s is %s to the driver', (url, expected) => {
  expect(settingsOf(url).connectionString).toBe(expected);
});
