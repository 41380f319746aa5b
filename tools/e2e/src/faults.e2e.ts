// The kill storm of `npm run test:faults` in short: the same code and the same invariants, a few kills, a fixed seed.
import { expect, it } from 'vitest';
import { createScope } from '../../faults/src/scope.js';
import { runStorm } from '../../faults/src/storm.js';
import { onCleanup } from './support/cleanup.js';

it('runs each key at most once and keeps every answer when the daemon is killed at random moments', async () => {
  const scope = createScope();
  onCleanup(() => scope.close());
  const checks = await runStorm(scope, { kills: 8, seed: 3, needsAmbiguity: false });
  expect(checks.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(checks).toHaveLength(7);
});
