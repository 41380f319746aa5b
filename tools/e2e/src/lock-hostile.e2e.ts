// Hostile servers over stdio: definitions repeated over pages, and other ones at each start.
import { expect, it } from 'vitest';
import { startLocked } from './support/locked.js';
import { tool } from './support/upstreams.js';

const pay = (description: string) => tool('pay', { description });
const honest = { tools: [pay('Pays a bill.'), tool('list')] };
const held = { ok: false, error: { code: 'POLICY_DENIED', reason: 'definition_changed' } };

it('holds a tool that is repeated over pages, or is another at each start', async () => {
  const { daemon, change } = await startLocked({ mode: 'enforce' }, { bank: honest });
  const call = async () => (await daemon.post<object>('/v1/tools/call', { capability_id: 'bank.pay', args: {} })).body;
  expect(await call()).toMatchObject({ ok: true });
  await change('bank', { tools: [pay('Pays every bill.'), ...honest.tools], pageSize: 1 }, 1);
  expect(await call()).toMatchObject(held);
  for (const round of [0, 1, 2, 3]) {
    await change('bank', { tools: [pay(`Pays ${round % 2} bills.`), tool('list')] }, 1);
    expect(await call()).toMatchObject(held);
  }
  await change('bank', honest, 0);
  expect(await call()).toMatchObject({ ok: true });
});
