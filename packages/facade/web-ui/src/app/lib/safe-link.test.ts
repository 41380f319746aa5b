import { expect, test } from 'vitest';
import { toSafeLink } from './safe-link.js';

test.each(['javascript:alert(1)', 'data:text/html,x', '//host/x', 'file:///etc', 'https://user@host/', 'ftp://h/'])(
  '%s is no link',
  (text) => {
    expect(toSafeLink(text)).toBeUndefined();
  },
);

test('http and https are', () => {
  expect(toSafeLink('https://login.example/authorize?x=1')?.host).toBe('login.example');
});
