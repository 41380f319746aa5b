// One client over HTTP: draws what to do, does it, and has every answer judged by the OpenAPI document.
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../faults/src/random.js';
import type { Documented } from '../../fuzz/src/documented.js';
import { type HttpCase, sendCase } from '../../fuzz/src/http.js';
import type { Keys } from './keys.js';
import type { Tally } from './tally.js';

export interface LoadOptions {
  readonly seed: number;
  readonly servers: readonly string[];
  readonly keys: Keys;
  readonly tally: Tally;
  /** Ends the load. */
  readonly signal: AbortSignal;
}

/** Every server answers long before; a busy machine gets its share of time. */
export const limitMs = 60_000;
/** A pace that leaves the machine room for others. */
export const paceMs = 10;

interface Made {
  readonly error?: { readonly approval_id?: string } | null;
  readonly data?: { readonly ticket_id?: string; readonly task?: { readonly task_id: string } } | null;
}

export async function loadOverHttp(
  origin: string,
  documented: Documented,
  client: number,
  options: LoadOptions,
): Promise<void> {
  const { seed, servers, keys, tally, signal } = options;
  const random = createRandom(seed, 'http', client);
  const server = () => servers[random.between(0, servers.length - 1)] ?? '';

  const ask = async (one: HttpCase): Promise<unknown> => {
    const askedAt = performance.now();
    try {
      const answer = await sendCase(origin, one, limitMs);
      tally.took(performance.now() - askedAt);
      for (const problem of documented.problemsOf(one.method, one.target, answer)) {
        tally.problem(`${one.method} ${one.target} ${one.body ?? ''}: ${problem}`);
      }
      const body = parse(answer.text) as { readonly error?: { readonly code?: string } | null } | undefined;
      tally.count(
        'http',
        body?.error?.code === undefined ? String(answer.status) : `${answer.status} ${body.error.code}`,
      );
      return body;
    } catch (error) {
      tally.count('http', 'no answer');
      tally.problem(`${one.method} ${one.target} ${one.body ?? ''}: ${error}`);
      return undefined;
    }
  };
  const get = (target: string, headers = {}) => ask({ method: 'GET', target, headers });
  const post = (target: string, body?: object, headers = {}) =>
    ask({
      method: 'POST',
      target,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });

  const actions: readonly (readonly [weight: number, act: () => Promise<unknown>])[] = [
    [
      40,
      async () => {
        const { key, ...call } = keys.next(random);
        const answer = await post('/v1/tools/call', call, { 'Idempotency-Key': key });
        if (answer !== undefined) tally.answered(key, answer);
      },
    ],
    [10, () => post('/v1/tools/call', { capability_id: `${server()}.plain`, args: { text: 'x' } })],
    [
      3,
      () =>
        post('/v1/tools/call', {
          capability_id: `${server()}.big`,
          args: { bytes: 50_000, _truncate_bytes: random.between(50, 60_000) },
        }),
    ],
    [2, () => post('/v1/tools/call', { capability_id: `${server()}.extra_0`, args: {} })],
    [6, () => post('/v1/capabilities/search', { query: random.chance(0.5) ? 'count keys' : 'extra', limit: 5 })],
    [6, () => get('/v1/capabilities', random.chance(0.5) ? { 'If-None-Match': '*' } : {})],
    [3, () => get(`/v1/capabilities/${server()}.count`)],
    [4, () => post('/v1/resources/read', { resource_id: `${server()}.soak://state` })],
    [3, () => post('/v1/prompts/get', { prompt_id: `${server()}.say`, arguments: { what: 'hello' } })],
    [
      2,
      () =>
        post('/v1/completion/complete', {
          ref_type: 'prompt',
          ref_name: `${server()}.say`,
          argument_name: 'what',
          argument_value: 'h',
        }),
    ],
    [
      4,
      () =>
        post('/v1/tools/batch_call', {
          steps: ['a', 'b'].map((id) => ({
            id,
            capability_id: `${server()}.plain`,
            args: { text: id },
            continue_on_error: true,
          })),
        }),
    ],
    [3, () => gatedCall(random, server(), post)],
    [
      3,
      async () => {
        const made = (await post(
          '/v1/tools/call',
          { capability_id: `${server()}.plain`, args: { text: 'later' } },
          { Prefer: 'respond-async' },
        )) as Made | undefined;
        if (made?.data?.task !== undefined) await get(`/v1/tasks/${made.data.task.task_id}`);
      },
    ],
    [
      2,
      async () => {
        const messages = [{ role: 'user', content: { type: 'text', text: 'hello' } }];
        const made = (await post(
          '/v1/sampling/create_message',
          { server_id: server(), messages },
          { Prefer: 'respond-async' },
        )) as Made | undefined;
        const id = made?.data?.ticket_id;
        if (id !== undefined)
          await post(`/v1/sampling/requests/${id}/respond`, {
            role: 'assistant',
            content: { type: 'text', text: 'hi' },
            model: 'm',
          });
      },
    ],
    [
      2,
      async () => {
        const request_id = `cancelled-${client}-${random.between(0, 1e9)}`;
        const call = post('/v1/tools/call', {
          capability_id: `${server()}.count`,
          args: { key: request_id, ms: 200 },
          request_id,
        });
        await post(`/v1/operations/${request_id}/cancel`);
        await call;
      },
    ],
    [
      3,
      () =>
        leaveEarly(
          origin,
          { capability_id: `${server()}.count`, args: { key: 'left', ms: 500 } },
          random.between(1, 60),
        ),
    ],
    [1, () => get('/v1/resources/updates')],
    [2, () => get('/v1/audit/events?limit=20')],
    [1, () => get('/v1/idempotency/records?limit=20')],
    [1, () => get('/v1/servers')],
    [1, () => get(`/v1/servers/${server()}/logs`)],
    [1, () => get('/v1/catalog/events?after=x')],
    [1, () => get('/metrics')],
  ];
  const total = actions.reduce((sum, [weight]) => sum + weight, 0);
  while (!signal.aborted) {
    let drawn = random.between(1, total);
    const action = actions.find(([weight]) => {
      drawn -= weight;
      return drawn <= 0;
    });
    await action?.[1]();
    await sleep(paceMs);
  }
}

/** A call that a person has to agree to: approved, rejected, or left to expire. */
async function gatedCall(
  random: Random,
  server: string,
  post: (target: string, body?: object) => Promise<unknown>,
): Promise<void> {
  const made = (await post('/v1/tools/call', { capability_id: `${server}.gated`, args: { key: 'gated', ms: 0 } })) as
    | Made
    | undefined;
  const id = made?.error?.approval_id;
  const decision = random.next();
  if (id === undefined || decision < 0.2) return;
  await post(`/v1/approvals/${id}/${decision < 0.7 ? 'approve' : 'reject'}`, { operator: 'soak' });
}

/** A caller that goes away before its answer is there. */
function leaveEarly(origin: string, body: object, afterMs: number): Promise<void> {
  return new Promise((resolve) => {
    const outgoing = httpRequest(`${origin}/v1/tools/call`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json' },
    });
    outgoing
      .on('error', () => {})
      .on('response', (response) => response.resume())
      .on('close', resolve)
      .end(JSON.stringify(body));
    setTimeout(() => outgoing.destroy(), afterMs);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
