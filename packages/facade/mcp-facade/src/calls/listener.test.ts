// The client's side of a call while it runs, in both eras: progress, log messages, questions, cancelling, answers to
// questions, and the trace. The plane is replaced by what the test has it do.
import type { AbortSignalLike } from '@portico/async';
import { type JsonObject, successEnvelope, unknownOutcome } from '@portico/contracts';
import type { Call, Outcome } from '@portico/control-plane';
import { ServerRequestRefused } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../testing/read-events.js';
import { startFacade } from '../testing/start-facade.js';

const work = { definitions: { tools: [{ name: 'work', inputSchema: { type: 'object' } }] } };
const file = { capabilityAliases: { work: { target: 's.work', passthrough: true } } };
const done = (call: Call, data: JsonObject = { content: [] }): Outcome => ({
  kind: 'answered',
  envelope: successEnvelope(call.correlation, unknownOutcome, data),
});
const start = (execute: (call: Call) => Promise<Outcome>) =>
  startFacade({ servers: { s: work }, file, plane: () => ({ execute }) });
const params = { name: 'work', arguments: {} };

/** Gives progress that goes back, and some after the end. */
const withProgress = async (call: Call) => {
  for (const progress of [1, 3, 2, 3, 4]) call.client?.onProgress?.({ progress, total: 5, message: `at ${progress}` });
  setTimeout(() => call.client?.onProgress?.({ progress: 5 }), 0);
  return done(call);
};
const progressed = [1, 3, 4].map((progress) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progress, total: 5, message: `at ${progress}`, progressToken: 'mine' },
}));

describe('progress', () => {
  it('is reported under the token of the client, only forward, before the answer', async () => {
    const { ask, openSession } = await start(withProgress);
    const modern = await ask('tools/call', params, { meta: { progressToken: 'mine' } });
    expect(modern.headers.get('content-type')).toBe('text/event-stream');
    expect(modern.body).toEqual([...progressed, expect.objectContaining({ id: 1, result: expect.anything() })]);
    const session = await openSession();
    const legacy = await session.ask('tools/call', { ...params, _meta: { progressToken: 'mine' } });
    expect(legacy.body).toEqual([...progressed, expect.objectContaining({ id: 1, result: expect.anything() })]);
  });

  it('is not asked for by a client that gives no token', async () => {
    const { ask } = await start(async (call) => done(call, { asked: call.client?.onProgress !== undefined }));
    expect((await ask('tools/call', params)).body).toMatchObject({ result: { asked: false } });
  });
});

describe('log messages', () => {
  const withLog = async (call: Call) => {
    for (const level of ['debug', 'info', 'error']) call.client?.onLogMessage?.({ level, data: level });
    return done(call, { level: call.client?.logLevel ?? 'none' });
  };
  const levelsIn = (body: unknown) =>
    (body as readonly { params?: { level?: string } }[]).flatMap(({ params: said }) => said?.level ?? []);

  it('reach a client of 2026-07-28 where the request asks for them, at its level', async () => {
    const { ask } = await start(withLog);
    expect((await ask('tools/call', params)).body).toMatchObject({ result: { level: 'none' } });
    const { body } = await ask('tools/call', params, { meta: { 'io.modelcontextprotocol/logLevel': 'error' } });
    expect(levelsIn(body)).toEqual(['error']);
  });

  it('reach a client of a session at the level it has set', async () => {
    const { openSession } = await start(withLog);
    const { ask } = await openSession();
    expect(levelsIn((await ask('tools/call', params)).body)).toEqual(['info', 'error']);
    expect((await ask('logging/setLevel', { level: 'debug' })).status).toBe(200);
    expect(levelsIn((await ask('tools/call', params)).body)).toEqual(['debug', 'info', 'error']);
    expect((await ask('logging/setLevel', { level: 'loud' })).body).toMatchObject({ error: { code: -32602 } });
  });

  it('of servers outside of calls reach the stream of a session that sees the server', async () => {
    let emitMessage = (_server: string, _message: JsonObject) => {};
    const { openSession, request } = await startFacade({
      servers: { s: work },
      plane: () => ({
        onServerMessage(listener) {
          emitMessage = listener;
          return () => {};
        },
      }),
    });
    const { headers } = await openSession();
    const stream = await request({ method: 'GET', headers: { ...headers, Accept: 'text/event-stream' } });
    const { next, leave } = readEvents(stream);
    emitMessage('s', { level: 'debug', data: 'too quiet' });
    emitMessage('s', { level: 'warning', data: 'received', logger: 'l' });
    const params = { level: 'warning', data: 'received', logger: 'l' };
    expect(await next()).toEqual({ jsonrpc: '2.0', method: 'notifications/message', params });
    await leave();
  });
});

describe('questions', () => {
  const capabilities = { elicitation: { form: {} }, sampling: {} };
  const question = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: {} } } as const;

  it('are put to a client of a session on the stream of its own request, and the bare answer comes back', async () => {
    const { openSession, request, post } = await start(async (call) => {
      const answer = await call.client?.ask?.(question, call.signal);
      return done(call, { answer, capabilities: call.client?.capabilities });
    });
    const { headers } = await openSession(capabilities);
    const stream = await request({
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }),
      headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    });
    const { next: read } = readEvents(stream);
    const asked = await read();
    expect(asked).toMatchObject({ id: expect.anything(), ...question });
    const result = { action: 'accept', content: { why: 'because' }, 'x-own': 1 };
    await post({ jsonrpc: '2.0', id: asked?.id ?? 0, result }, headers);
    expect(await read()).toMatchObject({ id: 5, result: { answer: result, capabilities } });
  });

  it('that a client refuses are refused with its code', async () => {
    const { openSession, request, post } = await start(async (call) => {
      const refusal = await call.client?.ask?.(question, call.signal).catch((error: unknown) => error);
      return done(call, refusal instanceof ServerRequestRefused ? { code: refusal.code, text: refusal.message } : {});
    });
    const { headers } = await openSession(capabilities);
    const stream = await request({
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }),
      headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    });
    const { next: read } = readEvents(stream);
    const id = (await read())?.id ?? 0;
    await post({ jsonrpc: '2.0', id, error: { code: -1, message: 'not now' } }, headers);
    expect(await read()).toMatchObject({ id: 5, result: { code: -1, text: expect.stringContaining('not now') } });
  });

  it('come to a client of 2026-07-28 as the result, and its answers and the state go back as they are', async () => {
    const state = 'opaque ü "state"';
    const asking = {
      resultType: 'input_required',
      inputRequests: { sure: question },
      requestState: state,
      vendor: 'kept',
    };
    const seen: unknown[] = [];
    const { ask } = await start(async (call) => {
      seen.push([call.client?.ask, call.client?.capabilities, call.inputResponses, call.requestState]);
      return done(call, call.requestState === undefined ? asking : { content: [] });
    });
    for (const name of ['work', 'capability_call']) {
      const asked = { name, arguments: name === 'work' ? {} : { capability_id: 's.work', args: {} } };
      const { _meta, ...interim } = ((await ask('tools/call', asked, { capabilities })).body as { result: JsonObject })
        .result;
      expect(interim).toEqual(asking);
      const inputResponses = { sure: { action: 'accept', content: { a: 1 } } };
      await ask('tools/call', { ...asked, inputResponses, requestState: state }, { capabilities });
      expect(seen.splice(0)).toEqual([
        [undefined, capabilities, undefined, undefined],
        [undefined, capabilities, inputResponses, state],
      ]);
    }
  });
});

describe('a call', () => {
  it('is cancelled by notifications/cancelled', async () => {
    let signal: AbortSignalLike | undefined;
    const { openSession, post } = await start((call) => {
      signal = call.signal;
      return new Promise((resolve) => call.signal.addEventListener('abort', () => resolve(done(call))));
    });
    const { headers, ask } = await openSession();
    void ask('tools/call', params, 9);
    await expect.poll(() => signal).toBeDefined();
    await post(
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9, reason: 'enough' } },
      headers,
    );
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it.each([
    ['_meta', { meta: { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`, tracestate: 'v=1' } }],
    ['headers', { headers: { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`, tracestate: 'v=1' } }],
  ])('is part of the trace that its %s name', async (_where, more) => {
    const { ask } = await start(async (call) => done(call, { correlation: { ...call.correlation } as never }));
    const parent = { spanId: 'cd'.repeat(8), flags: 1, state: 'v=1' };
    expect((await ask('tools/call', params, more)).body).toMatchObject({
      result: { correlation: { requestId: null, traceId: 'ab'.repeat(16), parent } },
    });
  });
});
