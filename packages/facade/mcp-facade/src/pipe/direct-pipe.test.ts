// Calls over a pipe that bypass the SDK, beside the same calls through it: a client cannot distinguish them.
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AbortSignalLike } from '@portico/async';
import { type JsonObject, successEnvelope, unknownOutcome } from '@portico/contracts';
import type { Call, Outcome } from '@portico/control-plane';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { legacy, modernRequest, startFacade } from '../testing/start-facade.js';
import { readLines } from './lines.js';

const work = { definitions: { tools: [{ name: 'work', inputSchema: { type: 'object' } }] } };
const file = { capabilityAliases: { work: { target: 's.work', passthrough: true } } };
const done = (call: Call, data: JsonObject = { content: [] }): Outcome => ({
  kind: 'answered',
  envelope: successEnvelope({ ...call.correlation, traceId: 't' }, unknownOutcome, data),
});

const numbered = {
  definitions: { ...work.definitions, prompts: [{ name: 'ask' }], resources: [{ uri: 'x:a', name: 'a' }] },
};

async function startPipe(execute: (call: Call) => Promise<Outcome>, server: typeof work = work) {
  const started = await startFacade({ servers: { s: server }, file, plane: () => ({ execute }) });
  const [toServer, fromServer] = [new PassThrough(), new PassThrough()];
  const served = started.facade.servePipe({ input: toServer, output: fromServer }, null);
  const chunks: string[] = [];
  const received: JsonObject[] = [];
  fromServer.on('data', (chunk: Buffer) => chunks.push(chunk.toString('utf8')));
  readLines(fromServer, { onLine: (line) => received.push(JSON.parse(line)), onTooLong: () => {}, onEnd: () => {} });
  const write = (...messages: readonly unknown[]) =>
    toServer.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const take = async (count = 1) => {
    await expect.poll(() => received.length).toBeGreaterThanOrEqual(count);
    return received.splice(0, count);
  };
  /** Sends it, and gives what is answered. */
  const ask = async (message: unknown) => {
    write(message);
    return (await take())[0];
  };
  return { ...started, served, toServer, fromServer, chunks, received, write, take, ask };
}

/** With a session whose first call has been answered by way of the SDK. */
async function startSession(execute: (call: Call) => Promise<Outcome>, capabilities: JsonObject = {}) {
  const pipe = await startPipe((call) => (call.args.isFirst === true ? Promise.resolve(done(call)) : execute(call)));
  const params = { protocolVersion: legacy, capabilities, clientInfo: { name: 'x', version: '1' } };
  await pipe.ask({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  pipe.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await pipe.ask(callOf('first', { isFirst: true }));
  await quiet();
  return pipe;
}

/** The SDK has read what was sent to it: it does so within a turn, and what follows may pass it in the next. */
const quiet = async () => {
  for (let turns = 0; turns < 3; turns += 1) await nextTurn();
};
const callOf = (id: string | number, args: JsonObject = {}, more: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'work', arguments: args, ...more },
});
/** Every call of the facade has a trace of its own. */
const textOf = (message: JsonObject | undefined) =>
  JSON.stringify({ ...message, id: null }).replace(/[0-9a-f]{32}/g, 't');

describe('a call that the SDK does not see', () => {
  const cases: readonly (readonly [string, JsonObject, (call: Call) => Promise<Outcome>])[] = [
    ['a result', {}, async (call) => done(call, { content: [{ type: 'text', text: 'ü\u2028' }], _meta: { a: 1 } })],
    ['a result of no object', {}, async (call) => done(call, { content: [], structuredContent: [1] })],
    ['a result with a type', {}, async (call) => done(call, { content: [], resultType: 'complete', x: null })],
    ['capabilities in a result', {}, async (call) => done(call, { content: [], capabilities: { tasks: {}, a: 1 } })],
    ['an unknown tool', { name: 'nothing' }, async (call) => done(call)],
    ['arguments of the wrong shape', { arguments: [1] }, async (call) => done(call)],
    [
      'a tool of the facade',
      { name: 'capability_call', arguments: { capability_id: 's.work', args: {} } },
      async (call) => done(call),
    ],
    ['arguments of it that are wrong', { name: 'capability_call', arguments: {} }, async (call) => done(call)],
    ['a defect', {}, () => Promise.reject(new Error('broken'))],
  ];

  it.each(cases)('is answered as by the SDK in both eras: %s', async (_name, params, execute) => {
    const session = await startSession(execute);
    const direct = await session.ask(callOf(7, {}, params));
    session.write({ jsonrpc: '2.0', method: 'notifications/nothing' }, callOf(7, {}, params)); // the SDK's turn
    expect(textOf(direct)).toBe(textOf((await session.take())[0]));

    const modern = await startPipe(execute);
    const message = (id: number) =>
      modernRequest('tools/call', { name: 'work', arguments: {}, ...params }, { id }).body;
    const bySdk = await modern.ask(message(1));
    await quiet();
    const direct2 = await modern.ask(message(2));
    expect(textOf(direct2)).toBe(textOf(bySdk));
  });

  it('gets progress and logs before its answer', async () => {
    const { write, take } = await startSession(async (call) => {
      call.client?.onProgress?.({ progress: 1 });
      call.client?.onLogMessage?.({ level: 'error', data: 'x' });
      return done(call);
    });
    write(callOf(1, {}, { _meta: { progressToken: 'mine' } }));
    expect(await take(3)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, progressToken: 'mine' } },
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: 'x' } },
      { jsonrpc: '2.0', id: 1, result: { content: [] } },
    ]);
  });

  it('asks its client by way of the SDK', async () => {
    const question = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: {} } } as const;
    const { ask } = await startSession(
      async (call) => done(call, { answer: (await call.client?.ask?.(question, call.signal)) ?? null }),
      { elicitation: {} },
    );
    const asked = await ask(callOf(1));
    expect(asked).toMatchObject(question);
    const answer = { action: 'accept', content: { a: 1 } };
    expect(await ask({ jsonrpc: '2.0', id: asked?.id, result: answer })).toMatchObject({ id: 1, result: { answer } });
  });

  it.each([['5'], [5]])('is cancelled under its id, %j, and never answered', async (id) => {
    const signals: AbortSignalLike[] = [];
    const { write, ask, received } = await startSession((call) => {
      if (call.args.isLast === true) return Promise.resolve(done(call));
      signals.push(call.signal);
      return new Promise((resolve) => call.signal.addEventListener('abort', () => resolve(done(call))));
    });
    write(callOf(5), callOf('5'));
    await expect.poll(() => signals.length).toBe(2);
    const params = { requestId: id, reason: 'enough' };
    write({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([id === 5, id === '5']);
    expect(await ask(callOf(6, { isLast: true }))).toMatchObject({ id: 6 });
    expect(received).toEqual([]);
  });

  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
  const cancels: readonly (readonly [string, JsonObject, unknown])[] = [
    ['without a reason', cancel, 'This operation was aborted'],
    ['with a reason', { ...cancel, params: { requestId: 5, reason: 'enough' } }, 'enough'],
    ['that is a request', { ...cancel, id: 9 }, undefined],
    ['whose reason is no text', { ...cancel, params: { requestId: 5, reason: 5 } }, undefined],
    ['of another id', { ...cancel, params: { requestId: 6 } }, undefined],
  ];

  it.each(cancels)('receives a cancel %s as by the SDK', async (_what, message, reason) => {
    let signal: AbortSignalLike | undefined;
    let finish = () => {};
    const { write, ask } = await startSession((call) => {
      if (call.args.isLast === true) return Promise.resolve(done(call));
      signal = call.signal;
      return new Promise((resolve) => {
        finish = () => resolve(done(call));
      });
    });
    write(callOf(5));
    await expect.poll(() => signal).toBeDefined();
    write(message, { jsonrpc: '2.0', id: 'after', method: 'ping' });
    await ask(callOf(7, { isLast: true }));
    expect(signal?.reason).toBe(reason);
    finish();
  });

  it('does not overtake what was sent before it', async () => {
    const { write, take } = await startSession(async (call) => done(call, { level: call.client?.logLevel ?? null }));
    const setLevel = { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'error' } };
    write(callOf(0), setLevel, callOf(2));
    const answers = await take(3);
    expect(answers.find(({ id }) => id === 0)).toMatchObject({ result: { level: 'info' } });
    expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: { level: 'error' } });
  });

  it('that ends shortly after the pipe was closed, also twice, is answered', async () => {
    let finish = () => {};
    const pipe = await startSession(
      (call) => new Promise((resolve) => (finish = () => resolve(done(call, { content: [], isLate: true })))),
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }); // the call ends before the wait for it does
    onTestFinished(() => void vi.useRealTimers());
    pipe.write(callOf(1));
    await quiet();
    const closed = [pipe.served.close(), pipe.served.close()];
    await quiet();
    finish();
    await Promise.all(closed);
    expect(await pipe.take()).toMatchObject([{ id: 1, result: { isLate: true } }]);
  });

  it('is cancelled a second after the pipe was closed', async () => {
    let signal: AbortSignalLike | undefined;
    const { write, served } = await startSession((call) => {
      signal = call.signal;
      return new Promise((resolve) => call.signal.addEventListener('abort', () => resolve(done(call))));
    });
    write(callOf(1));
    await expect.poll(() => signal).toBeDefined();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = served.close();
    await vi.advanceTimersByTimeAsync(999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    expect(signal?.aborted).toBe(true);
  });

  it('has an envelope that the SDK has let through', async () => {
    const { ask } = await startPipe(async (call) => done(call));
    const bodyWith = (id: number, meta: JsonObject) =>
      modernRequest('tools/call', { name: 'work', arguments: {} }, { id, meta }).body;
    expect(await ask(bodyWith(1, {}))).toMatchObject({ result: {} });
    await quiet();
    for (const id of [2, 3]) {
      const wrong = await ask(bodyWith(id, { 'io.modelcontextprotocol/clientCapabilities': 'all' }));
      expect(wrong).toMatchObject({ id, error: { code: -32602 } });
      await quiet();
    }
    expect(await ask(callOf(4))).toMatchObject({ id: 4, error: { code: -32602 } });
  });
});

describe('numbers that a double cannot hold', () => {
  const text =
    '{"content":[],"messages":[],"contents":[{"uri":"x:a","text":"","_meta":{"id":1098765432109876543}}],"n":[1e400,-0.0]}';
  const execute = async (call: Call): Promise<Outcome> => ({
    kind: 'answered',
    envelope: successEnvelope({ ...call.correlation, traceId: 't' }, unknownOutcome, JSON.parse(text)),
    dataText: text,
  });
  const params = { protocolVersion: legacy, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const begin = [
    { jsonrpc: '2.0', id: 'begin', method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ];
  const asked: readonly (readonly [string, JsonObject, string])[] = [
    ['tools/call', { name: 'work', arguments: {} }, text],
    ['tools/call', { name: 'capability_call', arguments: { capability_id: 's.work', args: {} } }, `"data":${text}`],
    ['prompts/get', { name: 's__ask' }, text],
    ['resources/read', { uri: 'x:a' }, text],
  ];

  it.each(asked)('are unchanged in the first answer, which the SDK writes: %s %j', async (method, given, written) => {
    const legacyPipe = await startPipe(execute, numbered);
    legacyPipe.write(...begin, { jsonrpc: '2.0', id: 1, method, params: given }); // the call comes with the beginning
    await legacyPipe.take(2);
    expect(legacyPipe.chunks.join('')).toContain(written);
    const modern = await startPipe(execute, numbered);
    await modern.ask(modernRequest(method, given, { id: 1 }).body);
    expect(modern.chunks.join('')).toContain(written.slice(0, -1));
  });
});

describe('lines of one turn', () => {
  it('leave in one write, in order', async () => {
    const { write, take, chunks } = await startSession(async (call) => done(call));
    chunks.length = 0;
    write(...Array.from({ length: 20 }, (_, id) => callOf(id)));
    expect((await take(20)).map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, id) => id));
    expect(chunks.length).toBe(1);
  });

  it('count as waiting for a client that does not read', async () => {
    const { fromServer, write, log, served } = await startSession(async (call) =>
      done(call, { content: [{ type: 'text', text: 'x'.repeat(8 * 1024 * 1024) }] }),
    );
    fromServer.pause();
    write(...Array.from({ length: 12 }, (_, id) => callOf(id)));
    await served.closed;
    expect(JSON.stringify(log)).toContain('an MCP client does not read');
  });
});
