// The records that an explanation is made of, and the part of the log that callers other than admins find.
import type { AuditDraft, AuditRecord } from '@portico/audit-chain';
import { describe, expect, it, vi } from 'vitest';
import { createMemoryAuditLog } from '../audit/memory-audit-log.js';
import type { Caller } from '../call/call.js';
import { initialState } from '../state/plane-state.js';
import { configOf } from '../testing/start-plane.js';
import { findOrigin, findTrace, maxTraceRecords } from './trace-records.js';
import { createTraceService } from './trace-service.js';

const traceId = 'a'.repeat(32);
const ann: Caller = { principal: 'ann', role: 'dev', actor: 'ann', profile: null };
const bob: Caller = { ...ann, principal: 'bob', actor: 'bob' };
const ofAnn = { actor_id: 'ann', role: 'dev' };
const ofBob = { actor_id: 'bob', role: 'dev' };
const state = initialState(configOf({ mcpServers: {} }));

type Draft = Partial<AuditDraft>;

async function logOf(drafts: readonly Draft[], capacity = 10_000) {
  const audit = createMemoryAuditLog({ capacity, epochMs: () => 0 });
  for (const each of drafts) {
    await audit.append({
      timestamp: '2026-01-01T00:00:00.000Z',
      event_type: 'tool_call',
      status: 'success',
      trace_id: traceId,
      capability_id: 's.t',
      ...each,
    });
  }
  const approvals = { get: async () => undefined };
  const service = createTraceService({ audit, approvals, state: () => state, servers: () => [] });
  return { audit, ...service };
}

const many = (count: number, draft: Draft = {}) => Array.from({ length: count }, () => draft);
const idOf = (seq: number) => `aud-${String(seq).padStart(12, '0')}`;

describe('a record older than those of its trace that are read', () => {
  const gate = { approval_id: 'appr-1-1', capability_id: 's.gated' };
  const opened: Draft = { ...gate, event_type: 'approval_created', status: 'intercepted' };
  const rejected: Draft = { ...gate, event_type: 'approval_rejected', status: 'denied' };

  it.each([idOf(2), 'appr-1-1', idOf(1)])('is explained with its approval, not another call: by %s', async (id) => {
    const { explain } = await logOf([opened, rejected, ...many(maxTraceRecords, { status: 'failed' })]);
    const explanation = await explain(id);
    expect(explanation).toMatchObject({ capability_id: 's.gated', cause: 'approval_rejected', verified: true });
    expect(explanation?.missing).toEqual([`records of the trace before its latest ${maxTraceRecords}`]);
  });

  it('is found once where the records of its approval are among them', async () => {
    const { audit } = await logOf([opened, rejected]);
    const found = await findTrace(audit, state, 'appr-1-1', undefined);
    expect(found?.records.map(({ id }) => id)).toEqual([idOf(1), idOf(2)]);
  });

  it('is no other record of its request that is not of a call', async () => {
    const { explain } = await logOf([{ request_id: 'r' }, { request_id: 'r', event_type: 'sampling' }]);
    expect(await explain('r')).toMatchObject({ outcome: 'success' });
  });
});

describe('who is no admin', () => {
  it.each([traceId, idOf(1), 'appr-1-1', 'r'])('finds an own call, and none of others, by %s', async (id) => {
    const { explain } = await logOf([{ ...ofAnn, approval_id: 'appr-1-1', request_id: 'r' }]);
    expect(await explain(id, ann)).toMatchObject({ outcome: 'success' });
    expect(await explain(id, bob)).toBeUndefined();
    expect(await explain(id)).toMatchObject({ outcome: 'success' });
  });

  it.each(['appr-1-1', 'r', idOf(1)])('does not find the newer call of another caller by %s', async (id) => {
    const ids = { approval_id: 'appr-1-1', request_id: 'r' };
    const { explain } = await logOf([
      { ...ofAnn, ...ids },
      { ...ofBob, ...ids, status: 'failed' },
    ]);
    expect(await explain(id, ann)).toMatchObject({ outcome: 'success' });
  });

  it('reads no record of others to look for a request or an approval', async () => {
    const { audit, explain } = await logOf([{ ...ofBob, request_id: 'r' }]);
    const asked = vi.spyOn(audit, 'list');
    expect(await explain('r', ann)).toBeUndefined();
    expect(asked.mock.calls.map(([{ actor_id }]) => actor_id)).toEqual(['ann']);
  });

  it('is not shown what was hidden of a call that is found by its request', async () => {
    const hidden: Draft = {
      ...ofAnn,
      request_id: 'r',
      error_code: 'TOOL_NOT_FOUND',
      rule: 'deny:s.*',
      status: 'denied',
    };
    const { explain } = await logOf([{ ...hidden, trace_id: undefined }, hidden]);
    for (const id of ['r', idOf(1)]) expect(JSON.stringify(await explain(id, ann))).not.toContain('deny');
  });

  it.each([traceId, idOf(1), 'r'])('is shown no rule on trial, which an admin is, by %s', async (id) => {
    const { explain } = await logOf([{ ...ofAnn, request_id: 'r', details: { shadow: 'deny:s.*' } }]);
    expect(JSON.stringify(await explain(id, ann))).not.toContain('shadow');
    expect(JSON.stringify(await explain(id))).toContain('it would have been refused by the shadow rule');
  });

  it('does not receive records of others in the trace, nor the beginning of the log', async () => {
    const waits: Draft = { ...ofAnn, status: 'success', approval_id: 'appr-1-1' };
    const { explain } = await logOf([{}, waits, ...many(maxTraceRecords, { actor_id: 'bob', role: 'dev' })], 1001);
    const missing = ['the record that opened approval appr-1-1', 'the decision on approval appr-1-1'];
    expect((await explain(traceId, ann))?.missing).toEqual(missing);
    expect((await explain(idOf(2)))?.missing).toEqual([
      ...missing,
      `records of the trace before its latest ${maxTraceRecords}`,
      expect.stringContaining(`records before ${idOf(2)}`),
    ]);
  });

  it('lists their own traces, of a bounded part of the log', async () => {
    const own = (letter: string): Draft => ({ ...ofAnn, trace_id: letter.repeat(32) });
    const { list } = await logOf([own('d'), ...many(4998), own('c'), own('b')]);
    const { traces, complete } = await list({ limit: 10 }, ann);
    expect([traces.map(({ trace_id }) => trace_id[0]), complete]).toEqual([['c', 'b'].reverse(), false]);
  });
});

it('finds an id that every request has without counting the records with it', async () => {
  const { audit, explain, list } = await logOf(many(1500, { request_id: '1', approval_id: 'appr-1-1' }));
  const asked = vi.spyOn(audit, 'list');
  for (const id of ['1', 'appr-1-1', traceId]) expect(await explain(id)).toMatchObject({ outcome: 'success' });
  await list({ limit: 5, client: 'agent' });
  expect(new Set(asked.mock.calls.map(([, { countsAll }]) => countsAll))).toEqual(new Set([false]));
});

describe('a list of traces', () => {
  it('asks for no more records than its limit needs, and for the status looks through them', async () => {
    const traces = many(1500).map((_, n) => ({ trace_id: String(n).padStart(32, '0') }));
    const { audit, list } = await logOf([{ status: 'failed' }, ...traces]);
    const asked = vi.spyOn(audit, 'list');
    expect(await list({ limit: 5 })).toMatchObject({ complete: false, traces: { length: 5 } });
    expect(asked).toHaveBeenCalledTimes(1);
    expect((await list({ limit: 5, status: 'failed' })).traces).toMatchObject([{ trace_id: traceId }]);
  });
});

describe('a list of traces of large records', () => {
  it('reads no more of them once it has read 8 MiB', async () => {
    const traces = Array.from({ length: 12 }, (_, n) => ({
      trace_id: String(n).padStart(32, '0'),
      sanitized_args: { text: 'x'.repeat(2 ** 20) },
    }));
    const { audit, list } = await logOf(traces);
    const asked = vi.spyOn(audit, 'list');
    const { traces: found, complete } = await list({ limit: 100 });
    expect([found.length, complete, asked.mock.calls.length]).toEqual([8, false, 1]);
  });
});

describe('the origin of a replay', () => {
  const key: Draft = { ...ofAnn, actor_kind: 'token', idempotency_key: 'k' };
  const replay: Draft = { ...key, event_type: 'idempotent_replay', is_replay: true };

  it.each<[string, Draft]>([
    ['of another actor', { actor_id: 'bob' }],
    ['of another role', { role: 'boss' }],
    ['of an actor who proved it otherwise', { actor_kind: 'jwt' }],
    ['whose arguments were refused', { status: 'failed', error_code: 'INVALID_ARGS' }],
  ])('is no later record %s', async (_, other) => {
    const { audit } = await logOf([key, { ...key, ...other }, replay]);
    const record = await audit.get(idOf(3));
    expect(record && (await findOrigin(audit, record, undefined))?.id).toBe(idOf(1));
  });

  it('is found behind more replays than are read', async () => {
    const { audit } = await logOf([key, ...many(300, replay)]);
    const record = await audit.get(idOf(301));
    expect(record && (await findOrigin(audit, record, undefined))?.id).toBe(idOf(1));
  });

  it('is before it in its chain, and in another chain by time', async () => {
    const { audit } = await logOf([key, replay]);
    const [record, origin] = [await audit.get(idOf(2)), await audit.get(idOf(1))];
    const find = async (other: object) => {
      const events = [{ ...origin, ...other } as AuditRecord];
      const reads = { ...audit, list: async () => ({ events, total: 1 }) };
      return record && (await findOrigin(reads, record, undefined))?.id;
    };
    expect(await find({ seq: 9 })).toBeUndefined();
    expect(await find({ seq: 9, chain_id: 'c' })).toBe(idOf(1));
    expect(await find({ seq: 1, chain_id: 'c', timestamp: '2026-01-02T00:00:00.000Z' })).toBeUndefined();
  });
});
