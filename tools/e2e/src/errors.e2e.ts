// Errors: the code, status and wording of each, always as an ErrorEnvelope.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from './support/client.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { dead as missing, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const codes = [
  'TOOL_NOT_FOUND',
  'RESOURCE_NOT_FOUND',
  'PROMPT_NOT_FOUND',
  'INVALID_ARGS',
  'POLICY_DENIED',
  'APPROVAL_PENDING',
  'APPROVAL_TIMEOUT',
  'APPROVAL_REJECTED',
  'CIRCUIT_OPEN',
  'SERVER_UNREACHABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_ERROR',
  'OPERATION_CANCELLED',
  'INTERNAL_ERROR',
];

const defectTraceId = 'de'.repeat(16);

const brief = ({ status, body }: Reply<Envelope<unknown>>) => [status, body.error.code, body.error.retryable];

/** Tried again for the whole file, and not given up. */
const dead = { ...missing, resilience: { maxRestarts: 1000 } };
/** A circuit that is open stays so for the whole file. */
const open = { ...missing, resilience: { failureThreshold: 1, cooldownMs: 600_000, maxRestarts: 1000 } };

describe('an error', () => {
  let daemon: Daemon;
  let upstream: Scripted;
  /** Gives calls little time, so it is asked only for what is never answered. */
  let hasty: Daemon;

  beforeAll(async () => {
    upstream = scripted({
      tools: [
        ...['echo', 'fail', 'never', 'crash'].map((name) => tool(name)),
        tool('strict', { inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }),
      ],
      resources: [{ uri: 'book://one', name: 'one' }],
      prompts: [{ name: 'greet' }],
    });
    daemon = await startDaemonProcess({ mcpServers: { s: upstream.server, dead, open } }, { defectTraceId });
    hasty = await startDaemon({ toolTimeoutMs: 600, mcpServers: { s: scripted({ tools: [tool('never')] }).server } });
    await daemon.connected('s');
    await hasty.connected();
    await eventually(async () => {
      expect([(await daemon.server('dead')).status, (await daemon.server('open')).status]).toEqual([
        'degraded',
        'degraded',
      ]);
    });
    await daemon.call('open.tool');
  });

  const read = (id: string) => daemon.post<Envelope>('/v1/resources/read', { resource_id: id });
  const prompt = (id: string) => daemon.post<Envelope>('/v1/prompts/get', { prompt_id: id });
  const raw = (body: string, headers = {}) => daemon.post<Envelope>('/v1/tools/call', body, headers);

  const provokeDefect = () =>
    daemon.post<Envelope>(
      '/v1/tools/call',
      { capability_id: 's.echo', args: {} },
      { traceparent: `00-${defectTraceId}-00f067aa0ba902b7-01` },
    );

  it.each(['s.none', 'none.tool', 'none', '.', 's.'])(
    'says TOOL_NOT_FOUND to %s [error-tool-not-found]',
    async (id) => {
      expect(brief(await daemon.call(id))).toEqual([404, 'TOOL_NOT_FOUND', false]);
    },
  );

  it.each(['s.book://none', 'none.book://one', 'none'])(
    'says RESOURCE_NOT_FOUND to %s [error-resource-not-found]',
    async (id) => {
      expect(brief(await read(id))).toEqual([404, 'RESOURCE_NOT_FOUND', false]);
    },
  );

  it.each(['s.none', 'none.greet', 'none'])('says PROMPT_NOT_FOUND to %s [error-prompt-not-found]', async (id) => {
    expect(brief(await prompt(id))).toEqual([404, 'PROMPT_NOT_FOUND', false]);
  });

  it.each([
    [{}, 'capability_id'],
    [{ capability_id: 's.echo' }, 'args'],
    [{ capability_id: 7, args: {} }, 'capability_id'],
    [{ capability_id: 's.echo', args: [] }, 'args'],
    [{ capability_id: 's.echo', args: {}, context: { actor_id: 1 } }, 'context.actor_id'],
    [{ capability_id: 's.strict', args: { n: 'one' } }, 'args.n'],
    [{ capability_id: 's.strict', args: {} }, 'args.n'],
  ])('says INVALID_ARGS to %j and names %s [error-invalid-args] [error-path-named]', async (body, path) => {
    const answer = await daemon.post<Envelope>('/v1/tools/call', body);
    expect(brief(answer)).toEqual([400, 'INVALID_ARGS', false]);
    expect(answer.body.error.message).toContain(`${path}: `);
  });

  it.each(['', '{', 'null', '[]', 'plain text'])('says INVALID_ARGS to the body %j [error-not-json]', async (body) => {
    expect(brief(await raw(body))).toEqual([400, 'INVALID_ARGS', false]);
  });

  it('says CIRCUIT_OPEN with the time left, and contacts no server [error-circuit-open] [error-circuit-open-retry] [error-circuit-open-message]', async () => {
    const answer = await daemon.call('open.tool');
    expect(brief(answer)).toEqual([503, 'CIRCUIT_OPEN', false]);
    expect(answer.body.retry).toEqual({ classification: 'safe', upstream_execution_state: 'not_started' });
    expect(answer.body.error.message).toMatch(
      /^circuit for server "open" is open after 1 consecutive failures; retry in \d+ ms$/,
    );
  });

  it('says SERVER_UNREACHABLE of a server that is not there or went away [error-server-unreachable]', async () => {
    const unreachable = await daemon.call('dead.tool');
    expect(brief(unreachable)).toEqual([502, 'SERVER_UNREACHABLE', true]);
    expect(unreachable.body.error.message).toBe(
      `server "dead" is degraded: cannot start "${missing.command}": command not found`,
    );
    expect(brief(await daemon.call('s.crash'))).toEqual([502, 'SERVER_UNREACHABLE', true]);
    await daemon.connected('s');
  });

  it('says UPSTREAM_TIMEOUT and UPSTREAM_ERROR of what the server does [error-upstream-timeout] [error-upstream-error]', async () => {
    const [late, refused] = await Promise.all([hasty.call('s.never'), daemon.call('s.fail')]);
    expect(brief(late)).toEqual([504, 'UPSTREAM_TIMEOUT', true]);
    expect(late.body.error.message).toBe('server "s" did not answer within 600 ms (toolTimeoutMs)');
    expect(brief(refused)).toEqual([502, 'UPSTREAM_ERROR', false]);
    expect(refused.body.error.message).toBe('server "s" answered with error -32000: failed on purpose');
  });

  it('says INTERNAL_ERROR for an unexpected failure, and the log has it under the trace [error-internal]', async () => {
    const answer = await provokeDefect();
    expect(brief(answer)).toEqual([500, 'INTERNAL_ERROR', true]);
    expect(answer.body.retry).toEqual({ classification: 'unsafe', upstream_execution_state: 'unknown' });
    expect(answer.body.error.message).toContain(answer.body.trace_id);
    const logged = { level: 'error', trace_id: answer.body.trace_id, error: expect.any(Object) };
    await eventually(() => expect(daemon.log()).toContainEqual(expect.objectContaining(logged)));
    expect((await daemon.call('s.echo')).status).toBe(200);
  });

  it('says RESOURCE_NOT_FOUND of a route or a server that does not exist [error-unknown-route] [error-unknown-server]', async () => {
    const paths = ['/v1/nothing', '/v1', '/nothing', '/v1/servers/none/logs', '/v1/servers/none'];
    const answers = await Promise.all(paths.map((path) => daemon.get<Envelope>(path)));
    expect(answers.map(brief)).toEqual(paths.map(() => [404, 'RESOURCE_NOT_FOUND', false]));
  });

  it.each(['a b', 'evil/x', '[::1'])(
    'is an envelope even to the Host %j, which names nothing [error-always-envelope]',
    async (host) => {
      const answer = await daemon.get<Envelope>('/v1/capabilities', { host });
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.body).toMatchObject({ ok: false, data: null, error: { code: expect.any(String) } });
    },
  );

  it.each([
    ['DELETE', '/v1/capabilities', 'GET, HEAD'],
    ['GET', '/v1/tools/call', 'POST'],
    ['PUT', '/v1/resources/read', 'POST'],
  ])('says 405 to %s %s, with what is allowed [error-wrong-method]', async (method, path, allow) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await daemon.send<Envelope>(path, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) });
    expect(brief(answer)).toEqual([405, 'INVALID_ARGS', false]);
    expect(answer.headers.allow).toBe(allow);
  });

  it('says 413 to a body over 4 MiB, whether or not it gives its length [error-body-too-large]', async () => {
    const body = ' '.repeat(4 * 1024 * 1024 + 1);
    // fetch reads while it writes: an answer to the length alone comes before the body is through.
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${daemon.url}/v1/tools/call`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toMatchObject([413, { ok: false, error: { code: 'INVALID_ARGS' } }]);
    expect(brief(await raw(body, { 'transfer-encoding': 'chunked' }))).toEqual([413, 'INVALID_ARGS', false]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', ''])(
    'says 415 to a write of type %j [error-content-type]',
    async (type) => {
      const answers = await Promise.all(
        ['/v1/tools/call', '/v1/resources/read', '/v1/prompts/get', '/v1/capabilities/search'].map((path) =>
          daemon.post<Envelope>(path, {}, { 'content-type': type }),
        ),
      );
      expect(answers.map(brief)).toEqual(answers.map(() => [415, 'INVALID_ARGS', false]));
    },
  );

  it('has one of 14 codes, a retryable that follows from it, and an envelope around it, on every route [error-always-envelope] [envelope-error-code-known] [error-retryable-true] [error-retryable-false]', async () => {
    const answers = await Promise.all([
      daemon.get<Envelope>('/v1/capabilities/none'),
      daemon.get<Envelope>('/v1/resources?profile=none'),
      daemon.get<Envelope>('/v1/prompts?profile=none'),
      daemon.get<Envelope>('/v1/nothing'),
      daemon.get<Envelope>('/v1/servers/none/logs'),
      daemon.get<Envelope>('/v1/capabilities', { host: 'evil.example' }),
      daemon.post<Envelope>('/v1/capabilities/search', { limit: 0 }),
      daemon.post<Envelope>('/v1/completion/complete', {}),
      daemon.post<Envelope>('/v1/openapi.json', {}),
      raw('{'),
      read('s.none'),
      prompt('s.none'),
      daemon.call('s.none'),
      daemon.call('open.tool'),
      daemon.call('s.fail'),
      hasty.call('s.never'),
      provokeDefect(),
    ]);
    answers.push(await daemon.call('dead.tool'));
    for (const { headers, body } of answers) {
      expect(headers['content-type']).toBe('application/json');
      expect(body).toEqual({
        ok: false,
        request_id: null,
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        retry: { classification: expect.any(String), upstream_execution_state: expect.any(String) },
        data: null,
        error: {
          code: expect.any(String),
          message: expect.any(String),
          retryable: expect.any(Boolean),
          ...(body.error.code === 'UPSTREAM_ERROR' ? { rpc_error: expect.objectContaining({ code: -32000 }) } : {}),
        },
      });
      expect(codes).toContain(body.error.code);
    }
    const retryable = (value: boolean) =>
      [
        ...new Set(answers.filter(({ body }) => body.error.retryable === value).map(({ body }) => body.error.code)),
      ].sort();
    expect(retryable(true)).toEqual(['INTERNAL_ERROR', 'SERVER_UNREACHABLE', 'UPSTREAM_TIMEOUT']);
    expect(retryable(false)).toEqual([
      'CIRCUIT_OPEN',
      'INVALID_ARGS',
      'POLICY_DENIED',
      'PROMPT_NOT_FOUND',
      'RESOURCE_NOT_FOUND',
      'TOOL_NOT_FOUND',
      'UPSTREAM_ERROR',
    ]);
  });
});

describe('a failed', () => {
  let daemon: Daemon;
  let hasty: Daemon;

  beforeAll(async () => {
    const definitions = {
      tools: ['never', 'fail', 'echo'].map((name) => tool(name)),
      resources: ['never', 'fail'].map((name) => ({ uri: `book://x/${name}`, name })),
      prompts: ['never', 'fail'].map((name) => ({ name, arguments: [] })),
    };
    daemon = await startDaemon({ mcpServers: { s: scripted(definitions).server, dead, open } });
    hasty = await startDaemon({ toolTimeoutMs: 400, mcpServers: { s: scripted(definitions).server } });
    await daemon.connected('s');
    await hasty.connected();
    await eventually(async () => {
      expect([(await daemon.server('dead')).status, (await daemon.server('open')).status]).toEqual([
        'degraded',
        'degraded',
      ]);
    });
    await daemon.call('open.x');
  });

  it.each([
    { what: 'call', ids: '[call-error-statuses]', path: '/v1/tools/call', key: 'capability_id', prefix: '' },
    { what: 'read', ids: '[read-error-statuses]', path: '/v1/resources/read', key: 'resource_id', prefix: 'book://x/' },
    { what: 'prompt get', ids: '[prompt-error-statuses]', path: '/v1/prompts/get', key: 'prompt_id', prefix: '' },
  ])('$what answers with the status of its code [call-circuit-open-503] $ids', async ({ path, key, prefix }) => {
    const body = (id: string) => ({ [key]: id, ...(key === 'capability_id' ? { args: {} } : {}) });
    const noun = { capability_id: 'TOOL', resource_id: 'RESOURCE', prompt_id: 'PROMPT' }[key];
    const ask = (id: string, headers = {}) => daemon.post<Envelope>(path, body(id), headers);
    const answers = [
      await daemon.post<Envelope>(path, {}),
      await ask(`s.${prefix}fail`, { host: 'evil.example' }),
      await ask(`s.${prefix}none`),
      await ask(`s.${prefix}fail`),
      await ask(`dead.${prefix}x`),
      await ask(`open.${prefix}x`),
      await hasty.post<Envelope>(path, body(`s.${prefix}never`)),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [400, 'INVALID_ARGS'],
      [403, 'POLICY_DENIED'],
      [404, `${noun}_NOT_FOUND`],
      [502, 'UPSTREAM_ERROR'],
      [502, 'SERVER_UNREACHABLE'],
      [503, 'CIRCUIT_OPEN'],
      [504, 'UPSTREAM_TIMEOUT'],
    ]);
    expect(answers.map(({ body: { ok, data } }) => [ok, data])).toEqual(answers.map(() => [false, null]));
  });
});
