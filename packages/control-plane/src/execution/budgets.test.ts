// Budgets in the plane: what is charged, when a call is refused, and what a refusal says.
import { UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { CallSource } from '../call/call-source.js';
import { createMemoryStores } from '../memory-stores.js';
import { type CallInput, caller, connectPlane, correlation, tool } from '../testing/start-plane.js';

const look: CallInput = { kind: 'tool', id: 's.look' };
const used = { error: { code: 'POLICY_DENIED', reason: 'budget_exhausted' } };
const ran = { ok: true };
/** A day and an hour behind the epoch, and the end of that day. */
const startMs = 90_000_000;
const endOfDay = '1970-01-03T00:00:00.000Z';

interface Options {
  readonly file?: object;
  /** Text of each result. */
  readonly text?: string;
  readonly handle?: () => Promise<never>;
}

/** @param budgets of the configuration, each with the id `b` */
async function start(budgets: readonly object[], { file = {}, text = 'ok', handle }: Options = {}) {
  const stores = createMemoryStores({ epochMs: () => startMs });
  const answer = () => ({ content: [{ type: 'text', text }] });
  const definitions = { tools: [tool('look'), tool('order')] };
  const started = await connectPlane(
    { s: { definitions, handle: handle ?? answer }, t: { definitions, handle: answer } },
    { budgets: budgets.map((budget, at) => ({ id: at === 0 ? 'b' : `b${at}`, ...budget })), ...file },
    stores,
  );
  await started.clock.advance(startMs);
  const accounts = async () => {
    const { budgets: all } = await started.plane.budgets.list();
    return Object.fromEntries(all.flatMap(({ accounts: own }) => own.map((each) => [each.scope, each.used])));
  };
  const contacts = () => started.server('s').requests().length;
  return { ...started, accounts, contacts };
}

describe('a budget', () => {
  it('refuses the call behind its limit, and says what is used, until when, and what to do', async () => {
    const { execute, contacts, audit } = await start([{ calls: 2 }]);
    expect([await execute(look), await execute(look)]).toMatchObject([ran, ran]);
    expect(await execute(look)).toMatchObject({
      retry: { upstream_execution_state: 'not_started' },
      error: {
        code: 'POLICY_DENIED',
        message: `budget "b" is used up: 2 of 2 calls; it is empty again at ${endOfDay}`,
        retryable: false,
        reason: 'budget_exhausted',
        hint: 'do not repeat this call: report what is done and what is left, and ask the user how to go on',
        retry_after_secs: 82_800,
        budget: { id: 'b', measure: 'calls', used: 2, limit: 2, resets_at: endOfDay },
      },
    });
    expect(contacts()).toBe(2);
    expect(audit.kept().at(-1)).toMatchObject({
      event_type: 'policy_violation',
      rule: 'budget:b',
      details: { reason: 'budget_exhausted' },
    });
  });

  it('is empty again at the end of its window', async () => {
    const { execute, clock } = await start([{ calls: 1, window: 'hour' }]);
    expect([await execute(look), await execute(look)]).toMatchObject([ran, used]);
    await clock.advance(3_599_999);
    expect(await execute(look)).toMatchObject(used);
    await clock.advance(1);
    expect(await execute(look)).toMatchObject(ran);
  });

  it('counts the estimated tokens and the bytes of results, and goes over by one result at most', async () => {
    const { execute, accounts } = await start([{ resultTokens: 100, resultBytes: 100_000 }], { text: 'x'.repeat(300) });
    expect([await execute(look), await execute(look)]).toMatchObject([ran, ran]);
    expect(await execute(look)).toMatchObject({
      error: { budget: { measure: 'result_tokens', used: 170, limit: 100 } },
    });
    expect(await accounts()).toEqual({ '': { result_tokens: 170, result_bytes: 678 } });
  });

  it('counts the prices of calls, and lets those without one through', async () => {
    const prices = { 's.order': 0.4, 't.*': 0.1 };
    const { execute, accounts } = await start([{ cost: 1 }], { file: { prices } });
    const order = { ...look, id: 's.order' };
    expect([await execute(order), await execute(order), await execute(order)]).toMatchObject([ran, ran, used]);
    expect([await execute({ ...look, id: 't.look' }), await execute(look)]).toMatchObject([ran, ran]);
    expect(await accounts()).toEqual({ '': { cost: 0.9 } });
  });

  it('counts the time at the server', async () => {
    const { execute, clock, accounts } = await start([{ upstreamSecs: 2 }], {
      handle: () => new Promise((_resolve, reject) => clockAt(() => reject(failure), 1500)),
    });
    const failure = new UpstreamFailure('no', { kind: 'rejected', error: { code: 1, message: 'no' } });
    const clockAt = (work: () => void, ms: number) => void clock.after(ms, work);
    for (let at = 0; at < 2; at += 1) {
      const running = execute(look);
      await clock.advance(1500);
      await running;
    }
    expect(await accounts()).toEqual({ '': { upstream_secs: 3 } });
    expect(await execute(look)).toMatchObject(used);
  });

  it('counts no refusals and no replays, and keeps a call charged whose outcome is unknown', async () => {
    const { execute, accounts } = await start([{ calls: 10 }], {
      file: { policy: { deny: ['s.order'] } },
      handle: () => Promise.reject(new UpstreamFailure('lost', { kind: 'unreachable', sent: true })),
    });
    await execute({ ...look, id: 's.order' });
    await execute({ ...look, id: 's.nothing' });
    expect(await accounts()).toEqual({});
    const keyed = { ...look, idempotencyKey: 'k' };
    expect(await execute(keyed)).toMatchObject({ retry: { upstream_execution_state: 'unknown' } });
    await execute(keyed);
    expect(await accounts()).toEqual({ '': { calls: 1 } });
  });

  it('takes nothing for a call that was not sent', async () => {
    const { execute, accounts } = await start([{ calls: 1 }], {
      handle: () => Promise.reject(new UpstreamFailure('gone', { kind: 'unreachable', sent: false })),
    });
    expect(await execute(look)).toMatchObject({ retry: { upstream_execution_state: 'not_started' } });
    expect(await accounts()).toEqual({ '': { calls: 0 } });
  });

  it('is held for calls in flight that may use up its rest', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { execute } = await start([{ resultBytes: 100 }], {
      handle: () =>
        held.then(() =>
          Promise.reject(new UpstreamFailure('no', { kind: 'rejected', error: { code: 1, message: 'no' } })),
        ),
    });
    const calls = Array.from({ length: 64 }, () => execute(look));
    await Promise.resolve();
    release();
    const envelopes = await Promise.all(calls);
    const refused = envelopes.filter(({ error }) => error?.reason === 'budget_exhausted');
    expect(refused).toHaveLength(14); // each call in flight holds at least 2 %
    expect(refused[0]).toMatchObject({ error: { retryable: true, retry_after_secs: 1 } });
  });
});

describe('the accounts of a budget', () => {
  const source = (channel: 'stdio' | 'http', name: string) => new CallSource({ channel, client: { name } });
  it.each<[string, CallInput & object, CallInput & object, readonly string[]]>([
    ['actor', { ...look, principal: 'p', actor: 'ada' }, { ...look, principal: 'p' }, ['ada', 'p']],
    ['role', { ...look }, { ...look, principal: 'ada' }, ['operator']],
    ['server', look, { ...look, id: 't.look' }, ['s', 't']],
    ['global', look, { ...look, id: 't.look' }, ['']],
    [
      'trace',
      look,
      { ...look, correlation: { requestId: null, traceId: 'f'.repeat(32) } },
      [correlation.traceId, 'f'.repeat(32)],
    ],
    ['work_item', look, { ...look, correlation: { ...correlation, context: { work_item_id: 'w' } } }, ['w']],
  ])('are one for each %s', async (by, first, second, scopes) => {
    const { execute, accounts } = await start([{ scope: { by }, calls: 5 }]);
    await execute(first);
    await execute(second);
    expect(Object.keys(await accounts()).sort()).toEqual([...scopes].sort());
  });

  it('are one for each client and for each session of MCP', async () => {
    const { execute, plane } = await start([
      { id: 'clients', scope: { by: 'client' }, calls: 5 },
      { id: 'sessions', scope: { by: 'session' }, calls: 5 },
    ]);
    for (const each of [source('stdio', 'claude'), source('stdio', 'claude'), source('http', 'curl')])
      await execute({ ...look, ...{ caller: { ...caller, source: each } } });
    const { budgets } = await plane.budgets.list();
    const used = budgets.map(({ accounts }) => accounts.map(({ used: { calls } }) => calls));
    expect(used).toEqual([
      [2, 1],
      [1, 1, 1],
    ]);
  });

  it('count the calls that `match` names, of the accounts that `only` names, and all budgets apply', async () => {
    const { execute } = await start([
      { scope: { by: 'actor', match: 's.*', only: 'night-*' }, calls: 1 },
      { calls: 3 },
    ]);
    const night = { ...look, principal: 'n', actor: 'night-agent' };
    expect([await execute(night), await execute(night)]).toMatchObject([ran, { error: { budget: { id: 'b' } } }]);
    expect([await execute({ ...night, id: 't.look' }), await execute(look)]).toMatchObject([ran, ran]);
    expect(await execute(look)).toMatchObject({ error: { budget: { id: 'b1' } } });
  });
});

describe('behind a limit', () => {
  it('a person may decide on each further call, which is charged too', async () => {
    const { execute, plane, accounts } = await start([{ calls: 1, onExhausted: 'requireApproval' }]);
    await execute(look);
    expect(await execute(look)).toMatchObject({ error: { code: 'APPROVAL_PENDING' } });
    const { approvals } = await plane.approvals.list({ limit: 1, offset: 0 });
    const [ticket] = approvals;
    expect(ticket).toMatchObject({ rule: 'budget:b' });
    expect(await plane.approvals.approve(ticket?.id ?? '', 'me', null)).toMatchObject({ result: { ok: true } });
    expect(await accounts()).toEqual({ '': { calls: 2 } });
  });

  it('no person is asked about a call that would be refused', async () => {
    const { execute } = await start([{ calls: 1 }], { file: { policy: { requireApproval: ['s.order'] } } });
    await execute(look);
    expect(await execute({ ...look, id: 's.order' })).toMatchObject(used);
  });
});

describe('an operator', () => {
  it('sees what is used, and empties a budget or one account of it', async () => {
    const { execute, plane, audit } = await start([{ scope: { by: 'actor' }, calls: 4, warnAt: 0.5 }]);
    for (const actor of ['ada', 'ada', 'bob']) await execute({ ...look, principal: actor, actor });
    const by = { identity: caller, correlation };
    expect(await plane.budgets.list()).toEqual({
      token_estimate: 'a quarter of the bytes of the results',
      is_complete: true,
      budgets: [
        {
          id: 'b',
          by: 'actor',
          match: null,
          only: null,
          window: 'day',
          limits: { calls: 4 },
          warn_at: 0.5,
          on_exhausted: 'deny',
          accounts: [
            {
              scope: 'ada',
              since: '1970-01-02T00:00:00.000Z',
              resets_at: endOfDay,
              in_flight: 0,
              used: { calls: 2 },
              used_ratio: 0.5,
            },
            {
              scope: 'bob',
              since: '1970-01-02T00:00:00.000Z',
              resets_at: endOfDay,
              in_flight: 0,
              used: { calls: 1 },
              used_ratio: 0.25,
            },
          ],
        },
      ],
    });
    expect(await plane.budgets.reset('b', 'ada', by)).toBe(1);
    expect(audit.kept().at(-1)).toMatchObject({
      event_type: 'config_change',
      details: { action: 'budget_reset', budget: 'b', scope: 'ada', accounts: 1 },
    });
    expect([await plane.budgets.reset('b', undefined, by), await plane.budgets.reset('b', undefined, by)]).toEqual([
      1, 0,
    ]);
    await expect(plane.budgets.reset('c', undefined, by)).rejects.toThrow('no budget "c"; there are "b"');
  });

  it('finds one warning in the log for each account, and the fullest one in the metrics', async () => {
    const { execute, log, metrics } = await start([{ calls: 4, warnAt: 0.5 }]);
    for (let at = 0; at < 4; at += 1) await execute(look);
    expect(log.filter(({ message }) => message.includes('budget'))).toEqual([
      expect.objectContaining({ level: 'warn', message: 'budget "b" is used to 50 %' }),
    ]);
    expect(metrics.read('portico_budget_used_ratio')).toEqual([{ labels: { budget: 'b' }, value: 1 }]);
  });

  it('finds a call refused, and nothing sent, where its budgets cannot be read', async () => {
    const { execute, contacts, budgetAccounts } = await start([{ calls: 4 }]);
    Object.assign(budgetAccounts, { reserve: () => Promise.reject(new Error('disk full')) });
    expect(await execute(look)).toMatchObject({
      error: { code: 'INTERNAL_ERROR', message: 'nothing was sent: the state store cannot be written (disk full)' },
    });
    expect(contacts()).toBe(0);
  });
});
