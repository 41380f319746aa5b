// The fuzz run of `npm run fuzz` in short: the same code, one seed, and few enough cases to be quick.
import { expect, it } from 'vitest';
import { onCleanup } from '../../e2e/src/support/cleanup.js';
import { createScope } from '../../faults/src/scope.js';
import { toText } from './finding.js';
import { heldMore, runRound, verifyOffline } from './round.js';
import { openWorld } from './world.js';

const seed = 8;

it(`answers every request as documented, in time, and survives (seed ${seed})`, async () => {
  const scope = createScope();
  onCleanup(() => scope.close());
  const world = await openWorld(scope);
  const before = await world.service.measure();
  const { cases, findings } = await runRound(scope, world, seed, { http: 25, mcp: 40 });
  expect(findings.map(toText)).toEqual([]);
  expect(Object.values(cases).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1000);
  expect(await heldMore(world.service, before)).toEqual([]);
  expect(await world.service.stop()).toBe(0);
  expect(verifyOffline(world.service)).toMatchObject({ code: 0 });
}, 180_000);
