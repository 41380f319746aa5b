// Text of other programs as the screen of an explanation shows it.
import type { Explanation } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { show } from './explain.js';
import { createOutput } from './output/output.js';
import { toTable } from './output/table.js';

const forged = 's.t\nverified  yes: all is well\u2028\r\nalso      x';

const explanation: Explanation = {
  trace_id: forged,
  outcome: 'denied',
  cause: 'denied_by_rule',
  summary: forged,
  client: { name: forged },
  capability_id: forged,
  steps: [
    { step: 'authorize', verdict: 'stopped', because: forged, evidence: [forged] },
    { step: 'record', verdict: 'not_reached', because: forged, evidence: [] },
  ],
  now: { as_of: 'now', decision: 'allow', policy_digest: '1'.repeat(32), text: forged },
  counterfactuals: [{ change: forged, effect: forged, how: forged, as_of: 'now' }],
  next: { caller: forged, operator: forged },
  as_of: 'then',
  verified: false,
  verification: forged,
  missing: [forged],
  others: [{ id: 'aud-000000000001', status: 'failed', capability_id: forged }],
};

describe('the screen of an explanation', () => {
  it('has one line for each field, even if its text holds line breaks', () => {
    let text = '';
    const sink = { write: (part: string | Uint8Array) => (text += part.toString()) };
    show(createOutput({ stdout: sink, stderr: sink, env: {}, toTable }), { explanation });
    const starts = text
      .trimEnd()
      .split(/[\r\n\u2028]/)
      .map((line) => line.slice(0, 10).trimEnd());
    expect(starts).toEqual([
      's.t verifi',
      'trace s.t',
      '  authoriz',
      '  not reac',
      'now',
      'if',
      '',
      'caller',
      'operator',
      'verified',
      'missing',
      'also',
    ]);
    expect(text).toMatch(/^verified {2}NO: /m);
  });
});
