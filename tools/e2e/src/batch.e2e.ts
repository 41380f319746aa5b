// Batches over HTTP: their shapes, their order, references between steps, and what a failure ends.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { fixture } from './support/upstreams.js';
import type { Batch, Envelope } from './support/wire.js';

const echoed = (text: string) => ({ content: [{ type: 'text', text }] });
const echo = (id: string, text: unknown, rest: object = {}) => ({
  id,
  capability_id: 's.echo',
  args: { text },
  ...rest,
});
const microseconds = expect.toSatisfy((value: unknown) => Number.isInteger(value) && Number(value) >= 0);

describe('a batch', () => {
  let daemon: Daemon;
  beforeAll(async () => {
    daemon = await startDaemon({ mcpServers: { s: fixture() } });
    await daemon.connected();
  });

  const batch = <T = Batch>(body: object) => daemon.post<T>('/v1/tools/batch_call', body);
  const contacts = async () => {
    const { body } = await daemon.call<{ structuredContent: { calls: number } }>('s.contacts');
    return body.data?.structuredContent.calls;
  };

  it('answers with these fields and no others [batch-route] [batch-request-fields] [batch-response-fields] [batch-result-fields]', async () => {
    const { status, body } = await batch({
      steps: [echo('a', 'x'), { id: 'b', capability_id: 's.fail', args: {} }],
      request_id: 'r-1',
      context: { actor_id: 'me' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: false,
      request_id: 'r-1',
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      results: [
        { id: 'a', capability_id: 's.echo', ok: true, duration_us: microseconds, data: echoed('x') },
        {
          id: 'b',
          capability_id: 's.fail',
          ok: false,
          duration_us: microseconds,
          error: expect.stringMatching(/^UPSTREAM_ERROR: server "s" answered with error -32000: /),
        },
      ],
      total_duration_us: microseconds,
    });
  });

  it('runs its steps one after the other and feeds later ones from earlier ones [batch-sequential] [batch-references]', async () => {
    const { body } = await batch({
      steps: [
        { id: 'wait', capability_id: 's.sleep', args: { ms: 50 } },
        echo('first', 'one'),
        echo('whole', '$first.content[0].text'),
        echo('inside', 'got ${whole.content[0]["text"]}'),
        { id: 'count', capability_id: 's.contacts', args: {} },
        echo('typed', '$count.calls'),
      ],
    });
    expect(body.results.map(({ id, ok }) => [id, ok])).toEqual([
      ['wait', true],
      ['first', true],
      ['whole', true],
      ['inside', true],
      ['count', true],
      ['typed', false],
    ]);
    expect(body.results[2]?.data).toEqual(echoed('one'));
    expect(body.results[3]?.data).toEqual(echoed('got one'));
    expect(body.results[5]?.error).toBe('INVALID_ARGS: args.text: must be string');
  });

  it('ends with a failing step, unless that step says otherwise [batch-stops-on-error] [batch-continue-default] [batch-continue-on-error]', async () => {
    const missing = { id: 'b', capability_id: 's.nope', args: {} };
    const stopped = await batch({ steps: [echo('a', 'x'), missing, echo('c', 'y')] });
    expect(stopped.body.results.map(({ id }) => id)).toEqual(['a', 'b']);
    const went = await batch({ steps: [echo('a', 'x'), { ...missing, continue_on_error: true }, echo('c', 'y')] });
    expect(went.body).toMatchObject({
      ok: false,
      results: [{ ok: true }, { ok: false }, { ok: true, data: echoed('y') }],
    });
  });

  it('contacts nothing for a reference without a value [batch-unresolved-reference]', async () => {
    const before = await contacts();
    const { body } = await batch({ steps: [echo('a', '$b.text'), echo('b', 'x')] });
    expect(body.results).toHaveLength(1);
    expect(body.results[0]?.error).toMatch(/^INVALID_ARGS: args\.text: /);
    expect(await contacts()).toBe(before);
  });

  it('contacts nothing for a step that is not there, and sends the text where that is meant [batch-unresolved-reference]', async () => {
    const before = await contacts();
    const { body } = await batch({
      steps: [{ ...echo('a', '$s11.sum'), continue_on_error: true }, echo('b', '$$s11.sum')],
    });
    expect(body.results).toMatchObject([
      { ok: false, error: expect.stringMatching(/^INVALID_ARGS: args\.text: \$s11\.sum .* no step s11/) },
      { ok: true, data: echoed('$s11.sum') },
    ]);
    expect(await contacts()).toBe(before + 1);
  });

  it.each<[string, object, RegExp]>([
    ['without steps', {}, /^steps: is required/],
    ['with a step that has no args', { steps: [{ id: 'a', capability_id: 's.echo' }] }, /^steps\[0\]\.args: /],
    ['with a step that has no id', { steps: [{ capability_id: 's.echo', args: {} }] }, /^steps\[0\]\.id: is required/],
    ['with an id twice', { steps: [echo('a', 'x'), echo('a', 'y')] }, /repeats the id "a"/],
    ['of more than 50 steps', { steps: Array.from({ length: 51 }, (_, i) => echo(`s${i}`, 'x')) }, /at most 50 steps/],
  ])(
    '%s is refused as a whole [batch-step-fields] [batch-step-ids-unique] [batch-at-most-50]',
    async (_what, body, message) => {
      const before = await contacts();
      const refused = await batch<Envelope>(body);
      expect(refused.status).toBe(400);
      expect(refused.body.error).toMatchObject({ code: 'INVALID_ARGS', message: expect.stringMatching(message) });
      expect(await contacts()).toBe(before);
    },
  );
});
