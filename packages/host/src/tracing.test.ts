// The spans of requests and calls as a collector gets them, with the real SDK and servers that live in the test.
import {
  type AttributeValue,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { type JsonObject, resolveConfig } from '@portico/contracts';
import { createControlPlane, createMemoryStores, operator } from '@portico/control-plane';
import { createRestApi } from '@portico/rest-api';
import { createManualClock, createMemoryConnector, type MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createRandomHex } from './random-hex.js';

const incoming = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${incoming.traceId}-${incoming.spanId}-01`;

const tools: JsonObject = { type: 'object' };
const offered: MemoryServer = {
  definitions: {
    tools: ['echo', 'gated', 'denied', 'defect'].map((name) => ({ name, inputSchema: tools })),
    resourceTemplates: [{ uriTemplate: 'db://{path}', name: 'rows' }],
    prompts: [{ name: 'greet' }],
  },
  handle({ params }) {
    if (params.name === 'defect') throw new TypeError('no password=hunter2 expected');
    return { content: [], completion: { values: [] } };
  },
};

interface Answer {
  readonly trace_id: string;
  readonly ok: boolean;
  readonly error: { readonly code: string; readonly approval_id?: string } | null;
}

/** @param given a tracer instead of the one whose spans are kept; null for none */
async function start(given?: Tracer | null) {
  const exporter = new InMemorySpanExporter();
  const began: string[] = [];
  const inOrder = {
    onStart: (span: Span) => void began.push(span.spanContext().spanId),
    onEnd() {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const spanProcessors = [inOrder, new SimpleSpanProcessor({ exporter })];
  const tracer = new TracerProvider({ spanProcessors }).getTracer('test');
  const config = resolveConfig({
    mcpServers: { s: { command: 'node' } },
    profiles: { all: { servers: ['s'] } },
    policy: { requireApproval: ['s.gated'], deny: ['s.denied'] },
  });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: offered });
  const log: unknown[] = [];
  const shared = {
    randomHex: createRandomHex(),
    log: (...line: readonly unknown[]) => void log.push(line),
    tracer: given === undefined ? tracer : (given ?? undefined),
  };
  const plane = createControlPlane(
    { connector, clock, ...shared, ...createMemoryStores(clock), notifyApproval() {} },
    config.value,
  );
  plane.start();
  await clock.advance(0);
  const api = createRestApi({
    plane,
    access: { bind: '127.0.0.1', authenticate: async () => ({ kind: 'known', identity: operator }) },
    version: '1.2.3',
    ...shared,
    checkState: async () => {},
    metrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  const send = async (path: string, init: RequestInit) => {
    const response = await api.request(path, { ...init, headers: { Host: '127.0.0.1', ...init.headers } });
    return { status: response.status, body: (await response.json().catch(() => null)) as Answer };
  };
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    (
      await send(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...headers },
      })
    ).body;
  const call = (name: string, rest: object = {}, headers?: Readonly<Record<string, string>>) =>
    post('/v1/tools/call', { capability_id: `s.${name}`, args: {}, ...rest }, headers);
  return {
    plane,
    began,
    log,
    send,
    post,
    call,
    spans: () => exporter.getFinishedSpans(),
    server: connector.server('s'),
  };
}

type Started = Awaited<ReturnType<typeof start>>;

const idOf = (span: ReadableSpan) => span.spanContext().spanId;

function find({ spans }: Started, name: string): ReadableSpan {
  const [found, another] = spans().filter((span) => span.name === name);
  if (found === undefined || another !== undefined) throw new Error(`${found ? 'several spans' : 'no span'} ${name}`);
  return found;
}

/** Names below a span in the order in which they began, as they are nested. */
function tree(started: Started, parent: ReadableSpan): readonly unknown[] {
  const children = started.spans().filter((span) => span.parentSpanContext?.spanId === idOf(parent));
  const place = (span: ReadableSpan) => started.began.indexOf(idOf(span));
  return [...children]
    .sort((a, b) => place(a) - place(b))
    .map((child) => {
      const below = tree(started, child);
      return below.length === 0 ? child.name : [child.name, below];
    });
}

describe('a tool call', () => {
  it('is one trace, from the request over the steps to the message for the upstream', async () => {
    const started = await start();
    const { trace_id } = await started.call('echo');
    const server = find(started, 'POST /v1/tools/call');
    expect(server.parentSpanContext).toBeUndefined();
    expect(tree(started, server)).toEqual([
      ['execute tool', ['resolve', 'authorize', 'prepare', 'invoke', 'distill', 'answer']],
    ]);
    expect(new Set(started.spans().map((span) => span.spanContext().traceId))).toEqual(new Set([trace_id]));
    const invoke = find(started, 'invoke');
    expect([server.kind, invoke.kind]).toEqual([SpanKind.SERVER, SpanKind.CLIENT]);
    const _meta = { traceparent: `00-${trace_id}-${idOf(invoke)}-01` };
    expect(started.server.requests()[0]?.params).toEqual({ name: 'echo', arguments: {}, _meta });
  });

  it('continues the trace of its caller, with what vendors added', async () => {
    const started = await start();
    const { trace_id } = await started.call('echo', {}, { traceparent, tracestate: 'vendor=1' });
    expect(trace_id).toBe(incoming.traceId);
    expect(find(started, 'POST /v1/tools/call').parentSpanContext).toMatchObject({ ...incoming, isRemote: true });
    expect(started.server.requests()[0]?.params._meta).toEqual({
      traceparent: `00-${incoming.traceId}-${idOf(find(started, 'invoke'))}-01`,
      tracestate: 'vendor=1',
    });
  });

  it('is not recorded if its caller does not record, and the upstream receives that flag', async () => {
    const started = await start();
    const { trace_id } = await started.call('echo', {}, { traceparent: traceparent.replace(/01$/, '00') });
    expect([trace_id, started.spans()]).toEqual([incoming.traceId, []]);
    const passed = started.server.requests()[0]?.params._meta;
    expect(passed).toEqual({ traceparent: expect.stringMatching(`^00-${incoming.traceId}-[0-9a-f]{16}-00$`) });
    expect(passed).not.toMatchObject({ traceparent: expect.stringContaining(incoming.spanId) });
  });

  it('records the caller, the target and the outcome', async () => {
    const started = await start();
    const context = { operation_id: 'o-1', work_item_id: 'w-1', actor_id: 'a-1', grant_id: 'g-1' };
    const rest = { request_id: 'r-1', context, idempotency_key: 'k-1' };
    const { trace_id } = await started.call('echo', rest, { 'X-Service-Profile': 'all' });
    const { attributes, status } = find(started, 'execute tool');
    expect(attributes).toEqual({
      trace_id,
      request_id: 'r-1',
      ...context,
      'portico.kind': 'tool',
      'portico.capability_id': 's.echo',
      'portico.server_id': 's',
      'portico.profile': 'all',
      'portico.has_idempotency_key': true,
      'portico.outcome': 'answered',
      'portico.replayed': false,
    });
    expect(status).toEqual({ code: SpanStatusCode.UNSET });
    expect(find(started, 'invoke').attributes).toEqual({
      'portico.server_id': 's',
      'rpc.system': 'jsonrpc',
      'rpc.method': 'tools/call',
    });
    expect(find(started, 'POST /v1/tools/call').attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/tools/call',
      'http.response.status_code': 200,
      'url.scheme': 'http',
    });
  });

  it('that is repeated under its key invokes nothing', async () => {
    const started = await start();
    await started.call('echo', { idempotency_key: 'k' });
    const [first] = started.spans().filter(({ name }) => name === 'execute tool');
    expect(first && tree(started, first)).toEqual(
      ['resolve', 'authorize', 'prepare', 'dedupe', 'invoke', 'distill', 'answer'], // all within dedupe's time
    );
    await started.call('echo', { idempotency_key: 'k' });
    const [, second] = started.spans().filter(({ name }) => name === 'execute tool');
    expect(second && tree(started, second)).toEqual(['resolve', 'authorize', 'prepare', 'dedupe']);
    expect(second?.attributes).toMatchObject({ 'portico.outcome': 'replayed', 'portico.replayed': true });
  });

  it.each([
    ['unknown', 'TOOL_NOT_FOUND', ['resolve'], 'resolve'],
    ['denied', 'POLICY_DENIED', ['resolve', 'authorize'], 'authorize'],
  ])('of %s ends in %s, at the step that refused it', async (name, code, steps, failed) => {
    const started = await start();
    await started.call(name, { args: { note: 'argument' } });
    const execution = find(started, 'execute tool');
    expect(tree(started, execution)).toEqual(steps);
    const status = { code: SpanStatusCode.ERROR, message: code };
    for (const span of [execution, find(started, failed)]) {
      expect([span.status, span.attributes['error.type'], span.events]).toEqual([status, code, []]);
    }
    expect(find(started, 'POST /v1/tools/call').status).toEqual({ code: SpanStatusCode.UNSET });
  });

  it('that fails from a defect keeps the redacted message and no stack, and the log names the span', async () => {
    const started = await start();
    await started.call('defect');
    const { events, status } = find(started, 'invoke');
    const attributes = { 'exception.type': 'TypeError', 'exception.message': 'no password=[REDACTED] expected' };
    expect(events).toMatchObject([{ name: 'exception', attributes }]);
    expect(Object.keys(events[0]?.attributes ?? {})).toEqual(Object.keys(attributes));
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message: 'INTERNAL_ERROR' });
    const server = find(started, 'POST /v1/tools/call');
    expect([server.status, server.attributes['error.type']]).toEqual([{ code: SpanStatusCode.ERROR }, '500']);
    const execution = find(started, 'execute tool');
    const fields = { trace_id: execution.spanContext().traceId, span_id: idOf(execution) };
    expect(started.log).toContainEqual(['error', 'a call failed from a defect', expect.objectContaining(fields)]);
  });
});

describe('secrets', () => {
  it('are in no span: no arguments, and resource URIs redacted', async () => {
    const started = await start();
    const secret = 'PLANTED';
    await started.call('echo', { args: { any: secret, token: secret } });
    await started.call('defect', { args: { any: secret } });
    await started.call('echo', { args: { any: secret, _jsonpath: secret } });
    await started.post(`/v1/resources/read?token=${secret}`, { resource_id: `s.db://rows?token=${secret}` });
    await started.post('/v1/prompts/get', { prompt_id: 's.greet', arguments: { any: secret, wrong: 1 } });
    await started.post('/v1/resources/read', { resource_id: `nowhere.db://x?api_key=${secret}` });
    await started.post(
      '/v1/tools/batch_call',
      { steps: [{ id: 'a', capability_id: 's.echo', args: { any: secret } }] },
      { authorization: `Bearer ${secret}`, 'X-Actor-ID': `token=${secret}` },
    );
    await started.send(`/v1/capabilities/s.${secret}?token=${secret}`, {});
    const exported = started.spans().map(({ name, attributes, events, status, links }) => {
      return { name, attributes, events, status, links };
    });
    expect(exported.length).toBeGreaterThan(20);
    expect(JSON.stringify(exported)).not.toContain(secret);
    const read = started
      .spans()
      .find((span) => span.attributes['portico.server_id'] && span.name === 'execute resource');
    expect(read?.attributes['portico.capability_id']).toBe('s.db://rows?token=[REDACTED]');
  });
});

describe('a batch', () => {
  it('is a span above the executions of its steps', async () => {
    const started = await start();
    const steps = ['echo', 'unknown'].map((name) => ({ id: name, capability_id: `s.${name}`, args: {} }));
    const { trace_id } = await started.post('/v1/tools/batch_call', { steps, request_id: 'r-1' });
    const batch = find(started, 'execute batch');
    expect(tree(started, find(started, 'POST /v1/tools/batch_call'))).toEqual([
      [
        'execute batch',
        [
          ['execute tool', ['resolve', 'authorize', 'prepare', 'dedupe', 'invoke', 'distill', 'answer']],
          ['execute tool', ['resolve']],
        ],
      ],
    ]);
    expect(batch.attributes).toEqual({
      trace_id,
      request_id: 'r-1',
      'portico.kind': 'batch',
      'portico.batch_steps': 2,
    });
    expect(batch.status).toEqual({ code: SpanStatusCode.ERROR });
    const stepIds = started.spans().map(({ attributes }) => attributes['portico.batch_step']);
    expect(stepIds.filter((id): id is AttributeValue => id !== undefined)).toEqual(['echo', 'unknown']);
  });
});

describe('a gated call', () => {
  it('waits in a span of its own, and its approved run is in its trace and linked to it', async () => {
    const started = await start();
    const { trace_id, error } = await started.call('gated', {}, { traceparent });
    const opened = find(started, 'execute tool');
    expect(tree(started, opened)).toEqual(['resolve', 'authorize', 'prepare', 'approve']);
    const approvalId = error?.approval_id;
    const pending = {
      'portico.outcome': 'pending',
      'portico.approval_id': approvalId,
      'error.type': 'APPROVAL_PENDING',
    };
    expect([opened.attributes, opened.status]).toMatchObject([pending, { code: SpanStatusCode.UNSET }]);

    await started.post(`/v1/approvals/${approvalId}/approve`, { operator: 'ada' });
    const run = started.spans().find((span) => span.name === 'execute tool' && idOf(span) !== idOf(opened));
    expect(run?.spanContext().traceId).toBe(trace_id);
    expect(run?.links).toMatchObject([{ context: { traceId: trace_id, spanId: idOf(opened) } }]);
    expect(run?.attributes).toMatchObject({ 'portico.outcome': 'answered', 'portico.approval_id': approvalId });
    expect(run && tree(started, run)).toEqual(['resolve', 'authorize', 'prepare', 'invoke', 'distill', 'answer']);
    const decision = find(started, 'POST /v1/approvals/{id}/approve');
    expect(decision.spanContext().traceId).not.toBe(trace_id);
  });
});

describe('other requests', () => {
  it('are spans named by their route; a completion passes its own to the upstream', async () => {
    const started = await start();
    const completion = { ref_type: 'prompt', ref_name: 's.greet', argument_name: 'who' };
    const { trace_id } = await started.post('/v1/completion/complete', completion);
    const invoke = find(started, 'invoke');
    expect(tree(started, find(started, 'POST /v1/completion/complete'))).toEqual(['invoke']);
    const _meta = { traceparent: `00-${trace_id}-${idOf(invoke)}-01` };
    expect(started.server.requests()[0]?.params._meta).toEqual(_meta);
  });

  it.each([
    ['GET', '/v1/capabilities/s.echo?x=1', 'GET /v1/capabilities/{id}', 200],
    ['HEAD', '/v1/capabilities', 'HEAD /v1/capabilities', 200],
    ['GET', '/v1/nothing/of/ours', 'GET', 404],
    ['DELETE', '/v1/tools/call', 'DELETE', 405],
    ['BREW', '/v1/tools/call', 'HTTP', 405],
  ])('%s %s is the span %s', async (method, path, name, status) => {
    const started = await start();
    await started.send(path, { method });
    const [span] = started.spans();
    expect([span?.name, span?.attributes['http.response.status_code']]).toEqual([name, status]);
  });

  it('are spans also if they are refused at once, with the trace id of the refusal', async () => {
    const started = await start();
    const { status, body } = await started.send('/v1/servers', { headers: { Host: 'elsewhere.example' } });
    const span = find(started, 'GET /v1/servers');
    expect([status, span.spanContext().traceId]).toEqual([403, body.trace_id]);
  });

  it('do not exist for requests of monitoring programs', async () => {
    const started = await start();
    await started.send('/healthz', {});
    await started.send('/metrics', {});
    expect(started.spans()).toEqual([]);
  });
});

describe('a plane', () => {
  it('that gets a call without a span puts its own into the trace that the call names', async () => {
    const started = await start();
    const { envelope } = await started.plane.execute({
      kind: 'tool',
      id: 's.echo',
      args: {},
      correlation: { requestId: null, traceId: incoming.traceId },
      caller: { principal: 'local', profile: null, role: null, actor: null },
      signal: new AbortController().signal,
      idempotencyKey: null,
      approvalWaitMs: 0,
    });
    expect(envelope.trace_id).toBe(incoming.traceId);
    expect(find(started, 'execute tool').spanContext().traceId).toBe(incoming.traceId);
  });

  it('with an inactive tracer has the ids that it has without one', async () => {
    const started = await start(new ProxyTracerProvider().getTracer('nobody'));
    const { trace_id, ok } = await started.call('echo');
    expect([ok, trace_id]).toEqual([true, expect.stringMatching(/^(?!0+$)[0-9a-f]{32}$/)]);
    const passed = expect.stringMatching(`^00-${trace_id}-(?!0+-)[0-9a-f]{16}-01$`);
    expect(started.server.requests()[0]?.params._meta).toEqual({ traceparent: passed });
    expect((await started.call('echo', {}, { traceparent })).trace_id).toBe(incoming.traceId);
  });

  it('without a tracer makes no spans, for every tracer that the process has registered, and those beside it keep theirs', async () => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    const [traced, plain, other] = [await start(), await start(null), await start()];
    await traced.call('echo', {}, { traceparent });
    await plain.call('echo', {}, { traceparent, tracestate: 'vendor=1' });
    trace.disable();
    expect([exporter.getFinishedSpans(), plain.spans(), other.spans()]).toEqual([[], [], []]);
    expect(traced.spans()).toHaveLength(8);
    expect(plain.server.requests()[0]?.params._meta).toEqual({
      traceparent: expect.stringMatching(`^00-${incoming.traceId}-(?!${incoming.spanId})[0-9a-f]{16}-01$`),
      tracestate: 'vendor=1',
    });
    expect(trace.getSpan(ROOT_CONTEXT)).toBeUndefined();
  });
});
