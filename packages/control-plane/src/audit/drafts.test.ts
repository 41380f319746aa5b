// The record of a call says what the call said: nothing between the two changes a value that is no secret.
import type { AuditRecord } from '@portico/audit-chain';
import { canonicalize, sha256Hex } from '@portico/canonical-json';
import type { JsonObject } from '@portico/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { connectPlane, tool, traceId } from '../testing/start-plane.js';

/** The first two sort differently by code point and by UTF-16 unit. */
const text = fc.oneof(
  fc.constantFrom('\u{1f600}', '\ufb33', '\u2028', '\u2029', '\u0000', '', '__proto__', 'constructor', '10', '9', '01'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const number = fc.oneof(
  fc.constantFrom(5e-324, Number.MAX_VALUE, 2 ** 53, 1e21, 1e-7, -0),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { object } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(text, number, fc.constantFrom(null, true, false, {}, [])),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  // As JSON is read: `__proto__` is a member like others.
  object: fc.array(fc.tuple(text, tie('value')), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
}));
const args = fc.oneof(
  { weight: 20, arbitrary: object as fc.Arbitrary<JsonObject> }, // of JSON values only
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 100 }).map(nestedIn) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 50_000 }).map((length) => ({ long: '\u2028ü"'.repeat(length) })) },
);
const optional = fc.option(text);
const context = fc.record({ operation_id: optional, work_item_id: optional, actor_id: optional, grant_id: optional });

it('holds arguments and ids as they were given, in its canonical form', async () => {
  const s = { definitions: { tools: [tool('t')] } };
  const { outcome, audit, plane } = await connectPlane({ s }, { policy: { redactKeys: [] } });
  await fc.assert(
    fc.asyncProperty(args, context, optional, async (args, context, idempotencyKey) => {
      const { kind } = await outcome({
        kind: 'tool',
        id: 's.t',
        args,
        idempotencyKey,
        correlation: { requestId: null, traceId, context },
      });
      const [last = {}] = await audit.after(audit.head().seq - 1, { maxRecords: 1, maxCharacters: 1 });
      const { hash, prev_hash, ...record }: Partial<AuditRecord> = last;
      const { id, seq, timestamp, event_type, status, error_code, is_replay, duration_us, ...others } = record;
      // Digests of every outcome except a plain success.
      const { args_digest, definition_digest, policy_digest, result_bytes, result_digest, ...given } = others;
      const ids = Object.entries(context).filter(([, value]) => value !== null);
      expect(canonicalize(given)).toBe(
        canonicalize({
          ...Object.fromEntries(ids),
          trace_id: traceId,
          server_id: 's',
          capability_id: 's.t',
          sanitized_args: args,
          ...(idempotencyKey === null ? {} : { idempotency_key: idempotencyKey }),
        }),
      );
      const digests = [args_digest, definition_digest, policy_digest, result_bytes, result_digest];
      if (error_code === undefined) expect(digests).toEqual([undefined, undefined, undefined, undefined, undefined]);
      else expect([args_digest, policy_digest].join()).toMatch(/^([0-9a-f]{32})?,[0-9a-f]{32}$/); // of long arguments there is none
      expect(result_digest).toBeUndefined();
      expect(is_replay).toBe(kind === 'replayed');
      expect(hash).toBe(sha256Hex(prev_hash + canonicalize({ ...record, prev_hash })));
    }),
    { numRuns: 500 },
  );
  expect(await plane.audit.verify()).toMatchObject({ is_valid: true });
});

function nestedIn(depth: number): JsonObject {
  let object: JsonObject = {};
  for (let level = 0; level < depth; level += 1) object = { b: [object], a: level };
  return object;
}
