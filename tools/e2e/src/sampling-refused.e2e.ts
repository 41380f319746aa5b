// Requests that no caller can answer: the calls of MCP clients that declare nothing end at once, since the server gets
// the error that MCP has for it. Over both transports, in both eras, by the facade's tools and by native ones.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startDaemon } from './support/daemon.js';
import {
  argsOf,
  connectClient,
  type Driver,
  type Mode,
  mcpStdioMain,
  modernRequest,
  placeOf,
  startMcpHttp,
  startMcpStdio,
} from './support/mcp.js';
import { answer, question, samplingOf, startProvider } from './support/sampling.js';
import { runCli } from './support/terminal.js';
import { asking } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const sample = { method: 'sampling/createMessage', params: { messages: question, maxTokens: 9 } };
const elicit = (mode: string) => ({ method: 'elicitation/create', params: { mode, message: 'who?' } });
const notFound = (method: string, kind: string) => ({
  error: {
    code: -32601,
    message: `Method not found: ${method}: the caller of this call does not declare ${kind}`,
  },
});
const roots = [{ uri: 'file:///srv/work', name: 'work' }];

const questions: readonly (readonly [object, object])[] = [
  [sample, notFound('sampling/createMessage', 'sampling')],
  [elicit('form'), notFound('elicitation/create', 'elicitation')],
  [elicit('url'), notFound('elicitation/create', 'elicitation')],
  [{ method: 'roots/list' }, { roots }],
];

const [[, refused] = []] = questions;

/** The same call by the facade's tool and by the native one. */
const ways: readonly ((client: Driver, args: object) => Promise<unknown>)[] = [
  async (client, args) => {
    const params = { name: 'capability_call', arguments: { capability_id: 's.ask', args } };
    const { structuredContent } = await client.request('tools/call', params);
    return (structuredContent as { data: { structuredContent: unknown } }).data.structuredContent;
  },
  async (client, args) => (await client.request('tools/call', { name: 's__ask', arguments: args })).structuredContent,
];

const modes: readonly Mode[] = ['v1', 'legacy', 'modern'];

describe.each(['stdio', 'http'] as const)('over %s, a client that declares nothing', (kind) => {
  it.each(modes)('in mode %s has its calls end at once, for every request of their server', async (mode) => {
    const upstream = asking('legacy');
    const config = { mcpServers: { s: upstream.server }, roots, mcpExposure: 'both' };
    const route =
      kind === 'http'
        ? ({ kind, url: (await startMcpHttp(config)).url } as const)
        : ({ kind, args: [mcpStdioMain, ...argsOf(placeOf(config))] } as const);
    const client = await connectClient(mode, route);
    const names = async () =>
      ((await client.request('tools/list')).tools as { name: string }[]).map(({ name }) => name);
    await eventually(async () => expect(await names()).toContain('s__ask'));
    for (const call of ways) {
      for (const [args, reply] of questions) expect(await call(client, args)).toEqual({ replies: [reply] });
    }
    const steps = [{ id: 'a', capability_id: 's.ask', args: sample }];
    const batch = await client.request('tools/call', { name: 'capabilities_batch_call', arguments: { steps } });
    expect(batch.structuredContent).toMatchObject({
      results: [{ data: { structuredContent: { replies: [refused] } } }],
    });
  });
});

async function start(config: object = {}) {
  const upstream = asking('legacy');
  const place = placeOf({
    port: 0,
    mcpServers: { s: upstream.server },
    mcpHttpServer: { port: 0 },
    mcpExposure: 'native',
    ...config,
  });
  const daemon = await startDaemon(undefined, { ...place, logLevel: 'debug' });
  await daemon.connected();
  const client = await connectClient('v1', { kind: 'http', url: daemon.mcpUrl() });
  const ask = async (args: object = sample) =>
    (await client.request('tools/call', { name: 's__ask', arguments: args })).structuredContent;
  return { upstream, place, daemon, ask, sampling: samplingOf(daemon) };
}

describe('a question that was refused', () => {
  it('is seen at its server, by doctor, in the log and in the record of the call, and is no failure', async () => {
    const { daemon, place, ask } = await start({ resilience: { failureThreshold: 1 } });
    expect(await ask()).toEqual({ replies: [refused] });
    expect(await ask()).toEqual({ replies: [refused] });
    const why = { method: 'sampling/createMessage', reason: 'caller_cannot_answer' };
    expect(await daemon.server('s')).toMatchObject({
      status: 'connected',
      circuit: { state: 'closed', consecutive_failures: 0 },
      refused_requests: [{ ...why, count: 2 }],
    });
    const { body } = await daemon.get('/v1/audit/events?event_type=tool_call&limit=1');
    const details = { refused_requests: ['sampling/createMessage'] };
    expect(body).toMatchObject({ events: [{ status: 'success', details }] });
    const line = { level: 'debug', message: 'a question of a server is refused', server: 's', ...why };
    expect(daemon.log()).toContainEqual(expect.objectContaining(line));
    const { stdout } = await runCli(['doctor', '--json', ...argsOf(place)], {});
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({
        code: 'server-refused',
        subject: 'running s',
        message: expect.stringContaining('sampling.tickets: "always"'),
      }),
    );
  });
});

describe('the call of a client that cannot sample', () => {
  it('waits for people where the configuration says so', async () => {
    const { ask, sampling } = await start({ sampling: { tickets: 'always' } });
    const done = ask();
    const { id } = await sampling.pending();
    await sampling.respond(id);
    expect(await done).toEqual({ replies: [answer] });
  });

  it('has the answer of a provider, and is refused where that fails', async () => {
    const working = await start({ sampling: { provider: { url: (await startProvider()).url, model: 'small' } } });
    expect(await working.ask()).toMatchObject({ replies: [{ content: { text: 'forty-two' } }] });
    const failing = await start({ sampling: { provider: { url: (await startProvider(401)).url, model: 'small' } } });
    expect(await failing.ask()).toEqual({ replies: [refused] });
  });
});

describe('a client that says with each request what it can be asked', () => {
  const call = (id: number, params: object, capabilities: object) =>
    modernRequest(id, 'tools/call', { ...params }, capabilities).body;

  it('is asked request by request, and its tasks too are not asked', async () => {
    const upstream = asking('legacy');
    const client = startMcpStdio(placeOf({ mcpServers: { s: upstream.server }, mcpExposure: 'native' }));
    const names = async (id: string) => {
      client.write({ ...modernRequest(0, 'tools/list').body, id });
      return JSON.stringify(await client.answer(id));
    };
    let lists = 0;
    await eventually(async () => {
      lists += 1;
      expect(await names(`list-${lists}`)).toContain('s__ask');
    });
    const ask = { name: 's__ask', arguments: sample };
    client.write(call(1, ask, {}));
    expect(await client.answer(1)).toMatchObject({ result: { structuredContent: { replies: [refused] } } });
    const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    client.write(call(3, { name: 's__job', arguments: { asks: true } }, tasks));
    const { result } = (await client.answer(3)) as { result: { taskId: string } };
    let polls = 0;
    await eventually(async () => {
      polls += 1;
      client.write({ ...modernRequest(0, 'tasks/get', { taskId: result.taskId }, tasks).body, id: `poll-${polls}` });
      const { result: task } = (await client.answer(`poll-${polls}`)) as { result: object };
      const replies = { error: expect.objectContaining({ code: -32601 }) };
      expect(task).toMatchObject({ status: 'completed', result: { structuredContent: { replies } } });
    });
    client.write(call(2, ask, { sampling: {} }));
    expect(await client.answer(2)).toMatchObject({ result: { resultType: 'input_required' } });
  });
});

describe('clientCapabilities of a server', () => {
  const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

  it('are declared to a server of 2025-11-25 when it is connected, and its other requests are refused', async () => {
    const upstream = asking('legacy');
    const s = { ...upstream.server, clientCapabilities: { sampling: false, elicitation: 'form', roots: false } };
    const { daemon } = await start({ mcpServers: { s } });
    expect(upstream.received('initialize')[0]?.params.capabilities).toEqual({ elicitation: { form: {} }, extensions });
    const dataOf = async (args: object) => (await daemon.call('s.ask', args)).body.data;
    const error = (code: number, message: string) => ({
      structuredContent: { replies: [{ error: { code, message } }] },
    });
    expect(await dataOf(sample)).toMatchObject(
      error(-32601, 'Method not found: sampling/createMessage: this client does not declare sampling'),
    );
    expect(await dataOf({ method: 'roots/list' })).toMatchObject(
      error(-32601, 'Method not found: roots/list: this client does not declare roots'),
    );
    expect(await dataOf(elicit('url'))).toMatchObject(
      error(-32602, 'Invalid params: this client does not declare elicitation of mode "url"'),
    );
    expect(await dataOf(elicit('form'))).toMatchObject({ resultType: 'input_required' });
    const { refused_requests } = await daemon.server('s');
    expect(refused_requests?.map(({ method, reason }) => [method, reason])).toEqual(
      ['sampling/createMessage', 'roots/list', 'elicitation/create'].map((each) => [each, 'not_declared_to_server']),
    );
  });

  it('narrow the declaration to a server of 2026-07-28 with each request', async () => {
    const upstream = asking('modern');
    const s = { ...upstream.server, clientCapabilities: { sampling: false } };
    const { daemon } = await start({ mcpServers: { s } });
    await daemon.call('s.echo');
    const key = 'io.modelcontextprotocol/clientCapabilities';
    const declared = upstream.received('tools/call')[0]?.params._meta?.[key];
    expect(declared).toMatchObject({ elicitation: { form: {}, url: {} }, roots: {} });
    expect(declared).not.toHaveProperty('sampling');
  });

  it('that change have the server connected once more', async () => {
    const upstream = asking('legacy');
    const { daemon, place } = await start({ mcpServers: { s: upstream.server } });
    const file = JSON.parse(readFileSync(place.configFile, 'utf8'));
    const s = { ...upstream.server, clientCapabilities: { sampling: false } };
    writeFileSync(place.configFile, JSON.stringify({ ...file, mcpServers: { s } }));
    expect((await daemon.post('/v1/config/reload', {})).status).toBe(200);
    await eventually(() =>
      expect(upstream.received('initialize').map(({ params }) => params.capabilities)).toEqual([
        { elicitation: { form: {}, url: {} }, sampling: {}, roots: {}, extensions },
        { elicitation: { form: {}, url: {} }, roots: {}, extensions },
      ]),
    );
  });
});
