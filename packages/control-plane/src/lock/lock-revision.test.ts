// The revision by which programs that poll see that a difference is another.
import { expect, it } from 'vitest';
import type { PlaneState } from '../state/plane-state.js';
import { createRevision } from './lock-views.js';

const stateWith = (...digests: readonly string[]) => {
  const drifts = digests.map((digest, at) => ({ id: `tool:s.${at}`, digest }));
  const lock = { loaded: { lock: new Map() }, servers: new Map([['s', { drifts }]]) };
  return { lock, config: { servers: new Map([['s', {}]]) } } as unknown as PlaneState;
};

it('is another once a difference has another digest, and the same while nothing differs otherwise', () => {
  const revisionOf = createRevision();
  const revisions = [stateWith('a'), stateWith('a'), stateWith('b'), stateWith('b', 'c'), stateWith('a')].map(
    revisionOf,
  );
  expect(revisions[1]).toBe(revisions[0]);
  expect(revisions[4]).toBe(revisions[0]);
  expect(new Set(revisions).size).toBe(3);
});
