// The behaviour of every task store: one suite over every implementation.
import { createMemoryTaskStore, type Task, type TaskStore } from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { createTaskStore } from './tasks.js';
import { createGenerations } from './testing/generations.js';
import { useDatabases } from './testing/use-databases.js';

const { postgres, sqlites } = await useDatabases();
const { openFirst, laterOf } = createGenerations(createTaskStore);

const implementations: readonly (readonly [string, () => Promise<TaskStore>])[] = [
  ['memory', async () => createMemoryTaskStore()],
  ...sqlites.map(({ name, open }) => [name, async () => openFirst(await open())] as const),
  ['PostgreSQL', async () => openFirst(await postgres.open())],
];

const taskOf = (some: Partial<Task> = {}): Task => ({
  id: 'task-1',
  principal: 'ann',
  kind: 'tool',
  capabilityId: 's.a',
  requestId: 'r — nie 🙅',
  key: 'k',
  traceId: 'a'.repeat(32),
  status: 'working',
  statusMessage: null,
  createdAtMs: 1_760_000_000_123,
  updatedAtMs: 1_760_000_000_123,
  inputRequests: null,
  result: null,
  source: null,
  ...some,
});
const all = { principal: 'ann', limit: 10, offset: 0 };
const idsOf = ({ tasks }: Awaited<ReturnType<TaskStore['list']>>) => tasks.map(({ id }) => id);

describe.each(implementations)('tasks in %s', (_name, open) => {
  it('say how much is kept of each principal', async () => {
    const store = await open();
    expect(await store.sizes()).toEqual([]);
    await store.add(taskOf());
    await store.add(taskOf({ id: 'task-2', createdAtMs: taskOf().createdAtMs - 1, result: 'x'.repeat(20_000) }));
    await store.add(taskOf({ id: 'task-3', principal: 'bob' }));
    const sums: Record<string, [number, number, number]> = {};
    for (const { principal, tasks, bytes, createdAtMs } of await store.sizes()) {
      const [count, sum, last] = sums[principal] ?? [0, 0, 0];
      sums[principal] = [count + tasks, sum + bytes, Math.max(last, createdAtMs)];
    }
    const { createdAtMs } = taskOf();
    expect(sums).toEqual({ ann: [2, 20_000, createdAtMs], bob: [1, 0, createdAtMs] });
  });

  it('are kept as they are', async () => {
    const store = await open();
    const full = taskOf({ status: 'input_required', inputRequests: { q1: { method: 'roots/list', params: {} } } });
    const bare = taskOf({ id: 'task-2', requestId: null, key: null });
    for (const task of [full, bare]) await store.add(task);
    expect([await store.get('task-1'), await store.get('task-2')]).toEqual([full, bare]);
    for (const id of ['', 'task-', 'task-3', 'TASK-1']) expect(await store.get(id)).toBeUndefined();
  });

  it('change in what is named, until they have ended', async () => {
    const store = await open();
    await store.add(taskOf());
    const asking = { status: 'input_required', inputRequests: { q1: {} }, updatedAtMs: 1_760_000_001_000 } as const;
    expect(await store.change('task-1', asking)).toEqual(taskOf(asking));
    const ended = { status: 'completed', inputRequests: null, result: '{"ok":true}' } as const;
    const changed = taskOf({ ...ended, updatedAtMs: 1_760_000_001_000 });
    expect(await store.change('task-1', ended)).toEqual(changed);
    expect(await store.change('task-1', { status: 'failed', statusMessage: 'late' })).toBeUndefined();
    expect(await store.change('task-9', ended)).toBeUndefined();
    expect(await store.get('task-1')).toEqual(changed);
  });

  it('end once, however many try', async () => {
    const store = await open();
    await store.add(taskOf());
    const ends = ['completed', 'failed', 'cancelled', 'failed'] as const;
    const results = await Promise.all(ends.map((status) => store.change('task-1', { status })));
    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
  });

  it('are listed to those whose they are, newest first, in pages and by status', async () => {
    const store = await open();
    for (let n = 1; n <= 4; n++) await store.add(taskOf({ id: `task-${n}` }));
    await store.add(taskOf({ id: 'task-5', principal: 'bob' }));
    await store.change('task-2', { status: 'failed' });
    expect(idsOf(await store.list(all))).toEqual(['task-4', 'task-3', 'task-2', 'task-1']);
    const page = await store.list({ ...all, limit: 2, offset: 1 });
    expect([page.total, idsOf(page)]).toEqual([4, ['task-3', 'task-2']]);
    expect(idsOf(await store.list({ ...all, status: 'failed' }))).toEqual(['task-2']);
    expect((await store.list({ ...all, principal: 'eve' })).total).toBe(0);
    expect((await laterOf(store).claim()).map(({ id }) => id)).toEqual(['task-1', 'task-3', 'task-4', 'task-5']);
  });

  it('are removed when they are old and have ended', async () => {
    const store = await open();
    for (let n = 1; n <= 3; n++) await store.add(taskOf({ id: `task-${n}`, createdAtMs: n * 1000 }));
    for (const id of ['task-1', 'task-3']) await store.change(id, { status: 'completed' });
    expect(await store.purge(3000)).toBe(1);
    expect(idsOf(await store.list(all))).toEqual(['task-3', 'task-2']);
  });
});
