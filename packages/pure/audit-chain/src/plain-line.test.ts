// Reading at a glance says what reading in full says, or nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AuditDraft, auditEventTypes, auditStatuses, genesisHead, seal } from './index.js';
import { readPlainLine } from './plain-line.js';
import { readLine } from './read-line.js';

const plainText = fc.string({ maxLength: 6 }).map((text) => text.replace(/["\\]/g, ''));
const anyValue = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.integer(), plainText, fc.constantFrom(1.5, 1e21, -1, 0));
const anyObject = fc.dictionary(fc.oneof(plainText, fc.string()), anyValue, { maxKeys: 4 }) as fc.Arbitrary<
  NonNullable<AuditDraft['details']>
>; // JSON objects, which fast-check types more widely

const anyDraft: fc.Arbitrary<AuditDraft> = fc.record(
  {
    timestamp: fc.constant('2026-01-02T03:04:05.678Z'),
    event_type: fc.constantFrom(...auditEventTypes),
    status: fc.constantFrom(...auditStatuses),
    trace_id: plainText,
    request_id: fc.string(),
    grant_id: plainText,
    actor_id: plainText,
    is_replay: fc.boolean(),
    duration_us: fc.oneof(fc.nat(), fc.double({ noNaN: true })),
    sanitized_args: anyObject,
    details: anyObject,
  },
  { requiredKeys: ['timestamp', 'event_type', 'status'] },
);

/** The two readings, where the first is there. */
function expectAgreement(line: string): boolean {
  const plain = readPlainLine(line);
  if (plain === undefined) return false;
  const reading = readLine(line);
  if (!reading.ok) throw new Error(`${reading.problem}: ${line}`);
  const { id, seq, prev_hash, hash, event_type } = reading.record;
  expect(plain).toEqual({ id, seq, prev_hash, hash, hashed: reading.hashed });
  expect(event_type).not.toBe('audit_gap');
  return true;
}

const toolCall: AuditDraft = { timestamp: '2026-01-02T03:04:05.678Z', event_type: 'tool_call', status: 'success' };

describe('readPlainLine', () => {
  it('reads what most records are', () => {
    const args = { b: [1, 'x', null], a: { c: true }, d: -5 };
    const { line } = seal(genesisHead, {
      ...toolCall,
      capability_id: 'größe.a',
      grant_id: 'g',
      sanitized_args: args,
      details: {},
      duration_us: 0,
    });
    expect(expectAgreement(line)).toBe(true);
    expect(expectAgreement(line.replace('"a":{"c":true},"b":[1,"x",null]', '"b":[1,"x",null],"a":{"c":true}'))).toBe(
      false,
    );
  });

  it.each([
    ['{"a":1,"b":2}', true],
    ['{"b":1,"a":2}', false],
    ['{"a":1,"a":2}', false],
    ['{"":1,"a":":","b":["b:","a"]}', true],
    ['{":":"v",",":1}', false],
    ['{",":"v",":":1}', true],
    ['{"a":"v",":b":1}', false],
    ['{"a":{"c":1,"b":1}}', false],
    ['{"a":"{","b":1}', true],
  ])('reads a record with %s where its names are in order: %s', (args, isPlain) => {
    const { line } = seal(genesisHead, { ...toolCall, sanitized_args: { x: 1 } });
    expect(expectAgreement(line.replace('{"x":1}', args))).toBe(isPlain);
  });

  it('agrees with readLine for every record', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        expectAgreement(seal(genesisHead, draft).line);
      }),
      { numRuns: 1000 },
    );
  });

  it('accepts no line that readLine refuses, after any change', () => {
    const anyEdit = fc.tuple(
      fc.nat(),
      fc.nat(3),
      fc.constantFrom('', '0', '"', ',', '{', '}', ' ', '\\', 'a', '-', '.', '\n', '\ud800', '"hash":'),
    );
    fc.assert(
      fc.property(anyDraft, anyEdit, (draft, [at, removed, added]) => {
        const { line } = seal(genesisHead, draft);
        const i = at % line.length;
        expectAgreement(line.slice(0, i) + added + line.slice(i + removed));
      }),
      { numRuns: 5000 },
    );
  });
});
