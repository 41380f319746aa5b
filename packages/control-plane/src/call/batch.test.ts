// Batches: order, references, what a failure ends, and that each step is a whole call.
import type { BatchStep, JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { caller, connectPlane, correlation, tool } from '../testing/start-plane.js';

/** Answers every call with its own arguments, or fails where they say so. */
const echo: MemoryServer = {
  definitions: {
    tools: [
      tool('echo'),
      tool('strict', { inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'number' } } } }),
    ],
  },
  handle: ({ params }) => ({ content: [], structuredContent: params.arguments as JsonObject }),
};

const step = (id: string, args: JsonObject, more: Partial<BatchStep> = {}): BatchStep => ({
  id,
  capability_id: 's.echo',
  args,
  ...more,
});

async function run(steps: readonly BatchStep[], profile: string | null = null) {
  const { plane, server } = await connectPlane({ s: echo }, { profiles: { none: { servers: [] } } });
  const result = await plane.executeBatch({
    steps,
    correlation,
    caller: { ...caller, profile },
    signal: new AbortController().signal,
    idempotencyKey: null,
  });
  const sent = server('s')
    .requests()
    .map(({ params }) => params.arguments);
  return { result, sent };
}

const data = (structuredContent: JsonObject) => ({ content: [], structuredContent });

describe('executeBatch', () => {
  it('runs the steps in order and feeds later ones from earlier ones, with their types', async () => {
    const { result, sent } = await run([
      step('a', { n: 1, list: ['x', 'y'] }),
      step('b', { copy: '$a.n', text: 'n is ${a.n}', last: '$a.structuredContent.list[1]' }),
    ]);
    expect(sent).toEqual([
      { n: 1, list: ['x', 'y'] },
      { copy: 1, text: 'n is 1', last: 'y' },
    ]);
    expect(result).toEqual({
      ok: true,
      request_id: correlation.requestId,
      trace_id: correlation.traceId,
      total_duration_us: expect.any(Number),
      results: [
        {
          id: 'a',
          capability_id: 's.echo',
          ok: true,
          duration_us: expect.any(Number),
          data: data({ n: 1, list: ['x', 'y'] }),
        },
        {
          id: 'b',
          capability_id: 's.echo',
          ok: true,
          duration_us: expect.any(Number),
          data: data({ copy: 1, text: 'n is 1', last: 'y' }),
        },
      ],
    });
  });

  it('ends at the first failure: later steps are absent', async () => {
    const { result, sent } = await run([step('a', {}), step('b', {}, { capability_id: 's.nope' }), step('c', {})]);
    expect(result.ok).toBe(false);
    expect(result.results.map(({ id, ok, error }) => [id, ok, error])).toEqual([
      ['a', true, undefined],
      ['b', false, 'TOOL_NOT_FOUND: no capability "s.nope"'],
    ]);
    expect(sent).toHaveLength(1);
  });

  it('goes on behind a failure where the step says so, and is still not ok', async () => {
    const { result } = await run([step('a', {}, { capability_id: 's.nope', continue_on_error: true }), step('b', {})]);
    expect(result.ok).toBe(false);
    expect(result.results.map(({ id, ok }) => [id, ok])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  it('fails a step whose reference resolves to nothing, and contacts nothing for it', async () => {
    const { result, sent } = await run([step('a', { n: 1 }), step('b', { x: '$a.missing' })]);
    expect(result.results[1]).toMatchObject({ ok: false, error: expect.stringMatching(/^INVALID_ARGS: args\.x: /) });
    expect(sent).toEqual([{ n: 1 }]);
  });

  it('checks the resolved arguments like those of any call', async () => {
    const { result, sent } = await run([
      step('a', { n: 'text' }),
      step('b', { n: '$a.n' }, { capability_id: 's.strict' }),
    ]);
    expect(result.results[1]).toMatchObject({ ok: false, error: 'INVALID_ARGS: args.n: must be number' });
    expect(sent).toHaveLength(1);
  });

  it('honours modifiers in a step, and its references see the shortened result', async () => {
    const { result } = await run([
      step('a', { list: [1, 2], _jsonpath: '$.structuredContent.list' }),
      step('b', { second: '$a[1]' }),
    ]);
    expect(result.results.map((one) => one.data)).toEqual([[1, 2], data({ second: 2 })]);
  });

  it('stays inside its profile', async () => {
    const { result, sent } = await run([step('a', {})], 'none');
    expect(result.results[0]).toMatchObject({ ok: false, error: 'TOOL_NOT_FOUND: no capability "s.echo"' });
    expect(sent).toEqual([]);
  });
});
