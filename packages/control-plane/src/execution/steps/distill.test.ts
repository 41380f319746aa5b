// Modifiers on their way through a call: taken out before the tool sees them, applied to what it answered.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { connectPlane, tool } from '../../testing/start-plane.js';

const result = {
  content: [{ type: 'text', text: 'one\ntwo\nthree' }],
  structuredContent: { rows: [{ n: 1 }, { n: 2 }] },
};

async function call(args: JsonObject, answer: JsonObject = result) {
  const closed = { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false };
  const server: MemoryServer = {
    definitions: { tools: [tool('find', { inputSchema: closed })] },
    handle: () => answer,
  };
  const plane = await connectPlane({ s: server });
  const envelope = await plane.execute({ kind: 'tool', id: 's.find', args });
  return {
    envelope,
    sent: plane
      .server('s')
      .requests()
      .map(({ params }) => params.arguments),
  };
}

describe('result modifiers', () => {
  it('never reach the tool or its schema', async () => {
    const { envelope, sent } = await call({
      q: 'x',
      _jsonpath: '$.structuredContent.rows[*].n',
      _limit_lines: 1,
      _truncate_bytes: 100,
    });
    expect(envelope).toMatchObject({ ok: true, data: [1, 2] });
    expect(sent).toEqual([{ q: 'x' }]);
  });

  it('keep the first lines of every text', async () => {
    const { envelope } = await call({ _limit_lines: 1 });
    expect(envelope.data).toMatchObject({ content: [{ type: 'text', text: 'one\n[… 2 more lines]' }] });
  });

  it('keep the result within its bytes', async () => {
    const { envelope } = await call({ _truncate_bytes: 40 });
    expect(Buffer.byteLength(JSON.stringify(envelope.data))).toBeLessThanOrEqual(40);
  });

  it.each([
    ['_jsonpath', '$.[', 'args._jsonpath: '],
    ['_limit_lines', 0, 'args._limit_lines: must be a positive integer'],
    ['_truncate_bytes', 1.5, 'args._truncate_bytes: must be a positive integer'],
  ])('refuse a wrong %s before anything is sent', async (key, value, message) => {
    const { envelope, sent } = await call({ [key]: value });
    expect(envelope).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGS', message: expect.stringContaining(message) },
      retry: { classification: 'safe', upstream_execution_state: 'not_started' },
    });
    expect(sent).toEqual([]);
  });

  it('say that the tool has run where they cannot be carried out on its result', async () => {
    const rows = Array.from({ length: 3000 }, (_, n) => ({ n }));
    const { envelope, sent } = await call({ _jsonpath: '$..[?count($..*) > 0]' }, { content: [], rows });
    expect(sent).toHaveLength(1);
    expect(envelope).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGS', message: expect.stringContaining('args._jsonpath: takes too many steps') },
      retry: { upstream_execution_state: 'completed' },
    });
  });

  it('leave an interim answer as it is', async () => {
    const interim = { resultType: 'input_required', inputRequests: { name: { method: 'elicitation/create' } } };
    expect((await call({ _jsonpath: '$.nothing' }, interim)).envelope.data).toEqual(interim);
  });
});
