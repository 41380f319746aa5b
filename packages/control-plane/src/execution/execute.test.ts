// The life of a call: what reaches the upstream, what comes back, and how every early end looks.
import { errorTable, type JsonObject } from '@portico/contracts';
import { type MemoryServer, Unasked, UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { type CallInput, connectPlane, hang, idleTimers, startPlane, tool, traceId } from '../testing/start-plane.js';

const traceparent = `00-${traceId}-${'b7'.repeat(8)}-01`;
const notSent = { classification: 'safe', upstream_execution_state: 'not_started' };

const offer: NonNullable<MemoryServer['definitions']> = {
  tools: [
    tool('add', {
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, list: { type: 'array', items: { type: 'string' } } },
        required: ['a'],
      },
    }),
    tool('read', { annotations: { readOnlyHint: true } }),
    tool('set', { annotations: { idempotentHint: true } }),
    tool('wipe', { annotations: { destructiveHint: true } }),
  ],
  resources: [{ uri: 'file:///a', name: 'a' }],
  resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 'files' }],
  prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }, { name: 'how' }] }],
};

const add: CallInput = { kind: 'tool', id: 's.add', args: { a: 1 } };
const wipe: CallInput = { kind: 'tool', id: 's.wipe' };

const failWith = (error: Error) => () => {
  throw error;
};
const rejected = (code: number, message: string, data?: unknown) =>
  failWith(new UpstreamFailure(message, { kind: 'rejected', error: { code, message, data } }));
const unreachable = (sent: boolean) => failWith(new UpstreamFailure('socket closed', { kind: 'unreachable', sent }));

const nearPlus = 'did you mean "plus"?';
const describeAdd =
  'capability_describe, which is GET /v1/capabilities/s.add over HTTP, shows the arguments that it takes';

describe('execute', () => {
  it('reports for a call whose server could ask no client that this is not an error of the server, and what is unknown', async () => {
    const { execute } = await connectPlane({
      s: { definitions: offer, handle: failWith(new Unasked('of two calls', true)) },
    });
    expect(await execute(wipe)).toMatchObject({
      error: {
        code: 'INTERNAL_ERROR',
        message: 'server "s" could not ask its caller: of two calls; what it did before is not known',
      },
      retry: { classification: 'unsafe', upstream_execution_state: 'unknown' },
    });
  });

  it('calls a tool and gives its result as data', async () => {
    const { execute, server } = await connectPlane({
      s: { definitions: offer, handle: () => ({ content: [{ type: 'text', text: '2' }], isError: true }) },
    });
    expect(await execute({ ...add, correlation: { requestId: null, traceId, context: { actor_id: 'me' } } })).toEqual({
      ok: true,
      request_id: null,
      trace_id: traceId,
      context: { actor_id: 'me' },
      retry: { classification: 'unsafe', upstream_execution_state: 'completed' },
      data: { content: [{ type: 'text', text: '2' }], isError: true },
      error: null,
    });
    expect(server('s').requests()).toEqual([
      { method: 'tools/call', params: { name: 'add', arguments: { a: 1 }, _meta: { traceparent } } },
    ]);
  });

  it.each<[string, CallInput, string, JsonObject]>([
    ['a resource by its URI', { kind: 'resource', id: 's.file:///a' }, 'resources/read', { uri: 'file:///a' }],
    ['a URI of a template', { kind: 'resource', id: 's.file:///b/c' }, 'resources/read', { uri: 'file:///b/c' }],
    [
      'a prompt',
      { kind: 'prompt', id: 's.greet', args: { who: 'you' } },
      'prompts/get',
      { name: 'greet', arguments: { who: 'you' } },
    ],
    ['a tool by its alias', { ...add, id: 'plus' }, 'tools/call', { name: 'add', arguments: { a: 1 } }],
    ['a resource by its alias', { kind: 'resource', id: 'file' }, 'resources/read', { uri: 'file:///a' }],
    [
      'a prompt by its alias',
      { kind: 'prompt', id: 'hello', args: { who: 'you' } },
      'prompts/get',
      { name: 'greet', arguments: { who: 'you' } },
    ],
    ['a tool by its own id when it has an alias', add, 'tools/call', { name: 'add', arguments: { a: 1 } }],
  ])('asks for %s', async (_what, input, method, params) => {
    const { execute, server } = await connectPlane(
      { s: { definitions: offer } },
      {
        capabilityAliases: { plus: 's.add' },
        resourceAliases: { file: 's.file:///a' },
        promptAliases: { hello: 's.greet' },
      },
    );
    expect(await execute(input)).toMatchObject({ ok: true, data: {} });
    expect(server('s').requests()).toEqual([{ method, params: { ...params, _meta: { traceparent } } }]);
  });

  it('passes arguments on unchanged, including names of JavaScript', async () => {
    const { execute, server } = await connectPlane({ s: { definitions: offer } });
    const args = JSON.parse('{"constructor": 1, "__proto__": {"a": 2}, "toString": null}');
    await execute({ kind: 'tool', id: 's.read', args });
    expect(JSON.stringify(server('s').requests()[0]?.params.arguments)).toBe(
      '{"constructor":1,"__proto__":{"a":2},"toString":null}',
    );
  });

  it.each<[string, CallInput, string, string, string?]>([
    ['an unknown tool', { kind: 'tool', id: 's.nope' }, 'TOOL_NOT_FOUND', 'no capability "s.nope"'],
    ['an unknown server', { kind: 'tool', id: 'x.add' }, 'TOOL_NOT_FOUND', 'no capability "x.add"', nearPlus],
    ['an id without a dot', { kind: 'tool', id: 'add' }, 'TOOL_NOT_FOUND', 'no capability "add"', nearPlus],
    ['an unknown resource', { kind: 'resource', id: 's.http://x' }, 'RESOURCE_NOT_FOUND', 'no resource "s.http://x"'],
    ['an unknown prompt', { kind: 'prompt', id: 's.nope' }, 'PROMPT_NOT_FOUND', 'no prompt "s.nope"'],
    ['a dangling alias', { kind: 'tool', id: 'dangling' }, 'TOOL_NOT_FOUND', 'no capability "dangling"'],
    ['a tool of another kind', { kind: 'prompt', id: 's.add' }, 'PROMPT_NOT_FOUND', 'no prompt "s.add"'],
    ['a tool outside the profile', { ...add, profile: 'other' }, 'TOOL_NOT_FOUND', 'no capability "s.add"'],
    [
      'an alias outside the profile',
      { ...add, id: 'plus', profile: 'other' },
      'TOOL_NOT_FOUND',
      'no capability "plus"',
    ],
    ['anything in an empty profile', { ...add, profile: 'empty' }, 'TOOL_NOT_FOUND', 'no capability "s.add"'],
    ['an unknown profile for a tool', { ...add, profile: 'nope' }, 'TOOL_NOT_FOUND', 'no profile "nope"'],
    ['a profile without a name', { ...add, profile: '' }, 'TOOL_NOT_FOUND', 'no profile ""'],
    [
      'an unknown profile for a resource',
      { kind: 'resource', id: 's.file:///a', profile: 'nope' },
      'RESOURCE_NOT_FOUND',
      'no profile "nope"',
    ],
    [
      'an unknown profile for a prompt',
      { kind: 'prompt', id: 's.greet', profile: 'nope' },
      'PROMPT_NOT_FOUND',
      'no profile "nope"',
    ],
    ['a missing argument', { ...add, args: {} }, 'INVALID_ARGS', 'args.a: is required', describeAdd],
    [
      'an argument of a wrong type',
      { ...add, args: { a: '1' } },
      'INVALID_ARGS',
      'args.a: must be number',
      describeAdd,
    ],
    [
      'a wrong item of a list',
      { ...add, args: { a: 1, list: ['x', 2] } },
      'INVALID_ARGS',
      'args.list[1]: must be string',
      describeAdd,
    ],
    ['a prompt without its argument', { kind: 'prompt', id: 's.greet' }, 'INVALID_ARGS', 'arguments.who: is required'],
    [
      'a prompt argument that is no text',
      { kind: 'prompt', id: 's.greet', args: { who: 'x', how: 1 } },
      'INVALID_ARGS',
      'arguments.how: expected a string',
    ],
  ])('refuses %s without upstreamCall anyone', async (_what, input, code, message, hint?: string) => {
    const { execute, server } = await connectPlane(
      { s: { definitions: offer }, o: {} },
      {
        capabilityAliases: { plus: 's.add', dangling: 's.gone' },
        profiles: { other: { servers: ['o'] }, empty: { servers: [] } },
      },
    );
    expect(await execute(input)).toEqual({
      ok: false,
      request_id: null,
      trace_id: traceId,
      retry: notSent,
      data: null,
      error: { code, message, retryable: false, ...(hint === undefined ? {} : { hint }) },
    });
    expect([server('s').requests(), server('o').requests()]).toEqual([[], []]);
  });

  it('gives a tool outside the profile and one that does not exist the same answer', async () => {
    const { execute } = await connectPlane(
      { s: { definitions: offer }, o: {} },
      { profiles: { other: { servers: ['o'] } } },
    );
    const hidden = await execute({ kind: 'tool', id: 's.add', profile: 'other', args: {} });
    const missing = await execute({ kind: 'tool', id: 's.sub', profile: 'other', args: {} });
    expect(JSON.stringify(hidden).replace('s.add', 's.sub')).toBe(JSON.stringify(missing));
  });

  it('is unreachable, not unknown, while its server has never been reached', async () => {
    const { execute } = startPlane(
      { s: { onConnect: hang } },
      { capabilityAliases: { plus: 's.add' }, profiles: { none: { servers: [] } } },
    );
    const error = { code: 'SERVER_UNREACHABLE', message: 'server "s" is still connecting', retryable: true };
    expect(await execute(add)).toMatchObject({ retry: notSent, error });
    expect(await execute({ ...add, id: 'plus' })).toMatchObject({ error });
    expect(await execute({ kind: 'resource', id: 's.x:y' })).toMatchObject({ error });
    expect(await execute({ ...add, profile: 'none' })).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
    expect(await execute({ ...add, id: 'x.add' })).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
  });

  it('keeps a profile that names a server which is away', async () => {
    const { execute, server, clock } = await connectPlane(
      { s: { definitions: offer } },
      { profiles: { p: { servers: ['s'] } } },
    );
    server('s').drop('child exited with code 1');
    await clock.advance(0);
    expect(await execute({ ...add, profile: 'p' })).toMatchObject({
      error: { code: 'SERVER_UNREACHABLE', message: 'server "s" is reconnecting: child exited with code 1' },
    });
  });
});

describe('what a failure means for a repeat', () => {
  const unknown = (classification: string) => ({ classification, upstream_execution_state: 'unknown' });
  const completed = (classification: string) => ({ classification, upstream_execution_state: 'completed' });
  const read: CallInput = { kind: 'tool', id: 's.read' };
  const set: CallInput = { kind: 'tool', id: 's.set' };
  const resource: CallInput = { kind: 'resource', id: 's.file:///a' };
  const prompt: CallInput = { kind: 'prompt', id: 's.greet', args: { who: 'x' } };
  const ok = () => ({});

  it.each<[string, CallInput, () => JsonObject, object]>([
    ['an answer of a reading tool', read, ok, completed('safe')],
    ['an answer of an idempotent tool', set, ok, completed('idempotent')],
    ['an answer of any other tool', wipe, ok, completed('unsafe')],
    ['an answer of a resource', resource, ok, completed('safe')],
    ['an answer of a prompt', prompt, ok, completed('safe')],
    ['an answer on the way to an answer', wipe, () => ({ resultType: 'input_required' }), unknown('unsafe')],
    ['an answer that is complete by its own word', wipe, () => ({ resultType: 'complete' }), completed('unsafe')],
    ['an error of a reading tool', read, rejected(-32000, 'no'), completed('safe')],
    ['an error of any other tool', wipe, rejected(-32000, 'no'), completed('unsafe')],
    ['a connection lost after sending', wipe, unreachable(true), unknown('unsafe')],
    ['a connection lost after sending to an idempotent tool', set, unreachable(true), unknown('idempotent')],
    ['a connection lost after sending a read', resource, unreachable(true), unknown('safe')],
    ['a connection lost before sending', wipe, unreachable(false), notSent],
  ])('of %s', async (_what, input, handle, retry) => {
    const { execute } = await connectPlane({ s: { definitions: offer, handle } });
    expect((await execute(input)).retry).toEqual(retry);
  });

  it.each<[string, CallInput, () => JsonObject, string, string]>([
    [
      'a JSON-RPC error',
      wipe,
      rejected(-32603, 'connection refused'),
      'UPSTREAM_ERROR',
      'server "s" answered with error -32603: connection refused',
    ],
    [
      'a missing resource as it was said until 2025-11-25',
      resource,
      rejected(-32002, 'not found'),
      'RESOURCE_NOT_FOUND',
      'server "s" has no resource "file:///a"',
    ],
    [
      'a missing resource as it is said since 2026-07-28',
      resource,
      rejected(-32602, 'not found', { uri: 'file:///a' }),
      'RESOURCE_NOT_FOUND',
      'server "s" has no resource "file:///a"',
    ],
    [
      'wrong parameters of a resource',
      resource,
      rejected(-32602, 'bad'),
      'UPSTREAM_ERROR',
      'server "s" answered with error -32602: bad',
    ],
    ['-32002 of a tool', wipe, rejected(-32002, 'x'), 'UPSTREAM_ERROR', 'server "s" answered with error -32002: x'],
    ['a lost connection', wipe, unreachable(true), 'SERVER_UNREACHABLE', 'socket closed'],
    [
      'a defect',
      wipe,
      failWith(new RangeError('boom')),
      'INTERNAL_ERROR',
      `internal error; the log has the details under trace ${traceId}`,
    ],
  ])('says of %s what happened', async (_what, input, handle, code, message) => {
    const { execute } = await connectPlane({ s: { definitions: offer, handle } });
    const { retryable } = errorTable[code as keyof typeof errorTable]; // the codes above are rows of the table
    expect(await execute(input)).toMatchObject({ ok: false, data: null, error: { code, message, retryable } });
  });

  it('logs a defect with its trace, and says that the outcome is unknown', async () => {
    const error = new RangeError('boom');
    const { execute, log } = await connectPlane({ s: { definitions: offer, handle: failWith(error) } });
    expect((await execute(wipe)).retry).toEqual(unknown('unsafe'));
    expect(log.at(-1)).toEqual({
      level: 'error',
      message: 'a call failed from a defect',
      fields: { trace_id: traceId, error },
    });
  });

  it('names server, failures and milliseconds of an open circuit, and contacts nothing', async () => {
    const { execute, server, clock } = await connectPlane({ s: { definitions: offer, handle: unreachable(true) } });
    for (let i = 0; i < 3; i++) await execute(wipe);
    await clock.advance(1000);
    expect(await execute(wipe)).toMatchObject({
      retry: notSent,
      error: {
        code: 'CIRCUIT_OPEN',
        message: 'circuit for server "s" is open after 3 consecutive failures; retry in 29000 ms',
        retryable: false,
      },
    });
    expect(server('s').requests()).toHaveLength(3);
  });

  it('never opens the circuit for bad arguments and results that say isError', async () => {
    const { execute, plane } = await connectPlane({ s: { definitions: offer, handle: () => ({ isError: true }) } });
    for (let i = 0; i < 5; i++) {
      await execute({ ...add, args: {} });
      await execute(wipe);
    }
    expect(plane.servers()[0]?.circuit).toEqual({ state: 'closed', consecutive_failures: 0, remaining_ms: 0 });
  });
});

describe('deadlines and cancels', () => {
  it('ends a call at toolTimeoutMs, and cancels it at the upstream', async () => {
    const { execute, server, clock } = await connectPlane(
      { s: { definitions: offer, handle: hang } },
      { toolTimeoutMs: 200 },
    );
    const envelope = execute(wipe);
    await clock.advance(200);
    expect(await envelope).toMatchObject({
      retry: { classification: 'unsafe', upstream_execution_state: 'unknown' },
      error: {
        code: 'UPSTREAM_TIMEOUT',
        message: 'server "s" did not answer within 200 ms (toolTimeoutMs)',
        retryable: true,
      },
    });
    expect(server('s').cancels()).toHaveLength(1);
    expect(clock.sleeping()).toBe(idleTimers);
  });

  it('gives a call more time for its progress, up to maxToolTimeoutMs', async () => {
    const reports: MemoryServer['handle'] = async (_request, signal, handler) => {
      while (!signal.aborted) {
        handler?.progress?.onProgress({ progress: clock.now() });
        await clock.sleep(150, signal).catch(() => {});
        if (clock.now() === lastsMs) return { content: [] };
      }
      return {};
    };
    let lastsMs = 600;
    const file = { toolTimeoutMs: 200, maxToolTimeoutMs: 1000 };
    const { execute, clock } = await connectPlane({ s: { definitions: offer, handle: reports } }, file);
    const within = execute(wipe);
    for (let time = 0; time < 20; time += 1) await clock.advance(50);
    expect(await within).toMatchObject({ ok: true });
    lastsMs = Number.POSITIVE_INFINITY;
    const beyond = execute(wipe);
    for (let time = 0; time < 30; time += 1) await clock.advance(50);
    const message = 'server "s" did not answer within 1000 ms (toolTimeoutMs, extended: maxToolTimeoutMs)';
    expect(await beyond).toMatchObject({ error: { code: 'UPSTREAM_TIMEOUT', message } });
    expect(clock.sleeping()).toBe(idleTimers);
  });

  it('counts the time in the queue: a call that waited has that much less', async () => {
    const { execute, server, clock } = await connectPlane(
      { s: { definitions: offer, handle: hang } },
      { toolTimeoutMs: 200 },
    );
    const first = Array.from({ length: 64 }, () => execute(wipe));
    await clock.advance(100);
    const queued = execute(wipe);
    await clock.advance(99);
    expect(server('s').requests()).toHaveLength(64);
    await clock.advance(1);
    await Promise.all(first);
    expect(server('s').requests()).toHaveLength(65);
    await clock.advance(100);
    expect(await queued).toMatchObject({ error: { code: 'UPSTREAM_TIMEOUT' } });
    expect([clock.now(), clock.sleeping()]).toEqual([300, idleTimers]);
  });

  it('leaves no timer behind once a call was answered', async () => {
    const { execute, clock } = await connectPlane({ s: { definitions: offer } });
    await execute(wipe);
    await execute({ ...add, args: {} });
    await clock.advance(50); // the news of the catalog has gone out by then
    expect(clock.sleeping()).toBe(idleTimers);
  });

  it('ends a call that its caller cancels, and notifies the upstream', async () => {
    const { execute, server, clock, plane } = await connectPlane({ s: { definitions: offer, handle: hang } });
    const caller = new AbortController();
    const envelope = execute({ ...wipe, signal: caller.signal });
    await clock.advance(0);
    caller.abort();
    expect(await envelope).toMatchObject({
      retry: { classification: 'unsafe', upstream_execution_state: 'unknown' },
      error: { code: 'OPERATION_CANCELLED', message: 'the caller went away', retryable: false },
    });
    expect(server('s').cancels()).toHaveLength(1);
    expect(plane.servers()[0]?.circuit.consecutive_failures).toBe(0);
  });

  it('sends nothing for a caller that has already left', async () => {
    const { execute, server } = await connectPlane({ s: { definitions: offer } });
    expect(await execute({ ...wipe, signal: AbortSignal.abort() })).toMatchObject({
      retry: notSent,
      error: { code: 'OPERATION_CANCELLED' },
    });
    expect(server('s').requests()).toEqual([]);
  });
});

describe('close', () => {
  it('waits for running calls, then ends sessions', async () => {
    const answer: { give: (result: JsonObject) => void } = { give: () => {} };
    const { execute, plane, server, clock } = await connectPlane({
      s: { definitions: offer, handle: () => new Promise((resolve) => (answer.give = resolve)) },
    });
    const envelope = execute(wipe);
    await clock.advance(0);
    const closed = plane.close(5000);
    await clock.advance(4999);
    expect(server('s').sessions()).toBe(1);
    answer.give({ content: [] });
    expect(await envelope).toMatchObject({ ok: true });
    await closed;
    expect([server('s').sessions(), clock.sleeping()]).toEqual([0, 0]);
  });

  it('ends calls that run longer than the grace', async () => {
    const { execute, plane, clock, server } = await connectPlane({ s: { definitions: offer, handle: hang } });
    const envelope = execute(wipe);
    await clock.advance(0);
    const closed = plane.close(5000);
    await clock.advance(5000);
    await closed;
    expect(await envelope).toMatchObject({ error: { code: 'OPERATION_CANCELLED' } });
    expect([server('s').sessions(), server('s').cancels().length, clock.sleeping()]).toEqual([0, 1, 0]);
  });

  it('is at once when nothing runs', async () => {
    const { plane, clock } = await connectPlane({ s: {} });
    await plane.close(5000);
    expect([clock.now(), clock.sleeping(), plane.servers()]).toEqual([0, 0, []]);
  });
});
