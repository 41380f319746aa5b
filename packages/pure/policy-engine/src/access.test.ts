// Access to the service: hosts, origins and tokens, one row each.
import { describe, expect, it } from 'vitest';
import { hasToken, isLoopback, isOwnHost, isOwnOrigin } from './access.js';

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.1.2.3', true],
    ['localhost', true],
    ['LOCALHOST', true],
    ['::1', true],
    ['[::1]', true],
    ['0.0.0.0', false],
    ['128.0.0.1', false],
    ['127.0.0.1.evil.example', false],
    ['localhost.evil.example', false],
    ['evil-localhost', false],
    ['', false],
  ])('of %s is %s', (hostname, expected) => {
    expect(isLoopback(hostname)).toBe(expected);
  });
});

describe('isOwnHost', () => {
  it.each([
    ['127.0.0.1:9090', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.1', true],
    ['localhost:1', '127.0.0.1', true],
    ['[::1]:9090', '127.0.0.1', true],
    ['localhost.evil.example:9090', '127.0.0.1', false],
    ['evil.example', '127.0.0.1', false],
    ['192.168.0.7:9090', '127.0.0.1', false],
    ['localhost@evil.example', '127.0.0.1', false],
    ['localhost:9090/x', '127.0.0.1', false],
    ['localhost:', '127.0.0.1', false],
    ['::1', '127.0.0.1', false],
    ['', '127.0.0.1', false],
    [undefined, '127.0.0.1', false],
    ['192.168.0.7:9090', '192.168.0.7', true],
    ['192.168.0.8:9090', '192.168.0.7', false],
    ['[fe80::7]:9090', 'FE80::7', true],
    ['Portico.local:9090', 'portico.local', true],
    ['10.1.2.3:9090', '0.0.0.0', true],
    ['[2001:db8::1]:9090', '::', true],
    ['rebound.example:9090', '0.0.0.0', false],
  ])('of %s, bound to %s, is %s', (host, bind, expected) => {
    expect(isOwnHost(host, bind)).toBe(expected);
  });
});

describe('isOwnOrigin', () => {
  it.each([
    [undefined, 'localhost:9090', true],
    ['http://localhost:9090', 'localhost:9090', true],
    ['http://127.0.0.1:9090', 'localhost:9090', true],
    ['http://[::1]:9090', '[::1]:9090', true],
    ['http://localhost', 'localhost', true],
    ['http://localhost:80', 'localhost', true],
    ['http://localhost:9091', 'localhost:9090', false],
    ['http://localhost', 'localhost:9090', false],
    ['https://localhost:9090', 'localhost:9090', false],
    ['http://localhost.evil.example:9090', 'localhost:9090', false],
    ['http://evil.example', 'localhost:9090', false],
    ['http://localhost:9090://evil.example', 'localhost:9090', false],
    ['null', 'localhost:9090', false],
    ['', 'localhost:9090', false],
    ['file://', 'localhost:9090', false],
    ['chrome-extension://abc', 'localhost:9090', false],
  ])('of %s for host %s is %s', (origin, host, expected) => {
    expect(isOwnOrigin(origin, host, '127.0.0.1')).toBe(expected);
  });
});

describe('hasToken', () => {
  it.each([
    ['Bearer s3cret', true],
    ['bearer s3cret', true],
    ['Bearer   s3cret ', true],
    ['Bearer s3cre', false],
    ['Bearer s3cret2', false],
    ['Basic s3cret', false],
    ['s3cret', false],
    ['Bearer ', false],
    ['Bearer s3cret s3cret', false],
    ['', false],
    [undefined, false],
  ])('of %j is %s', (authorization, expected) => {
    expect(hasToken(authorization, 's3cret')).toBe(expected);
  });
});
