// Turns of children: the first starts at once, the others in order, with time for other work between them.
import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSpawnTurns } from './spawn-turns.js';

function noting({ next }: ReturnType<typeof createSpawnTurns>) {
  const seen: string[] = [];
  return { seen, note: (name: string) => next().then(() => seen.push(name)) };
}

it('lets the event loop turn between two, and keeps their order', async () => {
  const { seen, note } = noting(createSpawnTurns());
  const all = Promise.all(['a', 'b', 'c'].map(note));
  await Promise.resolve();
  await Promise.resolve();
  expect(seen).toEqual(['a']);
  await setImmediate();
  expect(seen).not.toContain('c');
  await all;
  expect(seen).toEqual(['a', 'b', 'c']);
  await note('d');
  expect(seen).toEqual(['a', 'b', 'c', 'd']);
});

it('gives a turn that took long a pause in which other timers run', async () => {
  const { next } = createSpawnTurns();
  const seen: string[] = [];
  const first = next().then(() => {
    for (const endsAt = performance.now() + 10; performance.now() < endsAt; ); // as a process that is started
    seen.push('first');
    return Promise.all([setTimeout(1), setImmediate()]).then(() => seen.push('others'));
  });
  await Promise.all([first, next().then(() => seen.push('second'))]);
  expect(seen).toEqual(['first', 'others', 'second']);
});

it('gives none while they are deferred', async () => {
  const turns = createSpawnTurns();
  const { seen, note } = noting(turns);
  turns.defer(30);
  const all = note('child');
  await setTimeout(1);
  expect(seen).toEqual([]);
  await all;
  expect(seen).toEqual(['child']);
});
