// Tools as clients see and call them: the facade's own, aliases that are passed through, and upstream tools by name.
import { type JsonObject, resolveConfig } from '@portico/contracts';
import { type MemoryServer, UpstreamFailure } from '@portico/upstream-pool';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { startFacade } from '../testing/start-facade.js';

const push = {
  name: 'push',
  title: 'Push',
  description: 'Pushes.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'], 'x-own': 1 },
  outputSchema: { type: 'object', properties: { ref: { type: 'string' } } },
  annotations: { destructiveHint: true, 'x-kept': 'too' },
  icons: [{ src: 'https://example.com/i.png' }],
  _meta: { vendor: [1, null] },
};
/** Everything here is unusual, and Portico must not change it. */
const oddResult = {
  zeta: 1,
  structuredContent: { list: [1, 'two', null], constructor: 'kept' },
  content: [
    { type: 'hologram', body: { x: 1 } },
    { type: 'text', text: 'ä\u2028' },
  ],
  alpha: { deep: { toString: 'kept' } },
  _meta: { 'vendor/key': { a: [1] } },
};
const git: MemoryServer = {
  definitions: {
    tools: [
      push,
      { name: 'odd', inputSchema: { type: 'object' } },
      { name: 'list', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } },
      { name: 'fail', inputSchema: { type: 'object' } },
      { name: 'gated', inputSchema: { type: 'object' } },
    ],
    resources: [{ uri: 'file:///a', name: 'a' }],
    prompts: [{ name: 'review', arguments: [{ name: 'branch' }] }],
  },
  handle: ({ method, params }) => {
    if (method === 'completion/complete') return { completion: { values: ['main'], total: 1 } };
    if (params.name === 'fail') {
      throw new UpstreamFailure('failed', { kind: 'rejected', error: { code: -32000, message: 'on purpose' } });
    }
    if (params.name === 'list') return { content: [], structuredContent: [1, 2] };
    return oddResult;
  },
};
const passthrough = (target: string) => ({ target, passthrough: true });
const file = {
  policy: { requireApproval: ['git.gated'] },
  capabilityAliases: {
    ship: passthrough('git.push'),
    odd: passthrough('git.odd'),
    items: passthrough('git.list'),
    fail: passthrough('git.fail'),
    gated: passthrough('git.gated'),
  },
};
const start = (more: object = {}) => startFacade({ servers: { git }, file: { ...file, ...more } });

interface Tool {
  readonly name: string;
  readonly outputSchema: object;
}
const toolsOf = (body: unknown) => (body as { result: { tools: readonly Tool[] } }).result.tools;
const facadeNames = [
  'capabilities_list',
  'capability_search',
  'capability_describe',
  'capability_call',
  'capabilities_batch_call',
  'resources_list',
  'resource_read',
  'prompts_list',
  'prompt_get',
  'completion_complete',
  'approval_status',
  'task_status',
];

describe('the list of tools', () => {
  it('has the facade and the aliases that are passed through, as their upstream defines them', async () => {
    const { ask } = await start();
    const { body } = await ask('tools/list');
    const tools = toolsOf(body);
    expect(tools.map(({ name }) => name)).toEqual([...facadeNames, 'fail', 'gated', 'items', 'odd', 'ship']);
    expect(tools.at(-1)).toEqual({ ...push, name: 'ship' });
    expect(body).toMatchObject({ result: { ttlMs: 300_000, cacheScope: 'public' } });
    expect((await ask('tools/list')).text).toBe((await ask('tools/list')).text);
  });

  it.each([
    ['native', ['git__fail', 'git__gated', 'git__list', 'git__odd', 'git__push']],
    ['both', [...facadeNames, 'git__fail', 'git__gated', 'git__list', 'git__odd', 'git__push']],
  ])('with mcpExposure %s has upstream tools by their own names', async (mcpExposure, names) => {
    const { ask } = await start({ mcpExposure, capabilityAliases: { p: 'git.push', q: 'git.push' } });
    expect(toolsOf((await ask('tools/list')).body).map(({ name }) => name)).toEqual(names);
    const called = await ask('tools/call', { name: 'git__push', arguments: { to: 'x' } });
    expect(called.body).toMatchObject({ result: { zeta: 1 } });
  });

  it('lets no alias hide a tool of the facade', async () => {
    const { ask } = await start({ capabilityAliases: { capability_call: passthrough('git.push') } });
    const tools = toolsOf((await ask('tools/list')).body).filter(({ name }) => name === 'capability_call');
    expect(tools).toMatchObject([{ title: 'Call a capability' }]);
  });

  it.each(['x', ''])('has no page %j', async (cursor) => {
    const { ask } = await start();
    expect((await ask('tools/list', { cursor })).body).toMatchObject({ error: { code: -32602 } });
  });

  it('refuses an invalid exposure', () => {
    expect(resolveConfig({ mcpServers: {}, mcpExposure: 'all' })).toMatchObject({ issues: [{ path: 'mcpExposure' }] });
  });
});

describe('a tool that is passed through', () => {
  it('hands the arguments and the result on as they are', async () => {
    const { ask, openSession, server } = await start();
    const args = { constructor: 'x', list: [1, { a: null }], text: '\u2028' };
    const modern = await ask('tools/call', { name: 'odd', arguments: args });
    const { _meta, ...rest } = (modern.body as { result: Record<string, unknown> }).result;
    const { _meta: given, ...untouched } = oddResult;
    expect(JSON.stringify({ ...rest, resultType: undefined })).toBe(JSON.stringify(untouched));
    expect(_meta).toEqual({
      ...given,
      'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'portico' }),
    });
    const session = await openSession();
    const legacy = await session.ask('tools/call', { name: 'odd', arguments: args });
    expect(JSON.stringify((legacy.body as { result: unknown }).result)).toBe(JSON.stringify(oddResult));
    expect(
      server('git')
        .requests()
        .map(({ params }) => JSON.stringify(params.arguments)),
    ).toEqual([JSON.stringify(args), JSON.stringify(args)]);
  });

  it('gives a result whose _meta no client would take without it', async () => {
    const handle = () => ({ content: [], _meta: null }) as never; // some servers write it
    const { ask } = await startFacade({ servers: { git: { ...git, handle } }, file });
    expect((await ask('tools/call', { name: 'odd', arguments: {} })).body).toMatchObject({ result: { content: [] } });
  });

  it('gives structured content that is no object to clients of sessions as one', async () => {
    const { ask, openSession } = await start();
    const session = await openSession();
    const legacy = await session.ask('tools/call', { name: 'items', arguments: {} });
    expect(legacy.body).toMatchObject({
      result: { content: [{ type: 'text', text: '[1,2]' }], structuredContent: { result: [1, 2] } },
    });
    const listed = toolsOf((await session.ask('tools/list')).body).find(({ name }) => name === 'items');
    expect(listed).toMatchObject({ outputSchema: { type: 'object', properties: { result: { type: 'array' } } } });
    const modern = await ask('tools/call', { name: 'items', arguments: {} });
    expect(modern.body).toMatchObject({ result: { content: [], structuredContent: [1, 2] } });
  });

  it.each([
    ['ship', { to: 1 }, 'INVALID_ARGS: args.to: '],
    ['gated', {}, 'APPROVAL_PENDING: '],
  ])('%s that cannot be done is a result that says so', async (name, args, text) => {
    const { ask } = await start();
    const { body } = await ask('tools/call', { name, arguments: args });
    expect(body).toMatchObject({
      result: { isError: true, content: [{ type: 'text', text: expect.stringContaining(text) }] },
    });
  });

  it("that its server answers with an error has that error, but for codes of the server's own connection", async () => {
    const { ask } = await start();
    const { body } = await ask('tools/call', { name: 'fail', arguments: {} });
    expect(body).toMatchObject({ error: { code: -32000, message: 'on purpose' } });
    const relayed = async (code: number, data?: JsonObject) => {
      const rpc_error = { code, message: 'm', ...(data === undefined ? {} : { data }) };
      const envelope = {
        ok: false,
        data: null,
        error: { code: 'UPSTREAM_ERROR', message: 'm', retryable: false, rpc_error },
      };
      const execute = async () => ({ kind: 'answered', envelope }) as never;
      const facade = await startFacade({ servers: { git }, file, plane: () => ({ execute }) });
      const modern = await facade.ask('tools/call', { name: 'odd', arguments: {} });
      const legacy = await (await facade.openSession()).ask('tools/call', { name: 'odd', arguments: {} });
      return [modern, legacy].map(({ body: answer }) => (answer as { error: JsonObject }).error);
    };
    expect(await relayed(-32602, { why: 1 })).toMatchObject(Array(2).fill({ code: -32602, data: { why: 1 } }));
    expect(await relayed(-32022)).toMatchObject(Array(2).fill({ code: -32603 }));
    expect(await relayed(-32042)).toMatchObject([{ code: -32603 }, { code: -32042 }]);
    expect(await relayed(-32002)).toMatchObject(Array(2).fill({ code: -32602 }));
  });

  it('names the ticket where a person has to decide', async () => {
    const { ask } = await start();
    const { text } = await ask('tools/call', { name: 'gated', arguments: {} });
    const [, id] = /approval_id: (appr-[\d-]+)/.exec(text) ?? [];
    const { body } = await ask('tools/call', { name: 'approval_status', arguments: { approval_id: id ?? '' } });
    expect(body).toMatchObject({
      result: { structuredContent: { ok: true, approval: { id, status: { status: 'pending' } } } },
    });
  });

  it.each([
    ['of nobody', { name: 'nobody', arguments: {} }],
    ['without a name', { arguments: {} }],
    ['with arguments that are none', { name: 'odd', arguments: [] }],
  ])('%s is a protocol error, and no upstream receives it', async (_what, params) => {
    const { openSession, server } = await start();
    const { ask } = await openSession();
    expect((await ask('tools/call', params)).body).toMatchObject({ error: { code: -32602 } });
    expect(server('git').requests()).toEqual([]);
  });

  it('whose server has not been reached is asked for there, not unknown', async () => {
    const onConnect = () => new Promise<never>(() => {});
    const { openSession } = await startFacade({
      servers: { git: { onConnect } },
      file: { ...file, mcp: { firstListWaitMs: 0 }, promptAliases: { ask: 'git.review' } },
    });
    const { ask } = await openSession();
    const called = await ask('tools/call', { name: 'ship', arguments: {} });
    expect(called.body).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('SERVER_UNREACHABLE') }] },
    });
    expect((await ask('prompts/get', { name: 'ask' })).body).toMatchObject({
      error: { data: { code: 'SERVER_UNREACHABLE' } },
    });
  });

  it('translates what its server misses in the client', async () => {
    const error = {
      code: 'UPSTREAM_ERROR',
      message: 'server "git" answered with error -32021: wants more',
      retryable: false,
      rpc_error: { code: -32021, message: 'wants more', data: { requiredCapabilities: { sampling: {} } } },
    };
    const envelope = { ok: false, data: null, error };
    const execute = async () => ({ kind: 'answered', envelope }) as never;
    const { ask } = await startFacade({ servers: { git }, file, plane: () => ({ execute }) });
    const { status, body } = await ask('tools/call', { name: 'odd', arguments: {} });
    expect([status, body]).toMatchObject([
      400,
      { error: { code: -32021, message: 'wants more', data: { requiredCapabilities: { sampling: {} } } } },
    ]);
  });
});

describe("the facade's tools", () => {
  const calls: Readonly<Record<string, JsonObject>> = {
    capabilities_list: {},
    capability_search: { query: 'push' },
    capability_describe: { capability_id: 'git.push' },
    capability_call: { capability_id: 'git.odd', args: {}, request_id: 'r-1', context: { actor_id: 'a' } },
    capabilities_batch_call: { steps: [{ id: 'a', capability_id: 'git.odd', args: {} }] },
    resources_list: {},
    resource_read: { resource_id: 'git.file:///a' },
    prompts_list: {},
    prompt_get: { prompt_id: 'git.review', arguments: { branch: 'main' } },
    completion_complete: { ref_type: 'prompt', ref_name: 'git.review', argument_name: 'branch' },
    approval_status: { approval_id: 'appr-0-1' },
    task_status: { task_id: 'task-0' },
  };
  const ajv = new Ajv2020({ strict: false });

  it('are all tried here', () => {
    expect(Object.keys(calls)).toEqual(facadeNames);
  });

  it.each(Object.entries(calls))('%s answers what its schema says, also when it fails', async (name, args) => {
    const { ask } = await start();
    const listed = toolsOf((await ask('tools/list')).body).find((tool) => tool.name === name);
    const validate = ajv.compile(listed?.outputSchema ?? false);
    for (const given of [
      args,
      { ...args, capability_id: 'nobody', resource_id: 'x.y', prompt_id: 7, steps: 1, ref_type: 0 },
    ]) {
      const { body } = await ask('tools/call', { name, arguments: given });
      const { result } = body as { result: { content: readonly { text: string }[]; structuredContent: object } };
      expect([validate(result.structuredContent), validate.errors]).toEqual([true, null]);
      expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(result.structuredContent);
    }
  });

  it('say that they failed', async () => {
    const { ask } = await start();
    const { body } = await ask('tools/call', {
      name: 'capability_call',
      arguments: { capability_id: 'git.nobody', args: {} },
    });
    expect(body).toMatchObject({
      result: { isError: true, structuredContent: { ok: false, error: { code: 'TOOL_NOT_FOUND' }, data: null } },
    });
  });

  it('run a call with a key once', async () => {
    const { ask, server } = await start();
    const call = { name: 'capability_call', arguments: { capability_id: 'git.odd', args: {}, idempotency_key: 'k' } };
    const answers = [await ask('tools/call', call), await ask('tools/call', call)];
    const [first, second] = answers.map(
      ({ body }) => (body as { result: { structuredContent: { data: unknown } } }).result,
    );
    expect(second?.structuredContent.data).toEqual(first?.structuredContent.data);
    expect(server('git').requests()).toHaveLength(1);
  });
});

describe('a name that is not listed', () => {
  const denying = { policy: { deny: ['git.gated'] }, mcpExposure: 'both' };
  const records = async ({ plane }: Awaited<ReturnType<typeof start>>) =>
    (await plane.audit.list({}, { limit: 9, offset: 0 })).events.map(({ event_type, capability_id, error_code }) => [
      event_type,
      capability_id,
      error_code,
    ]);

  it.each([
    ['of nobody', 'nope', ['tool_call', 'nope', 'TOOL_NOT_FOUND']],
    ['of a tool that has another here', 'git.push', ['tool_call', '"git.push"', 'TOOL_NOT_FOUND']],
  ])('%s is unknown, and recorded', async (_what, name, record) => {
    const facade = await start();
    const { body } = await facade.ask('tools/call', { name, arguments: { to: 'x' } });
    expect(body).toMatchObject({ error: { code: -32602, message: `Unknown tool: ${name}` } });
    expect(facade.server('git').requests()).toEqual([]);
    expect(await records(facade)).toEqual([record]);
  });

  it('since policy denies it is refused, and recorded as that', async () => {
    const facade = await start(denying);
    const { body } = await facade.ask('tools/call', { name: 'git__gated', arguments: {} });
    expect(body).toMatchObject({ result: { isError: true } });
    expect(await records(facade)).toEqual([['policy_violation', 'git.gated', 'POLICY_DENIED']]);
  });

  it.each(['tools/call', 'prompts/get'])('to %s since its server is still connecting says so', async (method) => {
    const { ask } = await startFacade({
      servers: { git: { definitions: {}, onConnect: () => new Promise<void>(() => {}) } },
      file: { mcpExposure: 'native', mcp: { firstListWaitMs: 0 } },
    });
    const { text } = await ask(method, { name: 'git__push', arguments: {} });
    expect(text).toContain('server \\"git\\" is still connecting');
  });
});

describe('a turn of a call that asked', () => {
  const asking: MemoryServer = {
    definitions: { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
    async handle(_request, signal, handler) {
      const replies = await handler?.onServerRequest(
        { method: 'elicitation/create', params: { message: 'who?' } },
        signal,
      );
      return { content: [], structuredContent: { replies: replies ?? null } };
    },
  };
  const capabilities = { elicitation: { form: {} } };
  const accept = { action: 'accept', content: {} };

  it.each([
    ['a tool of an upstream', { name: 's__ask', arguments: {} }],
    ["the facade's own", { name: 'capability_call', arguments: { capability_id: 's.ask', args: {} } }],
  ])('of %s with an invalid state or invalid answers is -32602, and its call waits on', async (_what, params) => {
    const { ask } = await startFacade({ servers: { s: asking }, file: { mcpExposure: 'both' } });
    const turn = async (more: JsonObject) =>
      (await ask('tools/call', { ...params, ...more }, { capabilities })).body as {
        readonly result: JsonObject;
        readonly error: { readonly code: number; readonly message: string };
      };
    const { requestState } = (await turn({})).result;
    const changed = await turn({ requestState: `${requestState}0`, inputResponses: { q1: accept } });
    expect(changed.error).toMatchObject({ code: -32602, message: expect.stringContaining('request_state') });
    const wrong = await turn({ requestState: requestState ?? null, inputResponses: { q1: { action: 'perhaps' } } });
    expect(wrong.error).toMatchObject({ code: -32602, message: expect.stringContaining('input_responses.q1.action') });
    const done = await turn({ requestState: requestState ?? null, inputResponses: { q1: accept } });
    expect(JSON.stringify(done.result)).toContain('"replies":');
  });

  it('may be given with the arguments of capability_call, as in a body of the HTTP API', async () => {
    const { ask, server } = await startFacade({ servers: { s: asking } });
    const call = async (more: JsonObject) => {
      const args = { capability_id: 's.ask', args: {}, ...more };
      const params = { name: 'capability_call', arguments: args };
      return (await ask('tools/call', params, { capabilities })).body as {
        readonly result: JsonObject;
        readonly error: { readonly code: number };
      };
    };
    const { requestState } = (await call({})).result;
    const wrong = await call({ request_state: 'nope', input_responses: { q1: accept } });
    expect(wrong.error.code).toBe(-32602);
    const done = await call({ request_state: requestState ?? null, input_responses: { q1: accept } });
    expect(JSON.stringify(done.result)).toContain('"replies":');
    expect(server('s').requests()).toHaveLength(1);
  });
});
