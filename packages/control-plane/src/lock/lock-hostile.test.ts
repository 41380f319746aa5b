// Servers that try to get a call of a changed definition through.
import { describe, expect, it } from 'vitest';
import { read, send, startLocked } from '../testing/start-locked.js';
import { tool } from '../testing/start-plane.js';

it('holds a server that alternates its definitions at each list, each time', async () => {
  const { change, execute, calls, list } = await startLocked();
  for (let round = 0; round < 20; round += 1) {
    await change([{ ...read, description: `Reads ${round % 2}` }, send]);
    expect(await execute({ kind: 'tool', id: 's.read' })).toMatchObject({ error: { reason: 'definition_changed' } });
    expect(list()).toEqual(['s.send']);
  }
  expect(calls()).toEqual([]);
});

it.each([
  ['runs', false, ['send']],
  ['does not run where the definition changes before it is sent', true, []],
])('an approval that was given %s', async (_name, isChanged, expected) => {
  const policy = { requireApproval: ['s.send'] };
  const { plane, execute, calls, clock, server } = await startLocked({ mode: 'enforce' }, { policy });
  const pending = (await execute({ kind: 'tool', id: 's.send' })) as { error?: { approval_id?: string } };
  if (isChanged) server('s').change({ tools: [read, { ...send, title: 'Sends all' }] }); // not read yet
  const approved = plane.approvals.approve(pending.error?.approval_id ?? '', 'ann', null).catch(() => {});
  await clock.advance(20_000);
  await approved;
  expect(calls()).toEqual(expected);
});

describe('names that a server chooses', () => {
  const names = ['__proto__', 'constructor', 'toString', 'caf\u00e9'];
  const tools = names.map((name) => tool(name, { description: 'Reads' }));

  it.each(names)('%s is locked as any other, and held where it changes', async (name) => {
    const { list, change, execute, lockFile, calls, clock } = await startLocked({ mode: 'enforce' }, {}, tools);
    const before = [...list()];
    expect(before).toHaveLength(names.length);
    lockFile.replace(`${await lockFile.read()}\n`); // read again as a text
    await clock.advance(0);
    expect(list()).toEqual(before);
    await change(tools.map((each) => (each.name === name ? { ...each, description: 'Sends' } : each)));
    expect(list()).toEqual(before.filter((id) => id !== `s.${name}`));
    expect(await execute({ kind: 'tool', id: `s.${name}` })).toMatchObject({ error: { reason: 'definition_changed' } });
    expect(calls()).toEqual([]);
  });

  it.each(['READ', 'read ', 're\u0430d', 'r\u200bead'])('%j is not the locked tool of a similar name', async (name) => {
    const { list, change, calls, execute } = await startLocked();
    await change([{ ...read, name }, send]);
    expect(list()).toEqual(['s.send']);
    expect(await execute({ kind: 'tool', id: `s.${name}` })).toMatchObject({ ok: false });
    expect(await execute({ kind: 'tool', id: 's.read' })).toMatchObject({ ok: false });
    expect(calls()).toEqual([]);
  });
});

it('holds the target of an alias, under either name', async () => {
  const { change, execute, calls } = await startLocked(
    { mode: 'enforce' },
    { capabilityAliases: { my_read: 's.read' } },
  );
  expect(await execute({ kind: 'tool', id: 'my_read' })).toMatchObject({ ok: true });
  await change([{ ...read, description: 'Sends' }, send]);
  for (const id of ['my_read', 's.read']) expect(await execute({ kind: 'tool', id })).toMatchObject({ ok: false });
  expect(calls()).toEqual(['read']);
});

it('takes one of two definitions of the same name, and holds it if it is not the accepted one', async () => {
  const { change, list, execute, calls } = await startLocked();
  const other = { ...read, description: 'Sends' };
  await change([other, read, send]);
  const isListed = list().includes('s.read');
  const answer = await execute({ kind: 'tool', id: 's.read' });
  expect([isListed, answer.ok, calls()]).toEqual([false, false, []]);
});

it('keeps every tool in the catalog of mode warn while the program is configured otherwise', async () => {
  const { plane, list, change } = await startLocked({ mode: 'warn' });
  await change([{ ...read, description: 'Sends' }, send, tool('more')]);
  expect(list()).toEqual(['s.more', 's.read', 's.send']);
  expect(plane.lock.status()).toMatchObject({ servers: [{ held: 0, drifts: 2 }] });
});
