// Traces as a collector gets them: real OTLP over gRPC from the built daemon, in front of a real upstream server.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, openTicket } from './support/approvals.js';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { type DaemonOptions, parseLines, refusalOf, startDaemon } from './support/daemon.js';
import { type DaemonProcessOptions, startDaemonProcess } from './support/daemon-process.js';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './support/otlp-receiver.js';
import { recordRequests, scripted, startHttpFixture, tool } from './support/upstreams.js';
import { eventually, freePort } from './support/wait.js';

const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

const offered = {
  tools: [tool('echo'), tool('complain'), tool('gated')],
  resources: [{ uri: 'db://rows?token=PLANTED-listed', name: 'rows' }],
  resourceTemplates: [{ uriTemplate: 'db://{path}', name: 'any' }],
  prompts: [{ name: 'greet' }],
};

function setUp() {
  const upstream = scripted(offered);
  return { upstream, config: { mcpServers: { s: upstream.server }, policy: { requireApproval: ['s.gated'] } } };
}

async function start(env: Readonly<Record<string, string>>, options: DaemonOptions = {}, given = setUp()) {
  const { upstream, config } = given;
  const daemon = await startDaemon(config, { ...options, env });
  await daemon.connected();
  return { upstream, daemon };
}

async function startProcess(env: Readonly<Record<string, string>>, options: DaemonProcessOptions) {
  const { upstream, config } = setUp();
  const daemon = await startDaemonProcess(config, { ...options, env });
  await daemon.connected();
  return { upstream, daemon };
}

const enabled = (receiver: OtlpReceiver, more: Readonly<Record<string, string>> = {}) => ({
  SERVICE_OTEL_ENABLED: 'true',
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
  ...more,
});

/** The spans of a trace once all that it must have are there. */
function traceWith(receiver: OtlpReceiver, traceId: string, ...names: readonly string[]) {
  return eventually(() => {
    const spans = receiver.spans().filter((span) => span.traceId === traceId);
    expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
    return spans;
  });
}

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0] as ReceivedSpan; // there is one, as just seen
}

describe('a call, with tracing on', () => {
  /** The daemon of the tests that read their own trace alone. */
  let shared: Awaited<ReturnType<typeof start>> & { readonly receiver: OtlpReceiver };

  beforeAll(async () => {
    const receiver = await startOtlpReceiver();
    shared = { receiver, ...(await start(enabled(receiver))) };
  });

  const metaOf = (traceId: string) =>
    shared.upstream
      .received('tools/call')
      .map(({ params }) => params._meta)
      .filter((meta) => meta?.traceparent?.includes(traceId));

  it('is exported as one trace over OTLP gRPC, from the request to the upstream [trace-export]', async () => {
    const { receiver, daemon } = shared;
    const { body } = await daemon.call('s.echo', { a: 1 });
    const steps = ['resolve', 'authorize', 'prepare', 'invoke', 'distill', 'answer'];
    const spans = await traceWith(receiver, body.trace_id, 'POST /v1/tools/call', 'execute tool', ...steps);
    expect(spans).toHaveLength(8);

    const server = named(spans, 'POST /v1/tools/call');
    const execution = named(spans, 'execute tool');
    const invoke = named(spans, 'invoke');
    expect([server.parentSpanId, execution.parentSpanId]).toEqual(['', server.spanId]);
    for (const step of steps) expect(named(spans, step).parentSpanId).toBe(execution.spanId);
    expect([server.kind, execution.kind, invoke.kind]).toEqual([2, 1, 3]);
    expect(server.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/tools/call',
      'http.response.status_code': 200,
      'url.scheme': 'http',
    });
    const traceparent = `00-${body.trace_id}-${invoke.spanId}-01`;
    expect(metaOf(body.trace_id)).toEqual([{ traceparent, progressToken: expect.any(Number) }]);
  });

  it('has the request context on its span, and the trace id of its envelope [trace-context-on-spans]', async () => {
    const { receiver, daemon } = shared;
    const context = { operation_id: 'o-1', work_item_id: 'w-1', actor_id: 'a-1', grant_id: 'g-1' };
    const { body } = await daemon.call('s.echo', {}, { request_id: 'r-1', context });
    const execution = named(await traceWith(receiver, body.trace_id, 'execute tool'), 'execute tool');
    expect(execution.attributes).toMatchObject({
      trace_id: body.trace_id,
      request_id: 'r-1',
      ...context,
      'portico.capability_id': 's.echo',
      'portico.server_id': 's',
      'portico.kind': 'tool',
      'portico.outcome': 'answered',
    });
  });

  it('continues the trace of its caller, on to the upstream', async () => {
    const { receiver, daemon } = shared;
    const headers = { traceparent, tracestate: 'vendor=1' };
    const call = { capability_id: 's.echo', args: {} };
    const { body } = await daemon.post<{ trace_id: string }>('/v1/tools/call', call, headers);
    expect(body.trace_id).toBe(caller.traceId);
    const spans = await traceWith(receiver, caller.traceId, 'POST /v1/tools/call', 'invoke');
    const server = named(spans, 'POST /v1/tools/call');
    expect([server.parentSpanId, server.traceState]).toEqual([caller.spanId, 'vendor=1']);
    const passed = `00-${caller.traceId}-${named(spans, 'invoke').spanId}-01`;
    const progressToken = expect.any(Number);
    expect(metaOf(caller.traceId)).toEqual([{ traceparent: passed, tracestate: 'vendor=1', progressToken }]);
  });

  it('names its trace to an HTTP upstream in headers as well', async () => {
    const receiver = await startOtlpReceiver();
    const recorder = await recordRequests(await startHttpFixture());
    const daemon = await startDaemon({ mcpServers: { h: { url: recorder.url } } }, { env: enabled(receiver) });
    await daemon.connected();
    const { body } = await daemon.call('h.null_call');
    const spans = await traceWith(receiver, body.trace_id, 'invoke');
    const sent = recorder.requests.find(({ rpcMethod }) => rpcMethod === 'tools/call');
    expect(sent?.headers.traceparent).toBe(`00-${body.trace_id}-${named(spans, 'invoke').spanId}-01`);
  });

  it('that fails is an error with its code, and what it was refused by is one too', async () => {
    const { receiver, daemon } = shared;
    const { body } = await daemon.call('s.nothing');
    const spans = await traceWith(receiver, body.trace_id, 'execute tool', 'resolve');
    for (const name of ['execute tool', 'resolve']) {
      expect(named(spans, name).status).toEqual({ code: 2, message: 'TOOL_NOT_FOUND' });
    }
    expect(spans.some(({ name }) => name === 'invoke')).toBe(false);
  });

  it('that waited for approval runs in its own trace, also after a restart', async () => {
    const receiver = await startOtlpReceiver();
    const stateDir = tempFolder();
    const given = setUp(); // the same server: a ticket is bound to its definition
    const first = await start(enabled(receiver), { stateDir }, given);
    const id = await openTicket(first.daemon, 's.gated', {});
    const opened = await eventually(() => {
      const found = receiver.spans().find(({ attributes }) => attributes['portico.approval_id'] === id);
      expect(found).toBeDefined();
      return found;
    });
    await first.daemon.stop();
    const second = await start(enabled(receiver), { stateDir }, given);
    const { body } = await approvalsOf(second.daemon).approve(id, { operator: 'ada' });
    expect(body.result?.trace_id).toBe(opened?.traceId);
    const run = await eventually(() => {
      const found = receiver.spans().find(({ links }) => links.some(({ spanId }) => spanId === opened?.spanId));
      expect(found?.name).toBe('execute tool');
      return found;
    });
    expect([run?.traceId, run?.parentSpanId]).toEqual([opened?.traceId, opened?.spanId]);
  });

  it('shows no secret in any span: arguments, resource URIs, headers and queries [policy-redaction]', async () => {
    const receiver = await startOtlpReceiver();
    const { daemon } = await startProcess(enabled(receiver), { logLevel: 'trace' });
    const secret = 'PLANTED-zq';
    await daemon.call('s.echo', { token: secret, note: `password=${secret}` });
    await daemon.call('s.complain', { api_key: secret });
    await daemon.call('s.gated', { token: secret });
    await daemon.call('s.echo', { token: secret, _jsonpath: secret });
    const post = (path: string, body: object) =>
      daemon.post<{ trace_id: string }>(path, body, { authorization: `Bearer ${secret}`, 'x-api-key': secret });
    await post(`/v1/resources/read?token=${secret}`, { resource_id: `s.db://rows?token=${secret}` });
    await post('/v1/resources/read', { resource_id: 's.db://rows?token=PLANTED-listed' });
    await post('/v1/prompts/get', { prompt_id: 's.greet', arguments: { token: secret } });
    const step = { id: 'a', capability_id: 's.echo', args: { secret } };
    const { body } = await post('/v1/tools/batch_call', { steps: [step], context: { actor_id: `token=${secret}` } });
    await traceWith(receiver, body.trace_id, 'POST /v1/tools/batch_call', 'execute batch');
    expect(receiver.spans().filter(({ name }) => name.startsWith('execute '))).toHaveLength(9);
    expect(Buffer.concat(receiver.raw).includes('PLANTED')).toBe(false);
    expect(Buffer.concat(receiver.raw).includes('[REDACTED]')).toBe(true);
    expect(daemon.logText()).not.toContain('PLANTED');
  });
});

describe('the environment', () => {
  it('turns tracing on with SERVICE_OTEL_ENABLED, and nothing else does [trace-enabled-variable]', async () => {
    const receiver = await startOtlpReceiver();
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
    const offAt = async (value: string | undefined) => {
      const off = await start(value === undefined ? endpoint : { ...endpoint, SERVICE_OTEL_ENABLED: value });
      await off.daemon.call('s.echo');
      await off.daemon.stop();
      const [received] = off.upstream.received('tools/call');
      expect(received?.params._meta?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    };
    await Promise.all([undefined, 'false', '0', ''].map(offAt));
    expect(receiver.raw).toEqual([]);
    const onAt = async (value: string) => {
      const on = await start({ ...endpoint, SERVICE_OTEL_ENABLED: value });
      const { body } = await on.daemon.call('s.echo');
      await traceWith(receiver, body.trace_id, 'execute tool');
      await on.daemon.stop();
    };
    await Promise.all(['true', '1', 'TRUE'].map(onAt));
  });

  it('names the collector, the first of two variables first [trace-endpoint-variable] [trace-endpoint-fallback]', async () => {
    const [receiver, fallback] = [await startOtlpReceiver(), await startOtlpReceiver()];
    const both = enabled(receiver, { SERVICE_OTEL_ENDPOINT: fallback.endpoint });
    const first = await startProcess(both, { clockFactor: 0.2 }); // at its end it has five seconds to send the last spans
    await first.daemon.call('s.echo');
    await first.daemon.stop();
    expect([receiver.raw.length > 0, fallback.raw]).toEqual([true, []]);
    const second = await start({ ...both, OTEL_EXPORTER_OTLP_ENDPOINT: '' });
    const { body } = await second.daemon.call('s.echo');
    await traceWith(fallback, body.trace_id, 'execute tool');
  });

  it('leaves the collector at the default endpoint, as the log says', async () => {
    const unset = { OTEL_EXPORTER_OTLP_ENDPOINT: '', SERVICE_OTEL_ENDPOINT: '' };
    const daemon = await startDaemon({ mcpServers: {} }, { env: { SERVICE_OTEL_ENABLED: 'true', ...unset } });
    await eventually(() => {
      const logged = daemon.log().filter(({ message }) => message === 'spans are exported');
      expect(logged).toMatchObject([{ level: 'info', endpoint: 'http://127.0.0.1:4317', service: 'portico' }]);
    });
  });

  it('names the service on every span, portico by default [trace-service-name]', async () => {
    const receiver = await startOtlpReceiver();
    const services = [
      ['portico', {}],
      ['billing-agents', { SERVICE_SERVICE_NAME: 'billing-agents' }],
    ] as const;
    const isNamed = async ([name, env]: (typeof services)[number]) => {
      const { daemon } = await start(enabled(receiver, env));
      const { body } = await daemon.call('s.echo');
      const spans = await traceWith(receiver, body.trace_id, 'execute tool');
      expect(new Set(spans.map(({ resource }) => resource['service.name']))).toEqual(new Set([name]));
    };
    await Promise.all(services.map(isNamed));
  });

  it.each([
    ['SERVICE_OTEL_ENABLED', 'maybe', 'environment variable SERVICE_OTEL_ENABLED: expected true, 1, false or 0'],
    ...['localhost:4317', 'ftp://127.0.0.1:4317', 'not a url', 'http://'].map((value) => [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      value,
      'environment variable OTEL_EXPORTER_OTLP_ENDPOINT: expected an http or https URL such as http://127.0.0.1:4317',
    ]),
  ])('with %s = %s is refused at the start', async (variable = '', value = '', message = '') => {
    const env = { SERVICE_OTEL_ENABLED: 'true', [variable]: value };
    const { code, stderr } = await refusalOf({ mcpServers: {} }, { env });
    expect([code, stderr.trim()]).toEqual([2, message]);
  });
});

/** Takes connections and never says anything. */
async function silentEndpoint(): Promise<string> {
  const server = createServer((socket) => void socket.on('error', () => {}).resume());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has one
}

describe('a collector that is down', () => {
  it('is reported in the log, once', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const { daemon } = await start({ SERVICE_OTEL_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    await daemon.call('s.echo');
    await eventually(() => {
      const logged = daemon.log().filter(({ message }) => message === 'spans could not be exported and are lost');
      expect(logged).toMatchObject([{ level: 'warn', endpoint, lost: expect.any(Number) }]);
    });
  });

  it.each([
    ['refuses connections', async () => `http://127.0.0.1:${await freePort()}`],
    ['never answers', silentEndpoint],
  ])('and %s delays neither the calls nor the end, and fails nothing', async (_, endpointOf) => {
    const env = { SERVICE_OTEL_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: await endpointOf() };
    // An export is given up after 5 s on its clock: here longer than its end is waited for, and two calls than the test.
    const { daemon } = await startProcess(env, { clockFactor: 0.25 });
    for (let call = 0; call < 200; call += 1) expect((await daemon.call('s.echo')).status).toBe(200);
    const { code, stderr } = await daemon.stop();
    expect(code).toBe(0);
    const complaints = parseLines(stderr).filter(({ message }) => String(message).startsWith('spans could not'));
    expect(complaints.length).toBeLessThan(2);
  });
});
