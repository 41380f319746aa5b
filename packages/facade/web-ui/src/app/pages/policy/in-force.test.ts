import { defaultRedactKeys } from '@portico/policy-engine';
import { expect, test } from 'vitest';
import { inForce } from './in-force.js';

test('a configuration without a policy has no rules', () => {
  expect(inForce({ policy: null })).toEqual({
    allow: [],
    deny: [],
    require_approval: [],
    redact_keys: defaultRedactKeys,
    approval_timeout_secs: 300,
    webhook: null,
  });
});

test('names are those of the request', () => {
  const webhook = { url: 'http://h/', secretEnv: 'S', authHeader: '********' };
  expect(
    inForce({ policy: { requireApproval: ['a'], redactKeys: ['k'], approvalTimeoutSecs: 5, webhook } }),
  ).toMatchObject({
    require_approval: ['a'],
    redact_keys: ['k'],
    approval_timeout_secs: 5,
    webhook: { url: 'http://h/', secret_env: 'S', auth_header: '********' },
  });
});
