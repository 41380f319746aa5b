// Actions that are refused while records cannot be written, and the outcome of actions in progress.
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { type CallInput, connectPlane, correlation, hang, stopped, tool } from '../testing/start-plane.js';
import { AuditUnavailable } from './audit-log.js';
import type { MemoryAuditLog } from './memory-audit-log.js';

const refusal = 'the audit log cannot be written, so nothing is run: the disk is full';
const unsent = { classification: 'safe', upstream_execution_state: 'not_started' };
const echo: CallInput = { kind: 'tool', id: 's.echo' };
const gated: CallInput = { kind: 'tool', id: 's.gated' };

/** A log over the one in memory whose disk can be full. */
function createFailingLog(log: MemoryAuditLog) {
  let isFull = false;
  let opened = 0;
  let ended = 0;
  const check = () => {
    if (isFull) throw new AuditUnavailable('the disk is full');
  };
  const failing: MemoryAuditLog = {
    ...log,
    async begin() {
      check();
      opened += 1;
      return {
        async end(draft) {
          ended += 1;
          if (draft !== undefined) await failing.append(draft);
        },
      };
    },
    async append(draft) {
      await log.append(draft);
      check();
    },
  };
  return {
    failing,
    fill: () => {
      isFull = true;
    },
    empty: () => {
      isFull = false;
    },
    open: () => opened - ended,
  };
}

async function start(handle?: MemoryServer['handle']) {
  const stores = createMemoryStores(stopped);
  const { failing, fill, empty, open } = createFailingLog(stores.audit);
  const s: MemoryServer = {
    definitions: { tools: [tool('echo'), tool('gated')], prompts: [{ name: 'p' }] },
    ...(handle === undefined ? {} : { handle }),
  };
  const plane = await connectPlane({ s }, { policy: { requireApproval: ['s.gated'] } }, { ...stores, audit: failing });
  return { ...plane, kept: stores.audit.kept, fill, empty, open };
}

describe('while the audit log cannot be written', () => {
  it.each([
    ['a call', echo],
    ['a call with a key', { ...echo, idempotencyKey: 'k' }],
    ['a gated call', gated],
    ['a read', { kind: 'resource', id: 's.x:y' }],
    ['a prompt', { kind: 'prompt', id: 's.p' }],
  ] as const)('%s is refused, contacts no server and leaves nothing', async (_what, input) => {
    const { outcome, fill, kept, server, plane, ledger } = await start();
    fill();
    const { envelope } = await outcome(input as CallInput);
    expect(envelope).toMatchObject({
      error: { code: 'INTERNAL_ERROR', message: refusal, retryable: true },
      retry: unsent,
    });
    expect([server('s').requests(), kept()]).toEqual([[], []]);
    expect((await plane.approvals.list({ limit: 9, offset: 0 })).total).toBe(0);
    expect(await ledger.list('local', { limit: 9, offset: 0 }, 0)).toEqual([]);
  });

  it('a completion is refused', async () => {
    const { plane, fill, server } = await start();
    fill();
    const request = { ref_type: 'prompt', ref_name: 's.p', argument_name: 'a' } as const;
    const signal = new AbortController().signal;
    const asked = plane.complete({
      request,
      correlation,
      caller: { principal: 'local', profile: null, role: null, actor: null },
      signal,
    });
    await expect(asked).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message: refusal });
    expect(server('s').requests()).toEqual([]);
  });

  it('a decision is refused, and the ticket waits on', async () => {
    const { plane, fill, execute } = await start();
    const id = (await execute(gated)).error?.approval_id ?? '';
    fill();
    await expect(plane.approvals.approve(id, 'ann', null)).rejects.toThrow(refusal);
    await expect(plane.approvals.reject(id, 'ann', null)).rejects.toThrow(refusal);
    expect((await plane.approvals.get(id))?.status.status).toBe('pending');
  });

  it('an approved call waits, and runs once when that is over', async () => {
    const { plane, clock, fill, empty, execute, server } = await start();
    const id = (await execute(gated)).error?.approval_id ?? '';
    const approved = plane.approvals.approve(id, 'ann', null);
    fill(); // after the decision was begun, before its call is
    await clock.advance(5000);
    expect(server('s').requests()).toEqual([]);
    empty();
    await clock.advance(2000);
    await approved.catch(() => undefined);
    expect(server('s').requests()).toHaveLength(1);
    expect((await plane.approvals.get(id))?.result?.ok).toBe(true);
  });

  it('a start continues, and leaves its pending records to the log', async () => {
    const { plane, fill, ledger, kept, log } = await start();
    await ledger.begin({
      scope: 'local',
      key: 'k',
      fingerprint: 'f',
      kind: 'tool',
      capabilityId: 's.echo',
      firstTraceId: correlation.traceId,
      createdAtMs: 0,
      unknownResponse: '{}',
    });
    fill();
    await plane.recover();
    expect(kept()).toMatchObject([{ idempotency_key: 'k', status: 'failed', details: { interrupted: true } }]);
    expect(log.at(-1)).toMatchObject({ level: 'error', message: 'audit records are not written yet' });
  });

  it('a request that is kept out is counted by the log, and not recorded', async () => {
    const { plane, fill, kept } = await start();
    fill();
    const request = { correlation, method: 'GET', path: '/', httpStatus: 401, reason: 'no token' };
    await expect(plane.accessRefused(request)).rejects.toThrow(refusal);
    expect(kept()).toEqual([]);
  });
});

describe('a call during which the audit log fails', () => {
  it('reports its outcome, with its record kept for later', async () => {
    let answer = () => {};
    const { outcome, fill, kept, open } = await start(
      () =>
        new Promise((resolve) => {
          answer = () => resolve({ content: [] });
        }),
    );
    const running = outcome(echo);
    await Promise.resolve();
    await new Promise<void>((resolve) => setImmediate(resolve));
    fill();
    answer();
    const { envelope } = await running;
    expect(envelope).toMatchObject({
      error: { code: 'INTERNAL_ERROR', message: expect.stringContaining('its audit record is not written yet') },
      retry: { upstream_execution_state: 'completed' },
    });
    expect(kept()).toMatchObject([{ event_type: 'tool_call', status: 'success' }]);
    expect(open()).toBe(0);
  });

  it('is under way no longer once it has ended, however it ended', async () => {
    const { outcome, plane, clock, open } = await start(() => hang());
    await outcome({ ...echo, args: { a: '\ud800' }, idempotencyKey: 'k' });
    await outcome(gated);
    await outcome({ ...echo, id: 's.none' });
    const cancelled = outcome({ ...echo, correlation: { ...correlation, requestId: 'r' } });
    await clock.advance(0);
    expect(open()).toBe(1);
    await plane.cancel('local', 'r');
    await cancelled;
    expect(open()).toBe(0);
  });
});
