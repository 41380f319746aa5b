// The text of a record is the canonical form of the record, to the byte, however hostile the values in it are: each
// field is written by itself, in an order that is worked out once, and neither may show.
import { canonicalize, sha256Hex } from '@portico/canonical-json';
import { parseJson } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordFields } from './fields.js';
import { type AuditDraft, auditEventTypes, auditStatuses, recordLine, seal } from './index.js';
import { hashedText, hashedTextOf } from './seal.js';

/** The first and the last of these sort differently by code point and by UTF-16 unit. */
const hostileTexts = [
  ...[
    '\u{1f600}',
    '\ufb33',
    '\uffff',
    '\ud800',
    '\udc00a',
    'a\ud83d',
    '\u2028',
    '\u2029',
    '\u0000',
    '\u001f\u007f',
    '',
  ],
  ...['__proto__', 'constructor', 'toString', 'hash', '"hash":"', ',"hash":', '\\', '\\u0041', '\r\n', '\ufeff'],
  ...['0', '1', '9', '10', '01', '-1', '1.5', '4294967294', '4294967295', 'é', 'e\u0301'],
];
const text = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 4 }).map((units) => String.fromCharCode(...units)),
);
const longText = fc.tuple(text, fc.integer({ min: 1, max: 30_000 })).map(([part, times]) => part.repeat(times));
const number = fc.oneof(
  fc.constantFrom(-0, 5e-324, -5e-324, 2.2250738585072014e-308, Number.MAX_VALUE, 2 ** 53, -(2 ** 53) - 2),
  fc.constantFrom(1e21, 1e-6, 1e-7, 123456789012345680000, 333333333.3333333, 0.1 + 0.2, Number.NaN, -1 / 0),
  fc.double(),
);

/** Deeper than what is kept of a value, in some cases. */
const nested = fc.tuple(fc.integer({ min: 1, max: 600 }), fc.boolean()).map(([depth, isList]) => {
  let value: unknown = -0;
  for (let level = 0; level < depth; level += 1) value = isList ? [value] : { b: value, a: level };
  return value;
});

const { object } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(text, number, fc.constantFrom(null, undefined, true, false, {}, [])),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  // As JSON is read: `__proto__` is a member like others.
  object: fc.array(fc.tuple(text, tie('value')), { maxLength: 6 }).map((members) => Object.fromEntries(members)),
}));
const details = fc.oneof(
  { weight: 20, arbitrary: object },
  { weight: 2, arbitrary: nested.map((value) => ({ z: 1, value, '': [] })) },
  { weight: 1, arbitrary: longText.map((value) => ({ [value]: value })) },
);

/** Absent, undefined or null, which all mean the same. */
const optional = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, value, fc.constantFrom(null, undefined));

const textFields = recordFields.filter((field) => /_id$|_key$|_code$|^role$/.test(field) && field !== 'chain_id');
const draft = fc
  .record(
    {
      timestamp: fc.constant('2026-01-02T03:04:05.678Z'),
      event_type: fc.constantFrom(...auditEventTypes),
      status: fc.constantFrom(...auditStatuses),
      ...Object.fromEntries(textFields.map((field) => [field, optional(text)])),
      is_replay: optional(fc.boolean()),
      duration_us: optional(number),
      sanitized_args: optional(details),
      details: optional(details),
    },
    { requiredKeys: ['timestamp', 'event_type', 'status'] },
  )
  .chain((record) => fc.shuffledSubarray(Object.entries(record), { minLength: Object.keys(record).length }))
  .map((members) => Object.fromEntries(members) as unknown as AuditDraft); // types know no null, callers may

const head = fc.record({
  seq: fc.oneof(fc.nat(), fc.constantFrom(10 ** 12, 2 ** 53 - 2)),
  hash: fc.stringMatching(/^[0-9a-f]{64}$/),
});
const chainId = fc.option(fc.stringMatching(/^[0-9a-f]{32}$/), { nil: undefined });

describe('the text of a record', () => {
  it('is the canonical form of the record, with its hash and without', () => {
    fc.assert(
      fc.property(head, draft, chainId, (before, given, chain) => {
        const { record, line } = seal(before, given, chain);
        const { hash, ...unsealed } = record;
        expect(line).toBe(canonicalize(record));
        expect(recordLine(record)).toBe(line);
        expect(hashedText(unsealed)).toBe(canonicalize(unsealed));
        expect(hashedTextOf(line, hash)).toBe(canonicalize(unsealed));
        expect(hash).toBe(sha256Hex(before.hash + canonicalize(unsealed)));
      }),
      { numRuns: 1000 },
    );
  });

  it('is the same when it was read back', () => {
    fc.assert(
      fc.property(head, draft, chainId, (before, given, chain) => {
        const { line } = seal(before, given, chain);
        expect(canonicalize(parseJson(line))).toBe(line);
        expect(recordLine(parseJson(line))).toBe(line);
      }),
      { numRuns: 500 },
    );
  });

  it('has no field whose value is absent', () => {
    fc.assert(
      fc.property(head, draft, (before, given) => {
        const isThere = (value: unknown) => (typeof value === 'number' ? Number.isFinite(value) : value != null);
        const kept = Object.entries(given).flatMap(([name, value]) => (isThere(value) ? [name] : []));
        const names = Object.keys(parseJson(seal(before, given).line));
        expect(names).toEqual([...kept, 'id', 'seq', 'prev_hash', 'hash'].sort());
      }),
    );
  });

  it('holds values that have a canonical form as they were given', () => {
    fc.assert(
      fc.property(head, details, (before, given) => {
        const text = canonicalOrNone(given);
        fc.pre(text !== undefined);
        const { line } = seal(before, { ...toolCall, details: given as NonNullable<AuditDraft['details']> });
        expect(line.startsWith(`{"details":${text},"event_type":`)).toBe(true);
      }),
    );
  });
});

const toolCall: AuditDraft = { timestamp: '2026-01-02T03:04:05.678Z', event_type: 'tool_call', status: 'success' };

/** Undefined for what has none, and for what nests deeper than a record keeps. */
function canonicalOrNone(value: unknown): string | undefined {
  try {
    const text = canonicalize(value);
    return depthOf(value) < 500 ? text : undefined;
  } catch {
    return undefined;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
