// The outcome of approved calls that were running when the service was killed.
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { connectPlane, stopped, tool } from '../testing/start-plane.js';

describe('an approved call whose service is killed', () => {
  it('has the stored result on its ticket when it was killed between keeping the outcome and the ticket', async () => {
    const stores = createMemoryStores(stopped);
    const servers = { s: { definitions: { tools: [tool('gated')] } } };
    const file = { policy: { requireApproval: ['s.gated'] } };
    const call = { kind: 'tool', id: 's.gated', idempotencyKey: 'k' } as const;
    let isFinishing = false;
    const finishRun = () => {
      isFinishing = true;
      return new Promise<never>(() => {}); // the first service never gets past this
    };
    const first = await connectPlane(servers, file, { ...stores, tickets: { ...stores.tickets, finishRun } });
    const id = (await first.execute(call)).error?.approval_id ?? '';
    first.plane.approvals.approve(id, 'operator', null);
    await first.clock.advance(0);
    expect(isFinishing).toBe(true);

    const second = await connectPlane(servers, file, stores);
    const repeat = await second.execute(call);
    expect(repeat.ok).toBe(true);
    expect((await second.plane.approvals.get(id))?.result).toEqual(repeat);
  });
});
