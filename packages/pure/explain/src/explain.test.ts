import { explanationSchema } from '@portico/contracts';
import fc from 'fast-check';
import { parse } from 'valibot';
import { describe, expect, it } from 'vitest';
import { citedIn, explain, subjectOf } from './explain.js';
import { summarizeTraces, toSummarized } from './summaries.js';
import { evidenceOf, inForce, recordOf } from './testing/fixtures.js';

const denied = recordOf({
  event_type: 'policy_violation',
  status: 'denied',
  error_code: 'POLICY_DENIED',
  rule: 'deny:s.*',
});
const pattern = 's.*';
const changeOf = (now: Partial<typeof inForce> & object) =>
  explain(evidenceOf([denied], { now: { ...inForce, decision: 'deny', rule: 'deny:s.*', ...now } })).counterfactuals;

describe('what policy says now', () => {
  it('is not said where the same rules are in force', () => {
    expect(explain(evidenceOf([denied], { now: inForce }))).not.toHaveProperty('now');
    expect(explain(evidenceOf([denied]))).not.toHaveProperty('now');
  });

  it.each([
    ['2'.repeat(32), 'the rules have changed since; by those in force now it would run'],
    [undefined, 'the record does not name the rules that decided; by those in force now it would run'],
  ])('stands beside what it said then, where the digest of the record is %s', (policy_digest, text) => {
    const { now, as_of, summary } = explain(evidenceOf([{ ...denied, policy_digest }], { now: inForce }));
    expect([as_of, summary]).toEqual(['then', expect.stringContaining('the deny rule "s.*" covers "s.t"')]);
    expect(now).toEqual({ as_of: 'now', decision: 'allow', policy_digest: inForce.policyDigest, text });
  });

  it('names the rules on arguments, which it does not know to apply', () => {
    const records = [{ ...denied, policy_digest: '2'.repeat(32) }];
    const { now } = explain(evidenceOf(records, { now: { ...inForce, dependsOn: ['rule:acme'] } }));
    expect(now?.text).toMatch(/in force now it would run, unless a rule on arguments decides \(rule:acme\)$/);
  });
});

describe('the change that lifts a rule', () => {
  it('is a command where the rule is in the policy of all', () => {
    expect(changeOf({ lift: [{ pattern, paths: ['policy.deny'] }] })).toEqual([
      {
        change: 'remove "s.*" from policy.deny',
        effect: 'it would not be denied',
        how: "portico config policy remove --deny 's.*'",
        as_of: 'now',
      },
    ]);
  });

  it('is a path of the configuration where the rule is elsewhere', () => {
    expect(changeOf({ lift: [{ pattern, paths: ['profiles.dev.policy.deny'] }] })).toMatchObject([
      { how: 'profiles.dev.policy.deny in the configuration' },
    ]);
  });

  it('says so where one rule is not enough', () => {
    const lift = [
      { pattern, paths: ['policy.deny'] },
      { pattern: 's.t', paths: ['policy.deny', 'rbac.roles.dev.deny'] },
    ];
    expect(changeOf({ lift })).toMatchObject([
      {
        change: 'remove "s.*" from policy.deny, "s.t" from policy.deny and rbac.roles.dev.deny',
        how: 'no change of one rule is enough',
      },
    ]);
  });

  it('is of then where the rules have changed', () => {
    expect(changeOf({ policyDigest: '2'.repeat(32), lift: [] })).toMatchObject([{ as_of: 'then' }]);
  });
});

describe('a trace of several calls', () => {
  const fine = recordOf({ seq: 1, status: 'success' });
  const late = recordOf({ seq: 9, status: 'success' });
  const records = [fine, denied, late];

  it('is not explained by another one where no record has the id that is asked about', () => {
    const asked = { records, about: 'aud-000000000099' };
    expect(subjectOf(asked)).toBeUndefined();
    expect(explain(evidenceOf(records, asked))).toMatchObject({ outcome: 'unknown', cause: 'unknown', steps: [] });
  });

  it('is explained by its worst one, and names the others', () => {
    const { outcome, others } = explain(evidenceOf(records));
    expect([outcome, others.map(({ id }) => id)]).toEqual(['denied', [fine.id, late.id]]);
    expect(subjectOf({ records })).toBe(denied.id);
  });

  it('is explained by the one that is asked about', () => {
    const explanation = explain(evidenceOf(records, { about: String(late.id) }));
    expect([explanation.outcome, citedIn(explanation)]).toEqual(['success', [late.id]]);
  });

  it('is one line of a list, with the worst status', () => {
    const other = recordOf({
      seq: 3,
      trace_id: 'b'.repeat(32),
      client: { name: 'cursor' },
      channel: 'stdio',
      status: 'success',
    });
    expect(summarizeTraces([late, other, denied, fine])).toEqual([
      {
        trace_id: 'a'.repeat(32),
        first_time: '2026-11-25T10:00:01.000Z',
        last_time: '2026-11-25T10:00:09.000Z',
        calls: 3,
        status: 'denied',
      },
      expect.objectContaining({ trace_id: 'b'.repeat(32), client: { name: 'cursor' }, channel: 'stdio', calls: 1 }),
    ]);
  });
});

it('cites the execution whose answer a replay got', () => {
  const replayed = recordOf({ event_type: 'idempotent_replay', status: 'success', idempotency_key: 'k' });
  const origin = recordOf({ seq: 2, status: 'success', idempotency_key: 'k' });
  const { steps, missing } = explain(evidenceOf([replayed], { origin }));
  expect([steps.find(({ step }) => step === 'dedupe')?.evidence, missing]).toEqual([[replayed.id, origin.id], []]);
});

it.each([
  ['deny:s.*', 'no rule stopped it; it would have been refused by the shadow rule "s.*"'],
  ['require_approval:s.t', 'no rule stopped it; it would have waited for an approval by the shadow rule "s.t"'],
  ['not_allowed', 'no rule stopped it; it would not have been found by the shadow allow rules'],
  [undefined, 'no rule stopped it'],
])('says what the rules on trial, %s, would have made of it', (shadow, because) => {
  const { steps } = explain(
    evidenceOf([recordOf({ status: 'success', details: shadow === undefined ? {} : { shadow } })]),
  );
  expect(steps.find(({ step }) => step === 'authorize')).toMatchObject({ verdict: 'passed', because });
});

it('says that a ticket has come further than its records', () => {
  const opened = recordOf({ event_type: 'approval_created', status: 'intercepted', approval_id: 'appr-1-1' });
  const tickets = [{ id: 'appr-1-1', status: { status: 'rejected' } }];
  expect(explain(evidenceOf([opened], { tickets })).missing).toEqual([
    'the record by which approval appr-1-1 came to be rejected',
  ]);
});

it('never throws, and answers in its shape, for all records', () => {
  const names = Object.keys(recordOf({ error_code: '', rule: '', details: {}, approval_id: '', idempotency_key: '' }));
  const words = [
    'POLICY_DENIED',
    'tool_call',
    'approval_created',
    'success',
    'deny:a',
    'constructor',
    '__proto__',
    'aud-1',
  ];
  const value = fc.oneof(fc.constantFrom<unknown>(...words), fc.jsonValue());
  const strange = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), value));
  const changed = fc
    .tuple(fc.dictionary(fc.constantFrom(...names), value), fc.integer({ min: 1, max: 60 }))
    .map(([fields, seq]) => ({ ...recordOf({ seq }), ...fields }));
  const records = fc.array(fc.oneof(strange, changed), { maxLength: 8 });
  fc.assert(
    fc.property(records, fc.option(value), fc.array(strange), (given, origin, tickets) => {
      const explanation = explain({ traceId: null, records: given, origin, tickets, now: inForce });
      expect(parse(explanationSchema, explanation)).toEqual(explanation);
      expect(explain({ traceId: null, records: given, origin, tickets, now: inForce })).toEqual(explanation);
      expect(() => summarizeTraces(given)).not.toThrow();
    }),
    { numRuns: 500 },
  );
});

describe('what summaries are made of', () => {
  it('gives the same summaries, without arguments and details', () => {
    const records = [
      recordOf({ seq: 1, sanitized_args: { a: 1 }, details: { b: 2 } }),
      recordOf({ event_type: 'sampling' }),
    ];
    const summarized = records.flatMap((record) => toSummarized(record) ?? []);
    expect(summarizeTraces(summarized)).toEqual(summarizeTraces(records));
    expect(summarized).toHaveLength(1);
    expect(JSON.stringify(summarized)).not.toMatch(/sanitized_args|details/);
  });
});

it('names the grant that answered in place of a person, as Portico recorded it', () => {
  const rule = 'require_approval:s.*';
  const because = (more: object) =>
    explain(evidenceOf([recordOf({ status: 'success', rule, ...more })])).steps.find(({ step }) => step === 'approve');
  expect(because({ grant_id: 'grant-1-1', details: { grant: 'grant-1-1' } })).toMatchObject({
    verdict: 'passed',
    because: 'grant-1-1 answered it in place of a person',
  });
  expect(because({ grant_id: 'grant-1-1' })).toMatchObject({ because: 'no approval is recorded' }); // a caller may set it
});
