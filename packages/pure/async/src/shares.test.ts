// One holder may have all that was promised to one; however much others have, the next holder finds room.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createShares } from './shares.js';

const hold = (shares: ReturnType<typeof createShares>, holder: readonly string[], tries: number) =>
  Array.from({ length: tries }, () => shares.take(holder)).filter((refusal) => refusal === undefined).length;

describe('createShares', () => {
  it('lets one holder have the whole limit, and no more', () => {
    const shares = createShares(() => 10);
    expect([hold(shares, ['a'], 50), shares.take(['a'])]).toEqual([10, { level: 0, held: 10 }]);
  });

  it('leaves room for those who come after one that takes all it can', () => {
    const shares = createShares(() => 1000);
    const taken = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => hold(shares, [name], 2000));
    expect(taken).toEqual([1000, 500, 250, 125, 62, 31, 16]);
  });

  it('shares the part of one holder again between its own', () => {
    const shares = createShares(() => 100);
    const taken = ['s', 't', 'u'].map((server) => hold(shares, ['a', server], 400));
    expect(taken).toEqual([100, 50, 25]);
    expect(shares.take(['a', 's'])).toEqual({ level: 1, held: 100 });
    expect(hold(shares, ['b', 's'], 400)).toBe(100);
  });

  it('names the share of the principal where a server of it that has nothing is refused', () => {
    const shares = createShares(() => 4);
    for (let n = 0; n < 12; n += 1) shares.take(['a', `s${n}`]);
    expect(shares.take(['a', 'new'])).toEqual({ level: 0, held: 7 });
    expect(shares.take(['b', 's0'])).toBeUndefined();
  });

  it('counts sizes, and gives back what was taken', () => {
    const shares = createShares(() => 100);
    expect([shares.take(['a'], 60), shares.take(['a'], 41)]).toEqual([undefined, { level: 0, held: 60 }]);
    shares.release(['a'], 60);
    expect([shares.heldBy('a'), shares.largest(), shares.take(['a'], 100)]).toEqual([0, undefined, undefined]);
  });

  it('counts what is there already, be it more than a share', () => {
    const shares = createShares(() => 2);
    for (let n = 0; n < 5; n += 1) shares.add(['a']);
    shares.add(['b']);
    expect([shares.take(['a']), shares.heldBy('a'), shares.largest()]).toEqual([{ level: 0, held: 5 }, 5, 'a']);
  });

  it('follows a limit that changes', () => {
    let limit = 1;
    const shares = createShares(() => limit);
    expect(hold(shares, ['a'], 5)).toBe(1);
    limit = 3;
    expect(hold(shares, ['a'], 5)).toBe(2);
  });

  it('refuses nothing below the limit, and never gives the last of it', () => {
    const holders = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 3 }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(holders, { maxLength: 200 }), (limit, takes) => {
        const shares = createShares(() => limit);
        let held = 0;
        for (const [principal, server] of takes) {
          const isRefused = shares.take([`p${principal}`, `s${server}`]) !== undefined;
          if (isRefused) expect(held).toBeGreaterThanOrEqual(limit);
          else held += 1;
          expect(held).toBeLessThan(limit * 4);
        }
      }),
    );
  });
});
