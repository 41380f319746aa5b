// Properties of every chain: it verifies, every change to its lines is found, and exports and counts match its records.
import { auditChannels, parseJson } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordFields } from './fields.js';
import {
  type AuditDraft,
  type AuditRecord,
  auditEventTypes,
  auditStatuses,
  createStats,
  createVerifier,
  csvHeader,
  csvRow,
  genesisHead,
  type Head,
  parseRecord,
  recordId,
  recordLine,
  seal,
} from './index.js';
import { parseCsv } from './testing/parse-csv.js';
import { toChain } from './testing/to-chain.js';

/** Any UTF-16, halves of surrogate pairs included. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('\ud800', 'a\udc00', '\u2028', '"', '\\', '\u0000', '=1+1', '\ufffd', ''),
);

const anyObject = fc.oneof(
  fc.dictionary(anyText, fc.jsonValue({ maxDepth: 3 })),
  fc.dictionary(fc.string(), anyText),
) as fc.Arbitrary<NonNullable<AuditDraft['details']>>; // JSON objects, which fast-check types more widely

/** Between 30 hours before and 2 hours after this instant. */
const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const hourMs = 3_600_000;

const anyDraft: fc.Arbitrary<AuditDraft> = fc.record(
  {
    timestamp: fc
      .integer({ min: nowMs - 30 * hourMs, max: nowMs + 2 * hourMs })
      .map((epochMs) => new Date(epochMs).toISOString()),
    event_type: fc.constantFrom(...auditEventTypes),
    status: fc.constantFrom(...auditStatuses),
    trace_id: anyText,
    request_id: anyText,
    operation_id: anyText,
    work_item_id: anyText,
    actor_id: anyText,
    grant_id: anyText,
    role: anyText,
    server_id: fc.constantFrom('git', 'fs'),
    capability_id: fc.oneof(fc.constantFrom('git.push', 'fs.read', '__proto__', '7'), anyText),
    approval_id: anyText,
    idempotency_key: anyText,
    is_replay: fc.boolean(),
    sanitized_args: anyObject,
    error_code: anyText,
    duration_us: fc.oneof(fc.nat(), fc.constant(-0)),
    details: anyObject,
  },
  { requiredKeys: ['timestamp', 'event_type', 'status'] },
);

function verify(lines: readonly string[], expectedHead: Head) {
  const verifier = createVerifier({ expectedHead });
  for (const line of lines) verifier.push(line);
  return verifier.end();
}

function statsOf(records: readonly AuditRecord[]) {
  const counter = createStats(nowMs);
  for (const record of records) counter.add(record);
  return counter.stats();
}

describe('seal', () => {
  it('gives a record that equals its line, for every draft', () => {
    fc.assert(
      fc.property(anyDraft, (any) => {
        const { record, line } = seal(genesisHead, any);
        expect(parseJson(line)).toEqual(record);
        expect(recordLine(record)).toBe(line);
        expect(line).not.toMatch(/[\n\r]/);
      }),
    );
  });

  it('gives equal records for equal drafts, with their keys in any order', () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { maxLength: 5 }), (drafts) => {
        const reversed = drafts.map(
          (one) => Object.fromEntries(Object.entries(one).reverse()) as unknown as AuditDraft,
        );
        expect(toChain(reversed)).toEqual(toChain(drafts));
      }),
    );
  });
});

describe('a log', () => {
  it('is valid for every content', () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { maxLength: 8 }), (any) => {
        const chain = toChain(any);
        expect(verify(chain.lines, chain.head)).toMatchObject({
          is_valid: true,
          verified_records: any.length,
        });
        expect(chain.lines.map(parseRecord)).toEqual(chain.records);
      }),
    );
  });

  it('is found invalid at the first line that differs, after any change', () => {
    const anyChange = fc.record({
      kind: fc.constantFrom(
        'character',
        'erased',
        'added',
        'removed',
        'inserted',
        'doubled',
        'swapped',
        'cut',
        'foreign',
      ),
      at: fc.nat(),
      other: fc.nat(),
      unit: fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0, max: 0xffff })),
      draft: anyDraft,
    });
    fc.assert(
      fc.property(fc.array(anyDraft, { minLength: 1, maxLength: 6 }), anyChange, (any, change) => {
        const chain = toChain(any);
        const tampered = apply(chain.lines, change);
        const differing = Array.from({ length: Math.max(tampered.length, any.length) }, (_, i) => i).find(
          (i) => tampered[i] !== chain.lines[i],
        );
        fc.pre(differing !== undefined);
        const report = verify(tampered, chain.head);
        expect(report).toMatchObject({
          is_valid: false,
          total_records: tampered.length,
          verified_records: differing,
          first_corrupted_id: recordId(Number(differing) + 1),
        });
      }),
      { numRuns: 1000 },
    );
  });
});

describe('createStats', () => {
  it('counts as a naive recount does', () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { maxLength: 60 }), (drafts) => {
        const { records } = toChain(drafts);
        const stats = statsOf(records);
        const count = (test: (record: AuditRecord) => boolean) => records.filter(test).length;
        expect(stats.total_events).toBe(records.length);
        for (const status of auditStatuses) expect(stats.by_status[status]).toBe(count((one) => one.status === status));
        for (const type of new Set(records.map((one) => one.event_type))) {
          expect(stats.by_event_type[type]).toBe(count((one) => one.event_type === type));
        }
        const ids = [...new Set(records.flatMap((one) => one.capability_id ?? []))].sort();
        const countOf = (id: string) => count((one) => one.capability_id === id);
        const top = ids.sort((a, b) => countOf(b) - countOf(a)).slice(0, 20);
        expect(stats.by_capability).toEqual(top.map((id) => ({ capability_id: id, count: countOf(id) })));
        for (const { client, count: ofClient } of stats.by_client) {
          expect(ofClient).toBe(count((one) => one.client?.name === client));
        }
        for (const channel of auditChannels) {
          expect(stats.by_channel[channel] ?? 0).toBe(count((one) => one.channel === channel));
        }
        for (const { hour, count: inHour } of stats.by_hour) {
          expect(inHour).toBe(count((one) => one.timestamp.slice(0, 13) === hour.slice(0, 13)));
        }
      }),
    );
  });
});

describe('csvRow', () => {
  it('is read back as it was by any parser of RFC 4180', () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { minLength: 1, maxLength: 5 }), (drafts) => {
        const { records } = toChain(drafts);
        const [header, ...rows] = parseCsv([csvHeader, ...records.map(csvRow)].join('\r\n'));
        expect(header).toEqual(recordFields);
        expect(rows.map((cells) => cells.map(readCell))).toEqual(records.map(toValues));
      }),
    );
  });

  it('never starts a text with a sign that makes it a formula', () => {
    fc.assert(
      fc.property(anyDraft, (any) => {
        const { record } = seal(genesisHead, any);
        const texts = parseCsv(csvRow(record))[0]?.filter(
          (_, i) => typeof record[recordFields[i] ?? 'id'] === 'string',
        );
        expect(texts?.filter((text) => /^["\s]*[=+\-@]|^[\t\r]/.test(text))).toEqual([]);
      }),
    );
  });
});

interface Change {
  readonly kind: string;
  readonly at: number;
  readonly other: number;
  readonly unit: number;
  readonly draft: AuditDraft;
}

function apply(given: readonly string[], { kind, at, other, unit, draft }: Change): readonly string[] {
  const i = at % given.length;
  const k = other % given.length;
  const line = given[i] ?? '';
  const position = other % line.length;
  const splice = (remove: number, add: string) =>
    given.with(i, line.slice(0, position) + add + line.slice(position + remove));
  switch (kind) {
    case 'character':
      return splice(1, String.fromCharCode(unit));
    case 'erased':
      return splice(1, '');
    case 'added':
      return splice(0, String.fromCharCode(unit));
    case 'removed':
      return given.toSpliced(i, 1);
    case 'inserted': // a record that is sealed for this place, in another log
      return given.toSpliced(i, 0, seal({ seq: i, hash: 'f'.repeat(64) }, draft).line);
    case 'doubled':
      return given.toSpliced(k, 0, line);
    case 'swapped':
      return given.with(i, given[k] ?? '').with(k, line);
    case 'cut':
      return given.with(i, line.slice(0, position));
    default: // replaced by such a record
      return given.with(i, seal({ seq: i, hash: 'f'.repeat(64) }, draft).line);
  }
}

/** Objects are compared as values: their text is canonical JSON, which canonical-json answers for. */
function toValues(record: AuditRecord): unknown[] {
  return recordFields.map((field) => {
    const value = record[field];
    return typeof value === 'object' ? value : String(value ?? '');
  });
}

function readCell(cell: string, i: number): unknown {
  const field = recordFields[i];
  const isObject = field === 'details' || field === 'sanitized_args';
  return isObject && cell !== '' ? parseJson(cell) : unguard(cell);
}

function unguard(cell: string): string {
  return /^'(?:[\s\p{Cc}\p{Cf}"']*[=+\-@＝＋－＠]|[\t\r\n])/u.test(cell) ? cell.slice(1) : cell;
}
