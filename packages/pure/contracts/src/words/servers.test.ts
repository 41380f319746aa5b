import { expect, test } from 'vitest';
import type { ServerInfo } from '../wire/servers.js';
import { serverReason, worstFirst } from './servers.js';

const server = (id: string, rest: Partial<ServerInfo> = {}): ServerInfo => ({
  id,
  transport: 'stdio',
  status: 'connected',
  protocol_version: null,
  circuit: { state: 'closed', consecutive_failures: 0, remaining_ms: 0 },
  restarts: 0,
  queued: 0,
  running: 0,
  tools: 0,
  resources: 0,
  prompts: 0,
  ...rest,
});

test('crashed servers come first, and those that wait for a login; equals are in the order of their names', () => {
  const servers = [
    server('works'),
    server('late', { status: 'connecting' }),
    server('broken', { status: 'disabled', given_up: true }),
    server('also-works'),
    server('asks', { status: 'degraded', login_url: 'https://login.example' }),
    server('down', { status: 'degraded' }),
  ];
  expect(worstFirst(servers).map(({ id }) => id)).toEqual(['asks', 'broken', 'down', 'late', 'also-works', 'works']);
});

test.each([
  ['a server that works', server('a', { last_error: 'an old one' }), undefined],
  ['a server that failed', server('a', { status: 'degraded', last_error: 'no such file' }), 'no such file'],
  ['a server that asks for a login', server('a', { login_url: 'https://x.example' }), 'waits until a person logs in'],
  [
    'a server with an open circuit',
    server('a', { circuit: { state: 'open', consecutive_failures: 5, remaining_ms: 1 } }),
    'its circuit is open after failures in a row',
  ],
])('the reason of %s', (_name, info, reason) => {
  expect(serverReason(info)).toBe(reason);
});
