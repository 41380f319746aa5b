// Sampling over HTTP: statuses, bodies and what is refused, by requests that need no socket.
import { createControlPlane, createMemoryStores } from '@portico/control-plane';
import { createManualClock, createMemoryConnector } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { configOf, driveApi, freshTraceId, randomHex, refusal } from './testing/drive-api.js';

const messages = [{ role: 'user', content: { type: 'text', text: 'how many?' } }];
const content = { type: 'text', text: '4' };
const later = { Prefer: 'respond-async' };

async function start() {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: {}, t: {} });
  const plane = createControlPlane(
    { connector, clock, randomHex, log: () => {}, ...createMemoryStores(clock), notifyApproval: () => {} },
    configOf(['s', 't'], { toolTimeoutMs: 1000, profiles: { p: { servers: ['t'] } } }),
  );
  plane.start();
  await clock.advance(0);
  const api = driveApi(plane);
  const create = (body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    api.post('/v1/sampling/create_message', { server_id: 's', messages, ...body }, headers);
  const respond = (body: object, id = 'samp-0-1') => api.post(`/v1/sampling/requests/${id}/respond`, body);
  return { ...api, clock, create, respond };
}

const ticket = {
  id: 'samp-0-1',
  server_id: 's',
  messages,
  max_tokens: null,
  status: 'pending',
  created_at: 0,
  expires_at: 300,
  origin: 'http',
};

describe('POST /v1/sampling/create_message', () => {
  it('answers with the message that a person gives in time', async () => {
    const { create, respond, clock } = await start();
    const created = create({ max_tokens: 5 });
    await clock.advance(0);
    await respond({ role: 'assistant', content, model: 'm', stop_reason: 'endTurn' });
    const { status, body } = await created;
    const data = { role: 'assistant', content, model: 'm', stopReason: 'endTurn' };
    expect([status, body]).toEqual([200, { ok: true, trace_id: freshTraceId, data }]);
  });

  it('is accepted for later at once where that is preferred, else after toolTimeoutMs', async () => {
    const { create, clock } = await start();
    const accepted = (ticket_id: string) => ({
      ok: true,
      trace_id: freshTraceId,
      data: { ticket_id, status: 'pending' },
    });
    const first = await create({}, { Prefer: 'wait=10, Respond-Async' });
    expect([first.status, first.headers.get('Location'), first.body]).toEqual([
      202,
      '/v1/sampling/requests/samp-0-1',
      accepted('samp-0-1'),
    ]);
    const second = create();
    await clock.advance(1000);
    expect([(await second).status, (await second).body]).toEqual([202, accepted('samp-0-2')]);
  });

  it.each([
    ['no server', { server_id: undefined }, 'server_id: is required'],
    ['no messages', { messages: undefined }, 'messages: is required'],
    ['an empty list of messages', { messages: [] }, 'messages: needs at least one message'],
    ['messages that are no objects', { messages: ['hi'] }, 'messages[0]: expected an object'],
    ['no whole number of tokens', { max_tokens: 1.5 }, 'max_tokens: expected integer, got 1.5'],
  ])('refuses a body with %s', async (_what, body, message) => {
    const { create } = await start();
    const answer = await create(body);
    expect([answer.status, answer.body]).toEqual([400, refusal('INVALID_ARGS', message)]);
  });

  it.each([
    ['that is not configured', { server_id: 'x' }, {}, 'no server "x"'],
    ['outside the profile', {}, { 'X-Service-Profile': 'p' }, 'no server "s"'],
    ['of an unknown profile', {}, { 'X-Service-Profile': 'q' }, 'no profile "q"'],
  ])('knows no server %s', async (_what, body, headers, message) => {
    const { create, get } = await start();
    const answer = await create(body, headers);
    expect([answer.status, answer.body]).toEqual([404, refusal('RESOURCE_NOT_FOUND', message)]);
    expect((await get('/v1/sampling/requests')).body).toEqual({ ok: true, requests: [], total: 0 });
  });
});

describe('GET /v1/sampling/requests', () => {
  it('lists tickets by status and server, a page at a time', async () => {
    const { create, respond, get } = await start();
    await create({}, later);
    await create({ server_id: 't' }, { ...later, 'X-Service-Profile': 'p' });
    await respond({ role: 'assistant', content: 'four' }, 'samp-0-2');
    const ids = async (query: string) => {
      const { body } = await get(`/v1/sampling/requests${query}`);
      const { requests, total } = body as { requests: { id: string }[]; total: number };
      return [requests.map(({ id }) => id), total];
    };
    expect((await get('/v1/sampling/requests?status=pending')).body).toEqual({
      ok: true,
      requests: [ticket],
      total: 1,
    });
    expect(await ids('')).toEqual([['samp-0-2', 'samp-0-1'], 2]);
    expect(await ids('?limit=1&offset=1')).toEqual([['samp-0-1'], 2]);
    expect(await ids('?server_id=t&status=completed')).toEqual([['samp-0-2'], 1]);
  });

  it.each([
    ['status=open', 'query status: expected one of pending, completed, expired'],
    ['server_id=', 'query server_id: is empty; leave it out to see all'],
    ['limit=0', 'query limit: expected an integer from 1 to 1000'],
  ])('refuses ?%s', async (query, message) => {
    const { get } = await start();
    const { status, body } = await get(`/v1/sampling/requests?${query}`);
    expect([status, body]).toEqual([400, refusal('INVALID_ARGS', message)]);
  });
});

describe('one sampling ticket', () => {
  it('is shown, answered once, and then shown with its result', async () => {
    const { create, respond, get } = await start();
    await create({}, later);
    expect((await get('/v1/sampling/requests/samp-0-1')).body).toEqual({ ok: true, request: ticket });
    const answered = await respond({ result: { role: 'assistant', content: 'four', stopReason: 'maxTokens' } });
    const result = {
      role: 'assistant',
      content: { type: 'text', text: 'four' },
      model: 'human',
      stopReason: 'maxTokens',
    };
    const request = { ...ticket, status: 'completed', result };
    expect([answered.status, answered.body]).toEqual([200, { ok: true, request }]);
    expect((await get('/v1/sampling/requests/samp-0-1')).body).toEqual({ ok: true, request });
    const again = await respond({ role: 'assistant', content });
    const message = 'no pending sampling request "samp-0-1"';
    expect([again.status, again.body]).toEqual([404, refusal('RESOURCE_NOT_FOUND', message)]);
  });

  it('is not found where it is not', async () => {
    const { respond, get } = await start();
    const missing = await get('/v1/sampling/requests/samp-0-7');
    expect([missing.status, missing.body]).toEqual([
      404,
      refusal('RESOURCE_NOT_FOUND', 'no sampling request "samp-0-7"'),
    ]);
    expect((await respond({ role: 'assistant', content }, 'samp-0-7')).status).toBe(404);
  });

  it.each([
    ['no role', { content }, 'role: is required'],
    [
      'a role that MCP does not have',
      { role: 'system', content },
      'role: expected ("user" | "assistant"), got "system"',
    ],
    [
      'content that is none',
      { role: 'user', content: 4 },
      'content: expected a text, an MCP content block, or an array of them',
    ],
    ['no content under `result`', { result: { role: 'user' } }, 'result.content: is required'],
  ])('takes no answer with %s', async (_what, body, message) => {
    const { create, respond } = await start();
    await create({}, later);
    const answer = await respond(body);
    expect([answer.status, answer.body]).toEqual([400, refusal('INVALID_ARGS', message)]);
  });
});
