// The text that goes with the data of an outcome is always JSON of that very data: it is dropped with the value.
import { type JsonObject, parseJson } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../call/call.js';
import { connectPlane, tool } from '../testing/start-plane.js';

/** Can be distinguished from the output of JSON.stringify. */
const textOf = (result: JsonObject) => `{ ${JSON.stringify(result).slice(1)}`;

async function start() {
  let answer: JsonObject = {};
  const server: MemoryServer = { definitions: { tools: [tool('a')] }, handle: () => answer, textOf };
  const plane = await connectPlane({ s: server });
  return {
    call: (result: JsonObject, args: JsonObject, key: string | null = null) => {
      answer = result;
      return plane.outcome({ kind: 'tool', id: 's.a', args, idempotencyKey: key });
    },
  };
}

const result = fc
  .dictionary(fc.string(), fc.jsonValue())
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
const block = fc.record({ type: fc.constant('text'), text: fc.string({ maxLength: 200 }) });
const toolResult = fc
  .record({ content: fc.array(block, { maxLength: 3 }), more: fc.jsonValue() })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
const modifiers = fc.record(
  {
    _jsonpath: fc.constantFrom('$', '$.content', '$..text', '$.none'),
    _limit_lines: fc.integer({ min: 1, max: 3 }),
    _truncate_bytes: fc.integer({ min: 1, max: 500 }),
  },
  { requiredKeys: [] },
);

function expectFaithful({ envelope, dataText }: Outcome): void {
  if (dataText !== undefined) expect(parseJson(dataText)).toEqual(envelope.data);
}

describe('the text of the data of an outcome', () => {
  it('is the text of the result, at first and for a repeat', async () => {
    const { call } = await start();
    let count = 0;
    const check = async (came: JsonObject) => {
      fc.pre(came.resultType === undefined);
      count += 1;
      for (const outcome of [
        await call(came, {}),
        await call(came, {}, `k${count}`),
        await call({}, {}, `k${count}`),
      ]) {
        expect(outcome.dataText).toBe(textOf(came));
        expectFaithful(outcome);
      }
    };
    await fc.assert(fc.asyncProperty(fc.oneof(result, toolResult), check), { numRuns: 200 });
  });

  it('is never that of a result that was shortened', async () => {
    const { call } = await start();
    let count = 0;
    const check = async (came: JsonObject, args: JsonObject) => {
      fc.pre(Object.keys(args).length > 0);
      count += 1;
      const first = await call(came, args);
      const [kept, repeated] = [await call(came, args, `k${count}`), await call({}, args, `k${count}`)];
      for (const outcome of [first, kept, repeated]) expectFaithful(outcome);
      expect([first.dataText, kept.dataText]).toEqual([undefined, undefined]);
      expect(repeated.dataText ?? '').not.toMatch(/^\{ /);
    };
    await fc.assert(fc.asyncProperty(toolResult, modifiers, check), { numRuns: 200 });
  });

  it.each(['input_required', 'task', 'other'])(
    'is not there for a result of type %s, which is not the end',
    async (resultType) => {
      const { call } = await start();
      const outcome = await call({ resultType, inputRequests: {}, requestState: 's' }, {});
      expect(outcome).toMatchObject({ kind: 'answered', envelope: { ok: true, data: { resultType } } });
      expect(outcome.dataText).toBeUndefined();
    },
  );
});
