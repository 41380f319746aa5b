// Tickets that are opened where other processes have them too.
import { expect, it } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { connectPlane, stopped, tool } from '../testing/start-plane.js';

it('does not hold a ticket as pending that was settled elsewhere before it was watched', async () => {
  const { tickets, ...stores } = createMemoryStores(stopped);
  const open: typeof tickets.open = async (draft) => {
    const opened = await tickets.open(draft);
    await tickets.settle(opened.ticket.id, { status: 'rejected', operator: 'elsewhere', timestamp: 0 });
    return opened;
  };
  const servers = { s: { definitions: { tools: [tool('gated')] } } };
  const file = { policy: { requireApproval: ['s.gated'] } };
  const shared = { ...tickets, open, follow: () => () => {} };
  const { plane, clock, execute } = await connectPlane(servers, file, { ...stores, tickets: shared });
  await execute({ kind: 'tool', id: 's.gated' });
  await clock.advance(0);
  expect(plane.activity().approvals_pending).toBe(0);
});
