// Tool calls, resource reads, prompts and completions: what is asked and what comes back.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from './support/client.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { fixture, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Description, Envelope } from './support/wire.js';

const brief = ({ status, body }: Reply<Envelope<unknown>>) => [status, body.error.code];

describe('execution', () => {
  let daemon: Daemon;
  let upstream: Scripted;

  beforeAll(async () => {
    upstream = scripted({
      tools: [
        tool('echo'),
        tool('tool_error'),
        tool('held'),
        tool('strict', {
          inputSchema: {
            type: 'object',
            properties: { list: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } } },
            required: ['list'],
            additionalProperties: false,
          },
        }),
        tool('uncheckable', { inputSchema: { type: 'object', properties: { a: { type: 'no such type' } } } }),
      ],
      resources: [{ uri: 'book://one', name: 'one' }],
      prompts: [{ name: 'greet' }],
    });
    daemon = await startDaemon({
      mcpServers: { s: upstream.server, raw: fixture() },
      resourceAliases: { item: 'raw.fixture://item/{id}' },
      promptAliases: { hello: 'raw.greet' },
    });
    await daemon.connected();
    upstream.release(); // without a name in its arguments it does not hold
  });

  const read = <D>(body: object, headers = {}) => daemon.post<Envelope<D>>('/v1/resources/read', body, headers);
  const prompt = <D>(body: object, headers = {}) => daemon.post<Envelope<D>>('/v1/prompts/get', body, headers);
  const call = (body: object, headers = {}) => daemon.post<Envelope>('/v1/tools/call', body, headers);

  const routes: readonly [string, string, object][] = [
    ['a call', '/v1/tools/call', { capability_id: 's.echo', args: {} }],
    ['a read', '/v1/resources/read', { resource_id: 's.book://one' }],
    ['a prompt', '/v1/prompts/get', { prompt_id: 's.greet' }],
  ];

  it('runs a tool and answers with an envelope [call-route]', async () => {
    const { status, headers, body } = await daemon.call('raw.echo', { text: 'hello' });
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(body).toMatchObject({ ok: true, data: { content: [{ type: 'text', text: 'hello' }] }, error: null });
  });

  it("answers with the upstream's whole result, unknown content and odd keys included [call-data-is-tool-result]", async () => {
    const { body } = await daemon.call<unknown>('raw.odd_result');
    expect(body.data).toEqual({
      zeta: 1,
      structuredContent: [1, 'two', null],
      content: [{ type: 'hologram', body: {} }],
      alpha: { constructor: 'kept' },
      _meta: null,
    });
    expect(Object.keys(body.data as object)).toEqual(['zeta', 'structuredContent', 'content', 'alpha', '_meta']);
  });

  it('takes a result that is an error of the tool for a completed call [call-tool-error-is-200]', async () => {
    const { status, body } = await daemon.call<unknown>('s.tool_error');
    expect([status, body.ok, body.data]).toEqual([
      200,
      true,
      { content: [{ type: 'text', text: 'it did not work' }], isError: true },
    ]);
  });

  it.each([
    ['capability_id', { args: {} }],
    ['capability_id', { capability_id: 1, args: {} }],
    ['args', { capability_id: 's.echo' }],
    ['args', { capability_id: 's.echo', args: null }],
    ['args', { capability_id: 's.echo', args: 'x' }],
  ])('of a tool needs %s: %j [call-required-fields]', async (path, request) => {
    const answer = await call(request);
    expect(brief(answer)).toEqual([400, 'INVALID_ARGS']);
    expect(answer.body.error.message).toMatch(new RegExp(`^${path}: `));
  });

  it.each([
    ['[call-optional-fields] [call-context-fields]', ...routes[0]!],
    ['[read-request-fields]', ...routes[1]!],
    ['[prompt-request-fields]', ...routes[2]!],
  ])('takes optional fields as their type or null, and nothing else: %s %s', async (_, __, path, body) => {
    const names = ['operation_id', 'work_item_id', 'actor_id', 'grant_id'];
    const nulls = {
      request_id: null,
      idempotency_key: null,
      input_responses: null,
      request_state: null,
      context: Object.fromEntries(names.map((name) => [name, null])),
    };
    const texts = {
      request_id: 'r',
      idempotency_key: `key of ${path}`,
      context: Object.fromEntries(names.map((name) => [name, name])),
    };
    expect((await daemon.post(path, { ...body, ...nulls })).status).toBe(200);
    const given = await daemon.post<Envelope>(path, { ...body, ...texts });
    expect([given.status, given.body.context]).toEqual([200, texts.context]);
    for (const [field, wrong] of Object.entries({
      request_id: { request_id: 1 },
      context: { context: 'x' },
      idempotency_key: { idempotency_key: 1 },
      request_state: { request_state: {} },
      input_responses: { input_responses: [] },
      'context.grant_id': { context: { grant_id: 7 } },
    })) {
      const answer = await daemon.post<Envelope>(path, { ...body, ...wrong });
      expect([field, ...brief(answer)]).toEqual([field, 400, 'INVALID_ARGS']);
      expect(answer.body.error.message).toContain(`${field}: `);
    }
  });

  it.each(routes)('refuses a state that was not issued: %s [call-state-refused]', async (_, path, body) => {
    const before = upstream.received().length;
    const given = [
      { request_state: 's' },
      { input_responses: {} },
      { request_state: 's', input_responses: { q1: {} } },
    ];
    const answers = await Promise.all(given.map((turn) => daemon.post<Envelope>(path, { ...body, ...turn })));
    for (const answer of answers) {
      expect(brief(answer)).toEqual([400, 'INVALID_ARGS']);
      expect(answer.body.error.message).toMatch(/^request_state: /);
    }
    expect(upstream.received()).toHaveLength(before);
  });

  it("checks arguments against the tool's schema before the upstream is contacted [call-args-validated]", async () => {
    const before = upstream.received('tools/call').length;
    const wrong = [{ list: [{ n: 1 }, { n: 'two' }] }, {}, { list: [], more: 1 }];
    const answers = await Promise.all(wrong.map((args) => daemon.call('s.strict', args)));
    expect(answers.map((answer) => [...brief(answer), answer.body.error.message])).toEqual([
      [400, 'INVALID_ARGS', 'args.list[1].n: must be integer'],
      [400, 'INVALID_ARGS', 'args.list: is required'],
      [400, 'INVALID_ARGS', 'args.more: is not an argument of this tool'],
    ]);
    expect(upstream.received('tools/call')).toHaveLength(before);
    expect((await daemon.call('s.strict', { list: [{ n: 1 }] })).status).toBe(200);
  });

  it('calls a tool unchecked whose schema cannot be compiled, and warns [call-schema-uncheckable]', async () => {
    expect((await daemon.call('s.uncheckable', { a: 1 })).status).toBe(200);
    const warning = { level: 'warn', reason: expect.stringContaining('input schema is not checked') };
    await eventually(() => expect(daemon.log()).toContainEqual(expect.objectContaining(warning)));
  });

  it('reads a resource as the upstream gives it [read-route] [read-data]', async () => {
    const { status, body } = await read({ resource_id: 'raw.fixture://binary' });
    expect([status, body.ok, body.data]).toEqual([
      200,
      true,
      { contents: [{ uri: 'fixture://binary', mimeType: 'application/octet-stream', blob: 'AAECAw==' }] },
    ]);
  });

  it('gets a prompt as the upstream gives it [prompt-route] [prompt-data]', async () => {
    const { status, body } = await prompt({ prompt_id: 'raw.greet', arguments: { name: 'Ada' } });
    expect([status, body.ok, body.data]).toEqual([
      200,
      true,
      {
        description: 'A greeting',
        messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }],
      },
    ]);
  });

  it('needs the id of a resource or prompt, and takes prompt arguments as an object or null [read-request-fields] [prompt-request-fields]', async () => {
    const refused = await Promise.all([
      read({}),
      read({ resource_id: 1 }),
      prompt({}),
      prompt({ prompt_id: [] }),
      prompt({ prompt_id: 's.greet', arguments: 'x' }),
      prompt({ prompt_id: 'raw.greet', arguments: null }),
    ]);
    expect(refused.map((answer) => [answer.status, answer.body.error.message.split(':')[0]])).toEqual([
      [400, 'resource_id'],
      [400, 'resource_id'],
      [400, 'prompt_id'],
      [400, 'prompt_id'],
      [400, 'arguments'],
      [400, 'arguments.name'], // `raw.greet` requires it
    ]);
    expect((await prompt({ prompt_id: 's.greet', arguments: null })).status).toBe(200);
  });

  describe('correlation', () => {
    const headers = {
      'x-request-id': 'header-request',
      'x-operation-id': 'header-operation',
      'x-work-item-id': 'header-item',
      'x-actor-id': 'header-actor',
      'x-grant-id': 'header-grant',
    };

    it.each(routes)(
      'of %s comes from the headers where the body has none [correlation-request-id-header] [correlation-context-headers]',
      async (_, path, body) => {
        const answer = await daemon.post<Envelope>(path, body, headers);
        expect([answer.body.request_id, answer.body.context]).toEqual([
          'header-request',
          {
            operation_id: 'header-operation',
            work_item_id: 'header-item',
            actor_id: 'header-actor',
            grant_id: 'header-grant',
          },
        ]);
      },
    );

    it.each(routes)(
      'of %s comes from the body first, field by field [correlation-body-wins]',
      async (_, path, body) => {
        const own = { request_id: 'body-request', context: { actor_id: 'body-actor', grant_id: null } };
        const answer = await daemon.post<Envelope>(path, { ...body, ...own }, headers);
        expect([answer.body.request_id, answer.body.context]).toEqual([
          'body-request',
          {
            operation_id: 'header-operation',
            work_item_id: 'header-item',
            actor_id: 'body-actor',
            grant_id: 'header-grant',
          },
        ]);
      },
    );
  });

  describe('completion', () => {
    const complete = (body: object) => daemon.post<Envelope<unknown>>('/v1/completion/complete', body);

    it('asks the upstream [completion-route] [completion-response] [completion-data-shape]', async () => {
      const { status, body } = await complete({
        ref_type: 'prompt',
        ref_name: 'raw.greet',
        argument_name: 'name',
        argument_value: 'a',
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        ok: true,
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        data: { values: ['alpha'], total: 1, has_more: false },
      });
    });

    it.each([
      ['ref_type', { ref_name: 'raw.greet', argument_name: 'name' }],
      ['ref_type', { ref_type: 'tool', ref_name: 'raw.greet', argument_name: 'name' }],
      ['ref_name', { ref_type: 'prompt', argument_name: 'name' }],
      ['argument_name', { ref_type: 'prompt', ref_name: 'raw.greet' }],
      ['argument_value', { ref_type: 'prompt', ref_name: 'raw.greet', argument_name: 'name', argument_value: 1 }],
    ])('needs %s: %j [completion-request-fields]', async (path, request) => {
      const answer = await complete(request);
      expect(brief(answer)).toEqual([400, 'INVALID_ARGS']);
      expect(answer.body.error.message).toMatch(new RegExp(`^${path}: `));
    });

    it.each([
      ['prompt', 'raw.greet'],
      ['prompt', 'hello'],
      ['resource', 'raw.fixture://text'],
      ['resource', 'raw.fixture://item/{id}'],
      ['resource', 'item'],
    ])(
      'takes the %s %s, without a value too [completion-ref-name] [completion-request-fields]',
      async (ref_type, ref_name) => {
        const { status, body } = await complete({ ref_type, ref_name, argument_name: 'id' });
        expect([status, body.data]).toEqual([200, { values: ['alpha', 'beta', 'gamma'], total: 3, has_more: false }]);
      },
    );
  });

  it('accepts string or null wherever the interface says so, absent too [overview-nullable-request-fields]', async () => {
    const nulls = { request_id: null, idempotency_key: null, request_state: null };
    const answers = await Promise.all([
      ...routes.flatMap(([, path, body]) => [daemon.post(path, body), daemon.post(path, { ...body, ...nulls })]),
      daemon.search({ query: null }),
      daemon.search({}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it('takes every listed id for its description and its call, each naming one tool [overview-index-first] [overview-capability-is-tool]', async () => {
    for (const { id, server, tool: name } of (await daemon.list('capabilities')).body.capabilities) {
      const { status, body } = await daemon.get<Description>(`/v1/capabilities/${id}`);
      expect([status, body.capability.id, body.capability.server, body.capability.tool]).toEqual([
        200,
        id,
        server,
        name,
      ]);
      expect(id).toBe(`${server}.${name}`);
    }
    const others = (await daemon.ids('capabilities')).filter((id) => id.startsWith('raw.'));
    for (const id of others.filter((one) => one !== 'raw.crash' && one !== 'raw.drop')) {
      expect([id, (await daemon.call(id)).body.error?.code]).not.toEqual([id, 'TOOL_NOT_FOUND']);
    }
    for (const id of (await daemon.ids('capabilities')).filter((one) => one.startsWith('s.'))) {
      const { status, body } = await daemon.call(id, id === 's.strict' ? { list: [] } : {});
      expect([id, status, body.ok]).toEqual([id, 200, true]);
      expect(upstream.received('tools/call').at(-1)?.params.name).toBe(id.slice(2));
    }
  });

  it('shows several servers in one catalog, listed and used through JSON routes under /v1 [overview-several-upstreams] [overview-json-facade] [overview-json-bodies]', async () => {
    const lists = await Promise.all(
      (['capabilities', 'resources', 'prompts'] as const).map((name) => daemon.list(name)),
    );
    const servers = [lists[0]!.body.capabilities, lists[1]!.body.resources, lists[2]!.body.prompts].map(
      (items) => new Set(items.map(({ server }) => server)),
    );
    expect(servers).toEqual([new Set(['raw', 's']), new Set(['raw', 's']), new Set(['raw', 's'])]);
    const used = await Promise.all([
      daemon.call('raw.null_call'),
      daemon.call('s.echo'),
      read({ resource_id: 'raw.fixture://text' }),
      read({ resource_id: 's.book://one' }),
      prompt({ prompt_id: 'raw.plain' }),
      prompt({ prompt_id: 's.greet' }),
      daemon.get('/v1/capabilities/s.echo'),
      daemon.search({}),
      daemon.get('/v1/servers'),
      daemon.get('/v1/servers/s/logs'),
      daemon.get('/v1/openapi.json'),
    ]);
    const all = [...lists, ...used];
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(all.map(({ headers }) => headers['content-type'])).toEqual(all.map(() => 'application/json'));
  });

  it('keeps one session per server: many calls, one handshake, one process [overview-session-reused]', async () => {
    await daemon.call('s.echo');
    await daemon.call('s.echo');
    expect(upstream.received('initialize')).toHaveLength(1);
    expect(new Set(upstream.received().map(({ pid }) => pid)).size).toBe(1);
  });

  it('runs calls to one server at the same time: ten are there before one of them is answered [call-concurrent]', async () => {
    const running = Array.from({ length: 10 }, () => daemon.call('s.held', { by: 'ten' }));
    await eventually(() => expect(upstream.received('tools/call').at(-1)?.inFlight).toBe(10));
    upstream.release('ten');
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  });
});
