import { expect, it } from 'vitest';
import { createRuleHits } from './rule-hits.js';

it('counts rules in force and rules on trial apart, with the last call and its time', () => {
  const hits = createRuleHits();
  const last = { capability: 'a.x', traceId: 't' };
  hits.note('deny:a.*', undefined, 1);
  hits.note('deny:a.*', 'deny:a.*', 2, last);
  hits.note(undefined, 'not_allowed', 3);
  hits.note(undefined, 'rule:a', 4);
  expect(hits.of('deny:a.*')).toEqual({ hits: 2, lastMs: 2, last });
  expect(hits.ofShadow('deny:a.*')).toEqual({ hits: 1, lastMs: 2, last });
  expect(hits.of('deny:b')).toBeUndefined();
  expect(hits.shadowTotals()).toEqual({ deny: 1, not_allowed: 1, require_approval: 0, rule: 1 });
});

it('forgets the rule that was first met longest ago where there are too many', () => {
  const hits = createRuleHits(2);
  for (const rule of ['deny:a', 'deny:b', 'deny:a', 'deny:c']) hits.note(rule, undefined, 1);
  expect([hits.of('deny:a'), hits.of('deny:b')?.hits, hits.of('deny:c')?.hits]).toEqual([undefined, 1, 1]);
});
