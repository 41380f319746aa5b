// Turns of children: one at once where nobody waits, the others in order, with a turn of the event loop between them.
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSpawnTurns } from './spawn-turns.js';

it('lets the event loop turn between two, and keeps their order', async () => {
  const turn = createSpawnTurns();
  const seen: string[] = [];
  const note = (name: string) => turn().then(() => seen.push(name));
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
