// Approved calls that ask their caller something: what was approved is what runs, in every turn, and once.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer, ServerRequest } from '@portico/upstream-pool';
import { expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { type CallInput, connectPlane, stopped, tool } from '../testing/start-plane.js';
import { createApprovedTurns } from './approved-turns.js';

const question: ServerRequest = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } };
const answer: JsonObject = { action: 'accept', content: { name: 'Ann' } };
const gate = { policy: { requireApproval: ['s.*'] } };
const definitions = { tools: [tool('ask')] };

/** Asks while the call runs. */
const legacy: MemoryServer = {
  definitions,
  async handle({ params }, signal, handler) {
    const replies = (await handler?.onServerRequest(question, signal)) ?? null;
    return { content: [], structuredContent: { replies, ran: params.arguments ?? null } };
  },
};

/** Asks by its answers, and keeps nothing between requests. */
const modern: MemoryServer = {
  protocolVersion: '2026-07-28',
  definitions,
  handle({ params }) {
    const { requestState, inputResponses, arguments: ran } = params;
    if (requestState === 'b')
      return { content: [], structuredContent: { replies: inputResponses ?? null, ran: ran ?? null } };
    const inputRequests = { who: { ...question } } as unknown as JsonObject;
    return { resultType: 'input_required', inputRequests, requestState: requestState === 'a' ? 'b' : 'a' };
  },
};

const ask: CallInput = { kind: 'tool', id: 's.ask', args: { n: 1 } };
const dataOf = (envelope: { readonly data: unknown }) => envelope.data as JsonObject; // of an answered call

async function approved(
  upstream: MemoryServer,
  call: CallInput,
  args: JsonObject | null,
  stores = createMemoryStores(stopped),
) {
  const started = await connectPlane({ s: upstream }, gate, stores);
  await started.execute(call);
  const decision = await started.plane.approvals.approve('appr-0-1', 'ann', args);
  const { result } = decision as unknown as { readonly result: { readonly data: unknown } };
  const turn = (asked: { readonly data: unknown }, key: string): CallInput => ({
    ...call,
    requestState: String(dataOf(asked).requestState),
    inputResponses: { [key]: answer },
  });
  return { ...started, asked: result, turn };
}

it.each([
  ['no key', ask],
  ['a key', { ...ask, idempotencyKey: 'k' }],
])(
  'a call under %s that was approved with other arguments is answered by its caller, who asks as before',
  async (_what, call) => {
    const { execute, asked, turn, plane, server } = await approved(legacy, call, { n: 2 });
    expect((await execute({ ...turn(asked, 'q1'), args: { n: 2 } })).error?.code).toBe('INVALID_ARGS');
    const done = await execute(turn(asked, 'q1'));
    expect(dataOf(done).structuredContent).toEqual({ replies: answer, ran: { n: 2 } });
    expect(server('s').requests()).toHaveLength(1);
    expect((await plane.approvals.list({ limit: 9, offset: 0 })).total).toBe(1);
  },
);

it.each([
  ['no key', ask],
  ['a key', { ...ask, idempotencyKey: 'k' }],
])('what was approved of a call under %s is sent in every turn at a server that keeps nothing', async (_what, call) => {
  const { execute, asked, turn, plane, server, audit } = await approved(modern, call, { n: 2 });
  const second = await execute(turn(asked, 'who'));
  const done = await execute(turn(second, 'who'));
  expect(dataOf(done).structuredContent).toEqual({ replies: { who: answer }, ran: { n: 2 } });
  expect(
    server('s')
      .requests()
      .map(({ params }) => params.arguments),
  ).toEqual([{ n: 2 }, { n: 2 }, { n: 2 }]);
  const turns = audit.kept().filter(({ status, details }) => status === 'success' || details?.interim === true);
  expect(turns.slice(-3).map(({ status, sanitized_args }) => [status, sanitized_args])).toEqual([
    ['intercepted', { n: 2 }],
    ['intercepted', { n: 2 }],
    ['success', { n: 2 }],
  ]);
  expect((await plane.approvals.list({ limit: 9, offset: 0 })).total).toBe(1);
});

it('an approved turn that nothing is sent of can be taken again', async () => {
  const stores = createMemoryStores(stopped);
  const { begin } = stores.ledger;
  const keyed = { ...ask, idempotencyKey: 'k' };
  const { execute, asked, turn, server } = await approved(modern, keyed, null, stores);
  Object.assign(stores.ledger, { begin: () => Promise.reject(new Error('disk full')) });
  expect(await execute(turn(asked, 'who'))).toMatchObject({
    error: { code: 'INTERNAL_ERROR' },
    retry: { upstream_execution_state: 'not_started' },
  });
  Object.assign(stores.ledger, { begin });
  expect(dataOf(await execute(turn(asked, 'who')))).toMatchObject({ resultType: 'input_required', requestState: 'b' });
  expect(server('s').requests()).toHaveLength(2);
});

it('an approved turn that is sent twice at once runs once', async () => {
  const { outcome, asked, turn, server } = await approved(modern, ask, null);
  const both = await Promise.all([outcome(turn(asked, 'who')), outcome(turn(asked, 'who'))]);
  expect(both.map(({ envelope }) => envelope.error?.code).sort()).toEqual(['INVALID_ARGS', undefined]);
  expect(server('s').requests()).toHaveLength(2);
});

it.each([
  ['that asks while it runs', legacy, 'q1'],
  ['that asks by its answers', modern, 'who'],
])('half a surrogate pair among the arguments is no defect of a call %s', async (_what, upstream, key) => {
  const { asked, turn, execute } = await approved(upstream, { ...ask, args: { n: '\ud800' } }, null);
  expect(asked).toMatchObject({ ok: true, data: { resultType: 'input_required' } });
  expect((await execute({ ...turn(asked, key) })).ok).toBe(true);
});

it('a state with half a surrogate pair names no turn', async () => {
  const { execute } = await connectPlane({ s: modern });
  const { ok, error } = await execute({ ...ask, requestState: '\ud800' });
  expect([ok, error?.code]).toEqual([true, undefined]); // the state of a server of 2026-07-28 is its own
  const gated = await connectPlane({ s: modern }, gate);
  expect((await gated.execute({ ...ask, requestState: '\ud800' })).error?.code).toBe('INVALID_ARGS');
});

it('keeps a thousand approved turns, and lets the oldest go of the principal that has most', () => {
  const turns = createApprovedTurns({ now: () => 0 });
  const binding = (principal: string) => ({ principal, kind: 'tool', targetId: 's.a', args: {}, key: null }) as const;
  turns.add('first', binding('ann'), { whose: 'ann' });
  for (let n = 0; n < 1100; n += 1) turns.add(`state-${n}`, binding('mallory'), {});
  expect(turns.find('first', binding('ann'))).toEqual({ whose: 'ann' });
  const kept = Array.from({ length: 1100 }, (_, n) => turns.find(`state-${n}`, binding('mallory')) !== undefined);
  expect([kept.indexOf(true), kept.filter(Boolean).length]).toEqual([101, 999]);
  expect([turns.take('first', binding('ann')), turns.take('first', binding('ann'))]).toEqual([true, false]);
});
