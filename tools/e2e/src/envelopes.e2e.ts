// The envelope around every execution: its fields, the ids that tie it to its request, and what it says of a repeat.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { dead, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const traceId = expect.stringMatching(/^[0-9a-f]{32}$/);

describe('an envelope', () => {
  let daemon: Daemon;
  let upstream: Scripted;
  /** Gives calls little time, so it is asked only for what is never answered. */
  let hasty: Daemon;

  beforeAll(async () => {
    const definitions = {
      tools: [
        tool('reads', { annotations: { readOnlyHint: true } }),
        tool('repeats', { annotations: { idempotentHint: true } }),
        tool('changes'),
        tool('fail'),
        tool('never', { annotations: { idempotentHint: true } }),
        tool('tool_error'),
      ],
      resources: [
        { uri: 'book://one', name: 'one' },
        { uri: 'book://x/never', name: 'never' },
      ],
      prompts: [{ name: 'greet' }, { name: 'fail' }],
    };
    upstream = scripted(definitions);
    const fragile = scripted({ tools: [tool('crash')] }); // a crash is not met by the calls of other tests
    daemon = await startDaemon({ mcpServers: { s: upstream.server, fragile: fragile.server, dead } });
    hasty = await startDaemon({ toolTimeoutMs: 600, mcpServers: { s: scripted(definitions).server } });
    await daemon.connected('s', 'fragile');
    await hasty.connected();
    await eventually(async () => expect((await daemon.server('dead')).status).toBe('degraded'));
  });

  const read = (id: string, asked = daemon) => asked.post<Envelope<unknown>>('/v1/resources/read', { resource_id: id });
  const prompt = (id: string) => daemon.post<Envelope<unknown>>('/v1/prompts/get', { prompt_id: id });

  it('of a success has these fields and no others [envelope-success-fields] [retry-fields]', async () => {
    const { status, body } = await prompt('s.greet');
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      request_id: null,
      trace_id: traceId,
      retry: { classification: 'safe', upstream_execution_state: 'completed' },
      data: { messages: [{ role: 'user', content: { type: 'text', text: 'greet' } }] },
      error: null,
    });
  });

  it('of an error has the same fields, data null and error an object [envelope-error-fields] [envelope-error-object] [retry-completed]', async () => {
    const { status, body } = await daemon.call('s.fail', {}, { request_id: 'r-1', context: { actor_id: 'me' } });
    expect(status).toBe(502);
    expect(body).toEqual({
      ok: false,
      request_id: 'r-1',
      trace_id: traceId,
      context: { actor_id: 'me' },
      retry: { classification: 'idempotent', upstream_execution_state: 'completed' },
      data: null,
      error: {
        code: 'UPSTREAM_ERROR',
        message: 'server "s" answered with error -32000: failed on purpose',
        retryable: false,
        rpc_error: { code: -32000, message: 'failed on purpose' },
      },
    });
  });

  it("carries the client's request id, else null [envelope-request-id]", async () => {
    const answers = await Promise.all([
      daemon.call('s.reads', {}, { request_id: 'mine' }),
      daemon.call('s.reads', {}, { request_id: null }),
      daemon.call('s.reads'),
      daemon.call('s.no_such_tool', {}, { request_id: 'mine' }),
      daemon.post<Envelope>('/v1/tools/call', { request_id: 'mine' }),
    ]);
    expect(answers.map(({ body }) => body.request_id)).toEqual(['mine', null, null, 'mine', 'mine']);
  });

  it('carries the context that the client gave, and none if there is none [envelope-success-context]', async () => {
    const context = { operation_id: 'o', work_item_id: 'w', actor_id: 'a', grant_id: 'g' };
    expect((await daemon.call('s.reads', {}, { context })).body.context).toEqual(context);
    expect((await daemon.call('s.reads', {}, { context: { actor_id: 'a' } })).body.context).toEqual({ actor_id: 'a' });
    expect((await daemon.call('s.reads')).body).not.toHaveProperty('context');
  });

  it('has a trace id of its own, or that of the traceparent [envelope-trace-id] [envelope-traceparent-continued]', async () => {
    const bodies = await Promise.all(Array.from({ length: 20 }, () => daemon.call('s.reads')));
    const traces = bodies.map(({ body }) => body.trace_id);
    expect(traces).toEqual(traces.map(() => traceId));
    expect(new Set(traces).size).toBe(20);
    const body = { capability_id: 's.reads', args: {} };
    const continued = await daemon.post<Envelope>('/v1/tools/call', body, {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(continued.body.trace_id).toBe('0af7651916cd43dd8448eb211c80319c');
    const invalid = await daemon.post<Envelope>('/v1/tools/call', body, {
      traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    });
    expect(invalid.body.trace_id).toEqual(traceId);
    expect(invalid.body.trace_id).not.toBe('0'.repeat(32));
  });

  it('passes its trace to the upstream, in _meta of calls, reads and prompts [envelope-traceparent-upstream]', async () => {
    const traceparent = '00-11111111111111111111111111111111-2222222222222222-01';
    const headers = { traceparent };
    await daemon.post('/v1/tools/call', { capability_id: 's.reads', args: {} }, headers);
    await daemon.post('/v1/resources/read', { resource_id: 's.book://one' }, headers);
    await daemon.post('/v1/prompts/get', { prompt_id: 's.greet' }, headers);
    for (const method of ['tools/call', 'resources/read', 'prompts/get']) {
      const passed = upstream.received(method).at(-1)?.params._meta?.traceparent;
      expect(passed).toMatch(/^00-11111111111111111111111111111111-[0-9a-f]{16}-01$/);
    }
  });

  describe('says of a repeat', () => {
    it.each([
      ['that a read is safe', () => read('s.book://one'), 'safe'],
      ['that a prompt is safe', () => prompt('s.greet'), 'safe'],
      ['that a reading tool is safe', () => daemon.call('s.reads'), 'safe'],
    ])('%s [retry-safe-reads] [retry-classification-values]', async (_, ask, classification) => {
      expect((await ask()).body.retry).toEqual({ classification, upstream_execution_state: 'completed' });
    });

    it('that an idempotent tool is idempotent [retry-idempotent-hint]', async () => {
      expect((await daemon.call('s.repeats')).body.retry).toEqual({
        classification: 'idempotent',
        upstream_execution_state: 'completed',
      });
    });

    it('that any other tool is unsafe, after every answer [retry-unsafe]', async () => {
      const answers = await Promise.all(['changes', 'fail', 'tool_error'].map((name) => daemon.call(`s.${name}`)));
      expect(answers.map(({ body }) => body.retry)).toEqual(
        answers.map(() => ({ classification: 'unsafe', upstream_execution_state: 'completed' })),
      );
    });

    it('that it is safe where nothing was sent [retry-not-sent] [retry-state-values]', async () => {
      const answers = await Promise.all([
        daemon.call('s.no_such_tool'),
        daemon.call('dead.tool'),
        read('s.book://none'),
        prompt('s.none'),
        daemon.post<Envelope>('/v1/tools/call', {}),
        daemon.get<Envelope>('/v1/nothing'),
      ]);
      expect(answers.map(({ body }) => body.retry)).toEqual(
        answers.map(() => ({ classification: 'safe', upstream_execution_state: 'not_started' })),
      );
    });

    it('that the outcome is unknown after a time-out or a lost connection [retry-unknown]', async () => {
      const [timedOut, timedOutRead] = await Promise.all([hasty.call('s.never'), read('s.book://x/never', hasty)]);
      expect([timedOut.status, timedOut.body.retry]).toEqual([
        504,
        { classification: 'idempotent', upstream_execution_state: 'unknown' },
      ]);
      expect([timedOutRead.status, timedOutRead.body.retry]).toEqual([
        504,
        { classification: 'safe', upstream_execution_state: 'unknown' },
      ]);
      const lost = await daemon.call('fragile.crash');
      expect([lost.status, lost.body.retry]).toEqual([
        502,
        { classification: 'unsafe', upstream_execution_state: 'unknown' },
      ]);
    });
  });
});
