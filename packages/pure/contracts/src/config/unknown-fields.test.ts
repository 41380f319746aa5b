// Unknown fields: refused where they would leave something unprotected, named with what they may mean elsewhere.
import { describe, expect, it } from 'vitest';
import { describeIssues } from '../issues.js';
import { configJsonSchema } from './json-schema.js';
import { resolveConfig } from './resolve-config.js';
import { unknownConfigFields, unknownFieldWarnings } from './unknown-fields.js';

const file = (fields: object) => ({ mcpServers: {}, ...fields });

describe('a file', () => {
  it.each([
    [{ policy: { denny: [] } }, 'policy.denny', '; did you mean "deny"?'],
    [{ policy: { require_approval: [] } }, 'policy.require_approval', '; did you mean "requireApproval"?'],
    [{ policy: { webhook: { url: 'http://h/', secert: 's' } } }, 'policy.webhook.secert', '; did you mean "secret"?'],
    [{ policy: { grants: { maxUse: 1 } } }, 'policy.grants.maxUse', '; did you mean "maxUses"?'],
    [{ policy: { shadow: { denny: [] } } }, 'policy.shadow.denny', '; did you mean "deny"?'],
    [
      { profiles: { p: { servers: [], policy: { shadow: { alow: [] } } } } },
      'profiles.p.policy.shadow.alow',
      '; did you mean "allow"?',
    ],
    [{ rbac: { roles: { r: { shadow: { denny: [] } } } } }, 'rbac.roles.r.shadow.denny', '; did you mean "deny"?'],
    [{ profiles: { p: { servers: [], policy: { alow: [] } } } }, 'profiles.p.policy.alow', '; did you mean "allow"?'],
    [{ audit: { filepath: 'a' } }, 'audit.filepath', '; did you mean "filePath"?'],
    [{ audit: { siem: { kind: 'webhook', url: 'http://h/', zzz: 1 } } }, 'audit.siem.zzz', '; remove it'],
    [{ loops: { identcal: 3 } }, 'loops.identcal', '; did you mean "identical"?'],
    [{ budgets: [{ id: 'a', call: 1 }] }, 'budgets[0].call', '; did you mean "calls"?'],
    [{ budgets: [{ id: 'a', calls: 1, scope: { of: 'role' } }] }, 'budgets[0].scope.of', '; remove it'],
    [{ budget: [] }, 'budget', '; did you mean "budgets"?'],
    [{ loop: {} }, 'loop', '; did you mean "loops"?'],
    [{ limits: { approval: 1 } }, 'limits.approval', '; did you mean "approvals"?'],
    [{ rbac: { roles: {}, token: [] } }, 'rbac.token', '; did you mean "tokens"?'],
    [{ access: { operator_token: true } }, 'access.operator_token', '; did you mean "operatorToken"?'],
    [{ access: { requireToken: true } }, 'access.requireToken', '; remove it'],
    [{ profiles: { p: { servers: [], polcy: {} } } }, 'profiles.p.polcy', '; did you mean "policy"?'],
    [{ polcy: {} }, 'polcy', '; did you mean "policy"?'],
    [{ auth_token: 't' }, 'auth_token', '; did you mean "authToken"?'],
  ])('with %j is refused', (fields, path, hint) => {
    const resolved = resolveConfig(file(fields));
    const issues = resolved.ok ? [] : resolved.issues.filter((issue) => issue.path === path);
    expect(describeIssues(issues)).toBe(`${path}: is no field that Portico knows${hint}`);
    expect(unknownConfigFields(file(fields))).toEqual([]);
  });

  it('is refused for what is wrong beside it as well', () => {
    const resolved = resolveConfig(file({ port: 'x', policy: { denny: [] } }));
    expect(resolved.ok ? [] : resolved.issues.map(({ path }) => path)).toEqual(['port', 'policy.denny']);
  });

  it('keeps other unknown fields, each named with the field that it is close to', () => {
    const profiles = { p: { servers: [], note: '', descripton: '' } };
    const others = { prt: 1, notes: [], 'x-policy': 1, $policy: 1, idempotency: { ttlsecs: 1 }, profiles };
    expect(resolveConfig(file(others)).ok).toBe(true);
    expect(unknownFieldWarnings(file(others)).map((issue) => describeIssues([issue]))).toEqual([
      'prt: no field of Portico; it has no effect; did you mean "port"?',
      'notes: no field of Portico; it has no effect',
      'x-policy: no field of Portico; it has no effect',
      '$policy: no field of Portico; it has no effect',
      'idempotency.ttlsecs: no field of Portico; it has no effect; did you mean "ttlSecs"?',
      'profiles.p.note: no field of Portico; it has no effect',
      'profiles.p.descripton: no field of Portico; it has no effect; did you mean "description"?',
    ]);
  });
});

it('editors refuse the same fields by the JSON Schema', () => {
  const text = JSON.stringify(configJsonSchema());
  expect(text.match(/"additionalProperties":false/g)?.length).toBeGreaterThanOrEqual(10);
});
