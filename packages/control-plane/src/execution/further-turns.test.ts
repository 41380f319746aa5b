// Further turns of calls at a server of 2026-07-28: free and not compared with a state that was given for the call, once.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { parkedMs } from '../interaction/parked-calls.js';
import { type CallInput, connectPlane, tool } from '../testing/start-plane.js';

const question = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } };
const answers: JsonObject = { who: { action: 'accept', content: { name: 'Ann' } } };

/** `ask` asks once, with the same state for every call; no other tool asks. */
const modern: MemoryServer = {
  protocolVersion: '2026-07-28',
  definitions: { tools: [tool('ask'), tool('look')] },
  handle: ({ params }) =>
    params.name === 'ask' && params.requestState === undefined
      ? { resultType: 'input_required', inputRequests: { who: question }, requestState: 'a' }
      : { content: [{ type: 'text', text: 'done' }] },
};

const ask: CallInput = { kind: 'tool', id: 's.ask', args: { n: 1 } };
const turn: CallInput = { ...ask, requestState: 'a', inputResponses: answers };
const look: CallInput = { ...ask, id: 's.look' };
const exhausted = { error: { reason: 'budget_exhausted' } };
const ran = { ok: true };

async function start(rules: object) {
  const started = await connectPlane({ s: modern }, rules);
  const used = async () => (await started.plane.budgets.list()).budgets[0]?.accounts[0]?.used.calls ?? 0;
  const sent = () => started.server('s').requests().length;
  return { ...started, used, sent };
}

const limited = (calls: number, more: object = {}) => ({ budgets: [{ id: 'b', calls }], ...more });

describe('a further turn', () => {
  it.each([
    ['without a key', ask, turn],
    ['under a key', { ...ask, idempotencyKey: 'k' }, { ...turn, idempotencyKey: 'k' }],
  ])('is free %s, also when the budget is used up', async (_name, first, next) => {
    const { execute, used, sent } = await start(limited(1));
    expect([await execute(first), await execute(next)]).toMatchObject([ran, ran]);
    expect([await used(), sent()]).toEqual([1, 2]);
  });

  it('is free for each call that was given the same state', async () => {
    const { execute, used } = await start(limited(2));
    for (const each of [ask, ask, turn, turn]) expect(await execute(each)).toMatchObject(ran);
    expect(await execute(turn)).toMatchObject(exhausted);
    expect(await used()).toBe(2);
  });

  it.each([
    ['a made-up state', { ...turn, requestState: 'b' }],
    ['other arguments', { ...turn, args: { n: 2 } }],
    ['another caller', { ...turn, principal: 'mallory' }],
    ['another tool', { ...turn, id: 's.look' }],
  ])('is a call of its own with %s', async (_name, other) => {
    const { execute, used, sent } = await start(limited(2));
    await execute(ask);
    expect([await execute(other), await execute(other)]).toMatchObject([ran, exhausted]);
    expect([await used(), sent()]).toEqual([2, 2]);
    expect(await execute(turn)).toMatchObject(ran); // the state was not used
  });

  it('is a call of its own with a state that was used, also at the same time', async () => {
    const { outcome, used } = await start(limited(2));
    await outcome(ask);
    const all = await Promise.all(Array.from({ length: 8 }, () => outcome(turn)));
    expect(all.filter(({ envelope }) => envelope.ok)).toHaveLength(2);
    expect(await used()).toBe(2);
  });

  it('is a call of its own when the time to answer is over', async () => {
    const { execute, clock } = await start(limited(1));
    await execute(ask);
    await clock.advance(parkedMs);
    expect(await execute(turn)).toMatchObject(exhausted);
  });

  it('is compared like any call with a made-up state', async () => {
    const { execute, sent } = await start({ loops: { identical: 3 } });
    const made = { ...look, requestState: 'made-up' };
    for (let at = 0; at < 3; at += 1) expect(await execute(made)).toMatchObject(ran);
    expect(await execute(made)).toMatchObject({ error: { reason: 'loop' } });
    expect(sent()).toBe(3);
  });

  it('may need a person with a made-up state', async () => {
    const { execute, sent } = await start({ budgets: [{ id: 'b', calls: 1, onExhausted: 'requireApproval' }] });
    const made = { ...look, requestState: 'made-up' };
    expect(await execute(look)).toMatchObject(ran);
    expect(await execute(made)).not.toMatchObject(ran);
    expect(sent()).toBe(1);
  });

  it('of an approved call is free', async () => {
    const { execute, plane, used } = await start(limited(1, { policy: { requireApproval: ['s.ask'] } }));
    await execute(ask);
    await plane.approvals.approve('appr-0-1', 'ann', null);
    expect(await execute(turn)).toMatchObject(ran);
    expect(await used()).toBe(1);
  });
});
