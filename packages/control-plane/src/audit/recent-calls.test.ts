// The last calls from the audit log: which records are calls, how many are kept, and what followers receive.
import type { AuditDraft } from '@portico/audit-chain';
import { maxRecentCalls, maxShownArguments, type RecentCall } from '@portico/contracts';
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { connectPlane, tool } from '../testing/start-plane.js';
import { createMemoryAuditLog } from './memory-audit-log.js';
import { createNoAuditLog } from './no-audit-log.js';
import { createRecentCalls } from './recent-calls.js';

const draftOf = (capability_id: string, rest: Partial<AuditDraft> = {}): AuditDraft => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  event_type: 'tool_call',
  status: 'success',
  capability_id,
  ...rest,
});

function start(capacity = 10_000) {
  const clock = createManualClock();
  const audit = createMemoryAuditLog({ capacity, epochMs: clock.epochMs });
  const recent = createRecentCalls({ audit, clock, log: () => {} });
  const add = (id: string, rest?: Partial<AuditDraft>) => audit.append(draftOf(id, rest));
  /** Reading gives other work its turn on the clock. */
  const settle = async <T>(asked: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = asked.finally(() => {
      isDone = true;
    });
    while (!isDone) await clock.advance(0);
    return done;
  };
  const list = (filter = {}, limit = maxRecentCalls) => settle(recent.list(filter, limit));
  const ids = async (filter = {}, limit?: number) =>
    (await list(filter, limit)).calls.map((call) => call.capability_id);
  const follow = (lastId?: string) => {
    const received: (string | number | undefined)[] = [];
    const stop = recent.follow(
      {
        calls: (calls: readonly RecentCall[]) => received.push(...calls.map((call) => call.capability_id)),
        missed: (count) => received.push(count),
      },
      lastId,
    );
    return { received, stop };
  };
  return { clock, audit, recent, add, list, ids, follow };
}

describe('the list of the last calls', () => {
  it('is newest first, of calls alone, and by filter', async () => {
    const { add, ids, list } = start();
    await add('s.a', { client: { name: 'claude-code', version: '2' } });
    await add('s.b', { status: 'failed', error_code: 'UPSTREAM_ERROR' });
    await add('', { event_type: 'config_change' });
    await add('s.a', { event_type: 'prompt_get', details: { method: 'completion/complete' } });
    await add('s.c', { event_type: 'policy_violation', status: 'denied' });
    expect(await ids()).toEqual(['s.c', 's.b', 's.a']);
    expect(await ids({}, 2)).toEqual(['s.c', 's.b']);
    expect(await ids({ client: 'claude-code' })).toEqual(['s.a']);
    expect(await ids({ capability: 's.b' })).toEqual(['s.b']);
    expect(await ids({ status: 'denied' })).toEqual(['s.c']);
    expect((await list({ status: 'failed' })).cursor).toBe('aud-000000000005');
  });

  it(`keeps ${maxRecentCalls} calls, whether it is read often or once`, async () => {
    const { add, ids } = start();
    await add('s.0');
    expect(await ids()).toEqual(['s.0']);
    for (let n = 1; n <= 1200; n += 1) await add(`s.${n}`);
    const kept = await ids();
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([maxRecentCalls, 's.1200', 's.701']);
  });

  it('keeps a limited amount of text', async () => {
    const { add, ids } = start();
    for (let n = 0; n < 50; n += 1) await add(`s.${n}${'x'.repeat(100_000)}`);
    expect((await ids()).map((id) => id?.slice(0, 4))).toEqual(
      Array.from({ length: 19 }, (_, back) => `s.${49 - back}`),
    );
  });

  it('cuts arguments and says so, never within a character', async () => {
    const { add, list } = start();
    await add('s.a', { sanitized_args: { text: 'é' } });
    await add('s.b', { sanitized_args: { t: `${'x'.repeat(maxShownArguments - 7)}😀` } });
    const [long, short] = (await list()).calls;
    expect(short).toMatchObject({ arguments: '{"text":"é"}' });
    expect(short).not.toHaveProperty('arguments_truncated');
    expect(long).toMatchObject({ arguments: `{"t":"${'x'.repeat(maxShownArguments - 7)}`, arguments_truncated: true });
  });

  it('has redacted arguments only, and what the record says of who asked', async () => {
    const servers = { git: { definitions: { tools: [tool('a')] }, handle: () => ({ content: [] }) } };
    const { plane, execute, clock } = await connectPlane(servers, { policy: { redactKeys: ['password'] } });
    await execute({ kind: 'tool', id: 'git.a', args: { password: 'hunter2', path: 'x' } });
    const asked = plane.recentCalls.list({}, 1);
    await clock.advance(0);
    const [call] = (await asked).calls;
    expect(call).toMatchObject({ capability_id: 'git.a', status: 'success', arguments: '{"path":"x"}' });
    expect(plane.callSeries.read('1h').points.map(({ calls }) => calls)).toEqual([1]);
  });

  it('is empty without an audit log', async () => {
    const clock = createManualClock();
    const recent = createRecentCalls({ audit: createNoAuditLog(clock.epochMs), clock, log: () => {} });
    expect(await recent.list({}, 10)).toEqual({ calls: [], cursor: '0' });
  });
});

describe('followers of calls', () => {
  it('receive new calls, some time after they end and together', async () => {
    const { add, clock, follow } = start();
    await add('s.before');
    const { received, stop } = follow();
    await clock.advance(100);
    expect(received).toEqual([]);
    await add('s.a');
    await add('s.b');
    expect(received).toEqual([]);
    await clock.advance(100);
    expect(received).toEqual(['s.a', 's.b']);
    stop();
    await add('s.c');
    await clock.advance(1000);
    expect(received).toEqual(['s.a', 's.b']);
  });

  it.each([
    ['is kept', 'aud-000000000002', ['s.3', 's.4']],
    ['is the newest', 'aud-000000000004', []],
    ['is not known', 'something', ['s.1', 's.2', 's.3', 's.4']],
  ])('first receive the calls after an id that %s', async (_, lastId, expected) => {
    const { add, clock, follow } = start();
    for (const n of [1, 2, 3, 4]) await add(`s.${n}`);
    const { received } = follow(lastId);
    await clock.advance(200);
    expect(received).toEqual(expected);
  });

  it('receive the number of dropped calls after their last id', async () => {
    const { add, clock, follow } = start();
    for (let n = 1; n <= 600; n += 1) await add(`s.${n}`);
    const { received } = follow('aud-000000000010');
    await clock.advance(200);
    expect(received.slice(0, 2)).toEqual([90, 's.101']);
  });

  it('receive the calls between their last id and now, also if the call of that id was left out', async () => {
    const { add, clock, follow, ids } = start();
    await add('s.1');
    expect(await ids()).toEqual(['s.1']);
    for (let n = 2; n <= 1100; n += 1)
      await add(n < 1099 ? '' : `s.${n}`, n < 1099 ? { event_type: 'config_change' } : {});
    const { received } = follow('aud-000000000001');
    await clock.advance(200);
    expect(received).toEqual([1097, 's.1099', 's.1100']);
    expect(await ids()).toEqual(['s.1100', 's.1099']);
  });

  it('receive the number of skipped calls if the log drops records before they are read', async () => {
    const { add, clock, follow } = start(5);
    await add('s.0');
    const { received } = follow();
    await clock.advance(200);
    for (let n = 1; n <= 8; n += 1) await add(`s.${n}`);
    await clock.advance(200);
    expect(received).toEqual([3, 's.4', 's.5', 's.6', 's.7', 's.8']);
  });
});
