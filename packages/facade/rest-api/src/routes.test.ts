// Every route against the table it is documented by, and what each answers.
import { parseWith, routes } from '@portico/contracts';
import {
  createControlPlane,
  createMemoryAiClients,
  createMemoryLockFile,
  createMemoryStores,
} from '@portico/control-plane';
import { createManualClock, createMemoryConnector, type MemoryServer, UpstreamFailure } from '@portico/upstream-pool';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { driveApi, freshTraceId, memorySource, randomHex, refusal } from './testing/drive-api.js';

interface ApiInput {
  readonly servers?: Readonly<Record<string, MemoryServer>>;
  /** Fields of the configuration file. */
  readonly file?: object;
}

/** The API over servers that live in this test. Every server is connected before this resolves. */
async function startApi({ servers = {}, file = {} }: ApiInput = {}) {
  const clock = createManualClock();
  const connector = createMemoryConnector(servers);
  const configSource = memorySource(Object.keys(servers), file);
  const plane = createControlPlane(
    {
      connector,
      clock,
      randomHex,
      log: () => {},
      ...createMemoryStores(clock),
      notifyApproval: () => {},
      openLockFile: () => createMemoryLockFile(),
      aiClients: createMemoryAiClients([{ id: 'editor', servers: { git: { command: 'git-mcp' } } }]),
      configSource,
    },
    configSource.current().config,
  );
  plane.start();
  await clock.advance(0);
  return { ...driveApi(plane), plane, clock, server: connector.server };
}

const inputSchema = { type: 'object' };
const definitions: NonNullable<MemoryServer['definitions']> = {
  tools: [
    { name: 'push', description: 'Pushes. Needs a remote.', inputSchema: { ...inputSchema, required: ['to'] } },
    { name: 'gated', inputSchema },
    { name: 'log', description: 'Shows commits.', inputSchema, annotations: { readOnlyHint: true } },
  ],
  resources: [{ uri: 'file:///a', name: 'a', mimeType: 'text/plain' }],
  prompts: [{ name: 'review', arguments: [{ name: 'branch' }] }],
};
const git: MemoryServer = { definitions, handle: () => ({ content: [{ type: 'text', text: 'done' }] }) };
const asks: MemoryServer = {
  definitions: { tools: [{ name: 'ask', inputSchema }] },
  async handle(_request, signal, handler) {
    await handler?.onServerRequest({ method: 'elicitation/create', params: {} }, signal);
    return { content: [] };
  },
};
const web: MemoryServer = { definitions: { tools: [{ name: 'fetch', inputSchema }] } };
const file = {
  policy: { requireApproval: ['git.gated'], grants: { enabled: true } },
  profiles: { dev: { servers: ['git'] }, other: { servers: ['web'] }, empty: { servers: [] } },
  capabilityAliases: { ship: 'git.push' },
  inspect: { enabled: true },
  budgets: [{ id: 'b', calls: 1000 }],
  lock: { mode: 'warn' },
};
const start = () => startApi({ servers: { git, web }, file });

interface DocumentedRequest {
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** 200 where it is not said. */
  readonly status?: 202;
}

const requests: Readonly<Record<string, DocumentedRequest>> = {
  listCapabilities: { path: '/v1/capabilities' },
  searchCapabilities: { path: '/v1/capabilities/search', body: { query: 'push' } },
  describeCapability: { path: '/v1/capabilities/git.push' },
  listResources: { path: '/v1/resources' },
  listPrompts: { path: '/v1/prompts' },
  callTool: { path: '/v1/tools/call', body: { capability_id: 'git.log', args: {} } },
  callBatch: { path: '/v1/tools/batch_call', body: { steps: [{ id: 'a', capability_id: 'git.log', args: {} }] } },
  readResource: { path: '/v1/resources/read', body: { resource_id: 'git.file:///a' } },
  getPrompt: { path: '/v1/prompts/get', body: { prompt_id: 'git.review' } },
  complete: {
    path: '/v1/completion/complete',
    body: { ref_type: 'prompt', ref_name: 'git.review', argument_name: 'branch' },
  },
  cancelOperation: { path: '/v1/operations/r-1/cancel' },
  listIdempotencyRecords: { path: '/v1/idempotency/records' },
  getIdempotencyRecord: { path: '/v1/idempotency/records/used/key' },
  listApprovals: { path: '/v1/approvals' },
  getApproval: { path: '/v1/approvals/appr-0-1' },
  approve: { path: '/v1/approvals/appr-0-1/approve', body: { operator: 'me' } },
  reject: { path: '/v1/approvals/appr-0-1/reject', body: { operator: 'me', reason: 'no' } },
  createMessage: {
    path: '/v1/sampling/create_message',
    body: { server_id: 'git', messages: [{}] },
    headers: { Prefer: 'respond-async' },
    status: 202,
  },
  listSamplingRequests: { path: '/v1/sampling/requests' },
  getSamplingRequest: { path: '/v1/sampling/requests/samp-0-1' },
  respondToSamplingRequest: {
    path: '/v1/sampling/requests/samp-0-1/respond',
    body: { role: 'assistant', content: 'yes' },
  },
  listTasks: { path: '/v1/tasks' },
  getTask: { path: '/v1/tasks/:task' },
  respondToTask: { path: '/v1/tasks/:task/respond', body: { input_responses: { q1: { action: 'decline' } } } },
  cancelTask: { path: '/v1/tasks/:task/cancel' },
  listAuditEvents: { path: '/v1/audit/events' },
  getAuditEvent: { path: '/v1/audit/events/aud-000000000001' },
  verifyAudit: { path: '/v1/audit/verify' },
  getAuditStats: { path: '/v1/audit/stats' },
  getAuditSeries: { path: '/v1/audit/series?buckets=10' },
  getAuditUsage: { path: '/v1/audit/usage' },
  exportAudit: { path: '/v1/audit/export' },
  listNotices: { path: '/v1/notices' },
  testNotices: { path: '/v1/notices/test', body: {} },
  listBudgets: { path: '/v1/budgets' },
  resetBudget: { path: '/v1/budgets/b/reset', body: {} },
  listGrants: { path: '/v1/grants?state=all' },
  getGrant: { path: '/v1/grants/grant-0-1' },
  revokeGrant: { path: '/v1/grants/grant-0-1' },
  listActivity: { path: '/v1/activity?limit=5' },
  getActivitySeries: { path: '/v1/activity/series?range=24h' },
  listFrames: { path: '/v1/inspect?limit=5&direction=sent' },
  listTraceFrames: { path: `/v1/traces/${'c3'.repeat(16)}/frames` },
  getLock: { path: '/v1/lock' },
  getLockDrift: { path: '/v1/lock/drift' },
  acceptDrift: { path: '/v1/lock/accept', body: { items: [] } },
  verifyLock: { path: '/v1/lock/verify', body: { lock: '{}' } },
  listTraces: { path: '/v1/traces' },
  explainTrace: { path: `/v1/traces/${'c3'.repeat(16)}/explain` },
  getEcosystem: { path: '/v1/config/ecosystem' },
  listSources: { path: '/v1/config/sources' },
  listClients: { path: '/v1/clients' },
  previewClient: { path: '/v1/clients/editor/preview?action=attach' },
  attachClient: { path: '/v1/clients/editor/attach' },
  moveClient: { path: '/v1/clients/editor/move', body: { dry_run: true } },
  detachClient: { path: '/v1/clients/editor/detach' },
  undoClient: { path: '/v1/clients/editor/undo' },
  importServers: { path: '/v1/config/import', body: {} },
  listCatalogEvents: { path: '/v1/catalog/events?after=nothing' },
  listServers: { path: '/v1/servers' },
  getServerLogs: { path: '/v1/servers/git/logs' },
  getConfig: { path: '/v1/config' },
  upsertServer: { path: '/v1/config/servers', body: { name: 'git', server: { command: 'node' } } },
  deleteServer: { path: '/v1/config/servers/web' },
  restartServer: { path: '/v1/config/servers/git/restart' },
  updateAlias: { path: '/v1/config/alias', body: { kind: 'tool', alias: 'show', target: 'git.log' } },
  mergePolicy: { path: '/v1/config/policy', body: { webhook: { url: 'https://u:p@h/', headers: { A: 'b' } } } },
  testPolicy: { path: '/v1/config/policy/test', body: { id: 'git.gated', profile: 'dev' } },
  previewPolicy: { path: '/v1/config/policy/preview', body: { pattern: 'git.*', since: '0' } },
  listPolicyRules: { path: '/v1/config/policy/rules' },
  listPolicyVerdicts: { path: '/v1/config/policy/verdicts' },
  listUnmatchedRules: { path: '/v1/config/policy/unmatched' },
  putProfile: { path: '/v1/config/profiles', body: { name: 'dev', servers: ['git'] } },
  deleteProfile: { path: '/v1/config/profiles/empty' },
  reloadConfig: { path: '/v1/config/reload' },
  createConsoleCode: { path: '/v1/console/codes' },
  openConsoleSession: { path: '/v1/console/sessions', body: { code: 'good' } },
  getAccess: { path: '/v1/access' },
  getHealth: { path: '/healthz' },
  getReadiness: { path: '/readyz' },
  getMetrics: { path: '/metrics' },
  getOpenApi: { path: '/v1/openapi.json' },
  openConsole: { path: '/' },
  openConsoleHome: { path: '/ui' },
  openConsoleFile: { path: '/ui/servers/git' },
};

describe('the route table', () => {
  it.each(routes.filter(({ operationId }) => !operationId.startsWith('stream')))(
    'is right about $method $path: it answers in the documented shape',
    async (route) => {
      const { send, post } = await startApi({ servers: { git, web, asks }, file });
      await post('/v1/tools/call', { capability_id: 'git.log', args: {}, idempotency_key: 'used/key' });
      await post('/v1/tools/call', { capability_id: 'git.gated', args: {} });
      await post('/v1/tools/call', { capability_id: 'git.gated', args: {}, idempotency_key: 'granted' });
      const grant = { ttl_secs: 60, uses: 1 };
      await post('/v1/approvals/appr-0-2/approve', { operator: 'me', grant });
      await post('/v1/sampling/create_message', { server_id: 'git', messages: [{}] }, { Prefer: 'respond-async' });
      const made = await post('/v1/tools/call', { capability_id: 'asks.ask', args: {} }, { Prefer: 'respond-async' });
      const task = made.headers.get('Location')?.split('/').at(-1) ?? '';
      const found = requests[route.operationId] ?? { path: 'missing in this test' };
      const { path, body, headers, status = 200 } = found;
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const answer = await send(path.replace(':task', task), {
        method: route.method.toUpperCase(),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { ...type, ...headers },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('Content-Type')?.split(';')[0]).toBe(route.mediaTypes?.[0] ?? 'application/json');
      expect(answer.headers.has('ETag')).toBe(route.conditional);
      const shape = status === 202 ? route.accepted : route.answer;
      if (shape !== undefined) expect(parseWith(shape, answer.body)).toMatchObject({ ok: true });
    },
  );

  it.each(routes.filter(({ takesProfile }) => takesProfile))(
    'is right that $method $path takes a profile, by query and by header, and the header wins',
    async ({ operationId, method }) => {
      const { send } = await start();
      const found = requests[operationId] ?? { path: '' };
      const { path, body, headers: own, status = 200 } = found;
      const statusOf = async (query: string, headers: Record<string, string> = {}) => {
        const init = body === undefined ? {} : { body: JSON.stringify(body) };
        const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
        return (
          await send(path + query, { method: method.toUpperCase(), ...init, headers: { ...type, ...own, ...headers } })
        ).status;
      };
      expect(await statusOf('?profile=dev')).toBe(status);
      expect(await statusOf('', { 'X-Service-Profile': 'dev' })).toBe(status);
      expect(await statusOf('?profile=nope')).toBe(404);
      expect(await statusOf('', { 'X-Service-Profile': 'nope' })).toBe(404);
      expect(await statusOf('?profile=nope', { 'X-Service-Profile': 'dev' })).toBe(status);
      expect(await statusOf('?profile=dev', { 'X-Service-Profile': 'nope' })).toBe(404);
      expect(await statusOf('?profile=')).toBe(404);
      expect(await statusOf('?profile=dev', { 'X-Service-Profile': '' })).toBe(404);
    },
  );
});

describe('lists', () => {
  it('of capabilities hold five fields an entry and how long they may be kept', async () => {
    const { get, plane } = await start();
    const { body, headers } = await get('/v1/capabilities');
    const version = plane.state().catalog.version;
    expect(body).toEqual({
      version: 'v1',
      catalog_version: version,
      ttl_ms: 300_000,
      cache_scope: 'public',
      capabilities: [
        { id: 'git.gated', summary: '', server: 'git', tool: 'gated', tags: ['git'] },
        { id: 'git.log', summary: 'Shows commits.', server: 'git', tool: 'log', tags: ['git', 'read-only'] },
        { id: 'ship', summary: 'Pushes.', server: 'git', tool: 'push', tags: ['git'] },
        { id: 'web.fetch', summary: '', server: 'web', tool: 'fetch', tags: ['web'] },
      ],
    });
    expect(headers.get('ETag')).toBe(`"${version}"`);
  });

  it('of resources and prompts hold their fields', async () => {
    const { get } = await start();
    expect((await get('/v1/resources')).body).toMatchObject({
      resources: [
        { id: 'git.file:///a', server: 'git', uri: 'file:///a', name: 'a', tags: ['git'], mime_type: 'text/plain' },
      ],
    });
    expect((await get('/v1/prompts')).body).toMatchObject({
      prompts: [{ id: 'git.review', server: 'git', name: 'review', arguments: [{ name: 'branch' }], tags: ['git'] }],
    });
  });

  it('narrow to a profile, with an ETag of its own', async () => {
    const { get } = await start();
    const { body, headers } = await get('/v1/capabilities?profile=other');
    expect(body).toMatchObject({ capabilities: [{ id: 'web.fetch' }] });
    expect(headers.get('ETag')).toMatch(/^"sha256:[0-9a-f]{64}-p:other:[0-9a-f]{16}"$/);
    expect((await get('/v1/capabilities?profile=empty')).body).toMatchObject({ capabilities: [] });
  });

  it.each([
    ['/v1/capabilities', 'TOOL_NOT_FOUND'],
    ['/v1/resources', 'RESOURCE_NOT_FOUND'],
    ['/v1/prompts', 'PROMPT_NOT_FOUND'],
  ])('%s of an unknown profile is 404 %s, for every version that the client has', async (path, code) => {
    const { get } = await start();
    const { status, body } = await get(`${path}?profile=nope`, { 'If-None-Match': '*' });
    expect([status, body]).toEqual([404, refusal(code, 'no profile "nope"')]);
  });

  it.each(['/v1/capabilities', '/v1/resources', '/v1/prompts', '/v1/capabilities/git.push'])(
    '%s is 304 with an empty body and the ETag for a client that has it already, with every form of the header',
    async (path) => {
      const { get } = await start();
      const etag = (await get(path)).headers.get('ETag') ?? '';
      for (const given of [etag, `W/${etag}`, etag.slice(1, -1), `"x", ${etag}`, '*']) {
        const { status, text, headers } = await get(path, { 'If-None-Match': given });
        expect([given, status, text, headers.get('ETag')]).toEqual([given, 304, '', etag]);
      }
      expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
    },
  );

  it('are not 304 for the ETag of another profile', async () => {
    const { get } = await start();
    const whole = (await get('/v1/capabilities')).headers.get('ETag') ?? '';
    expect((await get('/v1/capabilities?profile=dev', { 'If-None-Match': whole })).status).toBe(200);
  });

  it('change with the catalog', async () => {
    const { get, server, clock } = await start();
    const etag = (await get('/v1/capabilities')).headers.get('ETag') ?? '';
    server('web').change({ tools: [] });
    await clock.advance(0);
    const { status, body } = await get('/v1/capabilities', { 'If-None-Match': etag });
    expect([status, (body as { capabilities: unknown[] }).capabilities.length]).toEqual([200, 3]); // a list, as above
  });
});

describe('describe', () => {
  it('shows what an agent needs, by alias too', async () => {
    const { get } = await start();
    expect((await get('/v1/capabilities/ship')).body).toEqual({
      version: 'v1',
      capability: {
        id: 'ship',
        server: 'git',
        tool: 'push',
        description: 'Pushes. Needs a remote.',
        input_schema: { type: 'object', required: ['to'] },
        examples: [],
        tags: ['git'],
      },
    });
  });

  it.each([['git.nope'], ['nope'], ['git.fetch', 'did you mean "web.fetch"?'], ['search'], ['%E0%A4%A']])(
    'answers 404 for %s',
    async (id, hint?: string) => {
      const { get } = await start();
      const { status, body } = await get(`/v1/capabilities/${id}`, { 'If-None-Match': '*' });
      const error = { code: 'TOOL_NOT_FOUND', message: expect.stringMatching(/^no capability /), retryable: false };
      const expected = refusal('TOOL_NOT_FOUND', '', { error: hint === undefined ? error : { ...error, hint } });
      expect([status, body]).toEqual([404, expected]);
    },
  );

  it('answers 404 outside the profile', async () => {
    const { get } = await start();
    expect((await get('/v1/capabilities/git.log?profile=other')).status).toBe(404);
  });

  it.each([
    'a/b',
    'a%2Fb',
    '100%',
    '%25',
    'a b',
    'ä/ö',
    '日本',
    '😀',
    '..',
    '../x',
    'a?b#c',
    'a+b&c=d',
    'a;b',
    'a\nb',
    "'",
    '"',
    '\\',
  ])('finds the tool %j under its encoded id', async (name) => {
    const { get } = await startApi({ servers: { s: { definitions: { tools: [{ name, inputSchema }] } } } });
    const { status, body } = await get(`/v1/capabilities/${encodeURIComponent(`s.${name}`)}`);
    expect([status, body]).toMatchObject([200, { capability: { id: `s.${name}`, tool: name } }]);
  });

  it('finds a tool whose name has slashes under its plain path', async () => {
    const { get } = await startApi({ servers: { s: { definitions: { tools: [{ name: 'a/b/c', inputSchema }] } } } });
    expect((await get('/v1/capabilities/s.a/b/c')).status).toBe(200);
  });

  it('finds any tool under its encoded id', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
    const names = fc.sample(name, { numRuns: 200, seed: 7 });
    const tools = [...new Set(names)].map((own) => ({ name: own, inputSchema }));
    const { get } = await startApi({ servers: { s: { definitions: { tools } } } });
    for (const { name: own } of tools) {
      const { status } = await get(`/v1/capabilities/${encodeURIComponent(`s.${own}`)}`);
      expect([own, status]).toEqual([own, 200]);
    }
  });
});

describe('search', () => {
  it('finds, inside the profile only', async () => {
    const { post } = await start();
    const found = async (body: object, path = '/v1/capabilities/search') => (await post(path, body)).body;
    expect(await found({ query: 'pushes' })).toMatchObject({
      version: 'v1',
      capabilities: [{ id: 'ship', mode: 'write' }],
    });
    expect(await found({ server_ids: ['git'] }, '/v1/capabilities/search?profile=other')).toMatchObject({
      capabilities: [],
    });
  });

  it.each([
    [{ limit: 0 }, 'limit: expected >=1, got 0'],
    [{ modes: ['x'] }, 'modes[0]: expected ("read" | "write"), got "x"'],
    [{ tags: 'git' }, 'tags: expected Array, got string'],
  ])('refuses %j', async (body, message) => {
    const { post } = await start();
    const answer = await post('/v1/capabilities/search', body);
    expect([answer.status, answer.body]).toEqual([400, refusal('INVALID_ARGS', message)]);
  });
});

describe('executions', () => {
  const call = { capability_id: 'git.log', args: {} };

  it('answer with the envelope', async () => {
    const { post } = await start();
    expect((await post('/v1/tools/call', call)).body).toEqual({
      ok: true,
      request_id: null,
      trace_id: freshTraceId,
      retry: { classification: 'safe', upstream_execution_state: 'completed' },
      data: { content: [{ type: 'text', text: 'done' }] },
      error: null,
    });
  });

  it('take correlation from the body first, and from the headers what it leaves open', async () => {
    const { post } = await start();
    const headers = {
      'X-Request-ID': 'h-request',
      'X-Operation-ID': 'h-operation',
      'X-Work-Item-ID': 'h-item',
      'X-Actor-ID': 'h-actor',
      'X-Grant-ID': '',
    };
    const body = { ...call, request_id: 'b-request', context: { operation_id: 'b-operation', work_item_id: null } };
    expect((await post('/v1/tools/call', body, headers)).body).toMatchObject({
      request_id: 'b-request',
      context: { operation_id: 'b-operation', work_item_id: 'h-item', actor_id: 'h-actor' },
    });
    expect((await post('/v1/tools/call', { ...call, request_id: null }, headers)).body).toMatchObject({
      request_id: 'h-request',
      context: { operation_id: 'h-operation', work_item_id: 'h-item', actor_id: 'h-actor' },
    });
  });

  it('refuse a correlation header that is too long', async () => {
    const { post } = await start();
    const { status, body } = await post('/v1/tools/call', call, { 'X-Actor-ID': 'x'.repeat(1025) });
    expect([status, body]).toEqual([
      400,
      refusal('INVALID_ARGS', 'header X-Actor-ID is longer than 1024 characters (a fixed limit)'),
    ]);
  });

  it.each([
    ['recorded', '01', undefined, {}],
    ['not recorded', '00', undefined, {}],
    ['recorded, with what vendors add', '03', 'a=1, b@c=x y', { tracestate: 'a=1,b@c=x y' }],
    ['with members that are none', '01', 'nonsense,a=1,=2,B=3', { tracestate: 'a=1' }],
    ['with too much of them', '01', `a=${'x'.repeat(600)}`, {}],
  ])('continue a trace that is %s, and pass it upstream', async (_, flags, tracestate, passed) => {
    const { post, server } = await start();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` };
    const { body } = await post('/v1/tools/call', call, { ...headers, ...(tracestate && { tracestate }) });
    expect(body).toMatchObject({ trace_id: traceId });
    const traceparent = `00-${traceId}-${'c3'.repeat(8)}-0${Number(flags) & 1}`;
    expect(server('git').requests()[0]?.params._meta).toEqual({ traceparent, ...passed });
  });

  it('pass no tracestate on that came without a valid traceparent', async () => {
    const { post, server } = await start();
    await post('/v1/tools/call', call, { traceparent: 'nonsense', tracestate: 'a=1' });
    const traceparent = `00-${freshTraceId}-${'c3'.repeat(8)}-01`;
    expect(server('git').requests()[0]?.params._meta).toEqual({ traceparent });
  });

  it('keep arguments that are called like parts of JavaScript objects', async () => {
    const { post, server } = await start();
    await post('/v1/tools/call', '{"capability_id":"git.log","args":{"__proto__":{"a":1},"constructor":2}}');
    expect(JSON.stringify(server('git').requests()[0]?.params.arguments)).toBe('{"__proto__":{"a":1},"constructor":2}');
  });

  it('refuse an Idempotency-Key header that is no key, and contact nothing', async () => {
    const { post, server } = await start();
    const headers = { 'Idempotency-Key': 'k'.repeat(1025) };
    const { status, body } = await post('/v1/tools/call', { ...call, request_id: 'r' }, headers);
    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('INVALID_ARGS', 'header Idempotency-Key: an idempotency key has 1 to 1024 characters', {
        request_id: 'r',
      }),
    );
    expect(server('git').requests()).toEqual([]);
  });

  it.each([
    ['/v1/tools/call', { capability_id: 'git.nope', args: {} }, 404, 'TOOL_NOT_FOUND'],
    ['/v1/tools/call', { capability_id: 'ship', args: {} }, 400, 'INVALID_ARGS'],
    ['/v1/resources/read', { resource_id: 'git.x:y' }, 404, 'RESOURCE_NOT_FOUND'],
    ['/v1/prompts/get', { prompt_id: 'git.nope' }, 404, 'PROMPT_NOT_FOUND'],
    ['/v1/prompts/get', { prompt_id: 'git.review', arguments: { branch: 1 } }, 400, 'INVALID_ARGS'],
    [
      '/v1/completion/complete',
      { ref_type: 'prompt', ref_name: 'git.nope', argument_name: 'x' },
      404,
      'PROMPT_NOT_FOUND',
    ],
  ])('%s of %j is %i %s', async (path, body, status, code) => {
    const { post } = await start();
    expect(await post(path, body)).toMatchObject({ status, body: { ok: false, error: { code } } });
  });

  const failing = (error: Error) => () => {
    throw error;
  };

  it.each([
    [
      'an error of the upstream',
      failing(new UpstreamFailure('no', { kind: 'rejected', error: { code: -32603, message: 'no' } })),
      502,
      'UPSTREAM_ERROR',
    ],
    [
      'a lost connection',
      failing(new UpstreamFailure('gone', { kind: 'unreachable', sent: true })),
      502,
      'SERVER_UNREACHABLE',
    ],
    ['a defect', failing(new RangeError('boom')), 500, 'INTERNAL_ERROR'],
  ])('of %s are answered with the status of the code', async (_what, handle, status, code) => {
    const { post } = await startApi({ servers: { git: { definitions, handle } } });
    expect(await post('/v1/tools/call', call)).toMatchObject({ status, body: { ok: false, error: { code } } });
    expect(await post('/v1/completion/complete', requests.complete?.body)).toMatchObject({
      status,
      body: { ok: false, error: { code } },
    });
  });

  it('answer 503 with nothing sent while the circuit is open', async () => {
    const handle = failing(new UpstreamFailure('gone', { kind: 'unreachable', sent: true }));
    const { post, server } = await startApi({ servers: { git: { definitions, handle } } });
    for (let i = 0; i < 3; i++) await post('/v1/tools/call', call);
    const { status, body } = await post('/v1/tools/call', call);
    expect([status, body]).toEqual([
      503,
      refusal('CIRCUIT_OPEN', 'circuit for server "git" is open after 3 consecutive failures; retry in 30000 ms'),
    ]);
    expect(server('git').requests()).toHaveLength(3);
  });

  it('answer 504 at the deadline and 499 when the caller goes away', async () => {
    let onAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    const handle = () => {
      onAsked();
      return new Promise<never>(() => {});
    };
    const { post, send, clock, server } = await startApi({ servers: { git: { definitions, handle } } });
    const late = post('/v1/tools/call', call);
    await asked;
    await clock.advance(15_000);
    expect(await late).toMatchObject({ status: 504, body: { error: { code: 'UPSTREAM_TIMEOUT', retryable: true } } });

    const caller = new AbortController();
    const headers = { 'Content-Type': 'application/json' };
    const left = send('/v1/tools/call', {
      method: 'POST',
      body: JSON.stringify(call),
      headers,
      signal: caller.signal,
    });
    caller.abort();
    expect(await left).toMatchObject({ status: 499, body: { error: { code: 'OPERATION_CANCELLED' } } });
    expect(server('git').sessions()).toBe(1);
  });
});

describe('service routes', () => {
  it('report the status of the servers', async () => {
    const { get, server } = await startApi({
      servers: { git, dead: { onConnect: () => new Promise<never>(() => {}) } },
    });
    expect((await get('/readyz')).body).toEqual({ ok: true, servers: { git: 'connected', dead: 'connecting' } });
    expect((await get('/v1/servers')).body).toMatchObject({
      ok: true,
      servers: [
        { id: 'git', status: 'connected', tools: 3, resources: 1, prompts: 1 },
        { id: 'dead', status: 'connecting', protocol_version: null },
      ],
    });
    server('git').log('hello');
    expect((await get('/v1/servers/git/logs')).body).toEqual({
      ok: true,
      server: 'git',
      lines: [{ timestamp: '1970-01-01T00:00:00.000Z', text: 'hello' }],
    });
    const missing = await get('/v1/servers/nope/logs');
    expect([missing.status, missing.body]).toEqual([404, refusal('RESOURCE_NOT_FOUND', 'no server "nope"')]);
  });

  it('say that the process is up, and how the interface looks', async () => {
    const { get } = await startApi();
    expect((await get('/healthz')).text).toBe('{"ok":true}');
    expect((await get('/v1/openapi.json')).body).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
  });

  it('turn a defect into an envelope, and log it', async () => {
    const { app, get, log } = await startApi();
    app.get('/defect', () => {
      throw new RangeError('boom');
    });
    const { status, body } = await get('/defect');
    expect(status).toBe(500);
    expect(body).toMatchObject({ ok: false, error: { code: 'INTERNAL_ERROR', retryable: true } });
    expect(JSON.stringify(body)).not.toContain('boom');
    expect(log.at(-1)).toMatchObject(['error', 'a request failed from a defect', { trace_id: freshTraceId }]);
  });
});

it('what a child wrote before it failed is shown to operators alone', async () => {
  const shown = async (rbac: object | null) => {
    const { get, server, clock } = await startApi({ servers: { git }, file: { rbac } });
    server('git').log('Error: planted');
    server('git').drop('the process exited with code 1');
    await clock.advance(0);
    const { text } = await get('/v1/servers');
    return [text.includes('"last_error":"the process exited with code 1'), text.includes('planted')];
  };
  expect([await shown(null), await shown({ roles: { guest: {} }, defaultRole: 'guest' })]).toEqual([
    [true, true],
    [true, false],
  ]);
});
