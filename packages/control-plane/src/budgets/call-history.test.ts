import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallHistory, type HistoryRules, type LoopKind } from './call-history.js';

const rules: HistoryRules = { identical: 3, withinSecs: 60, alternating: true };

/** Notes runs, a second apart, written as `<call><result>`, and gives the loop that the next call goes on with. */
function loopAfter(runs: string, call: string, own = rules, secondsLater = 0): LoopKind | undefined {
  const history = new CallHistory();
  const all = runs.split(' ').filter((each) => each !== '');
  for (const [at, [name = '', result = '']] of all.entries()) history.note(name, result, at * 1000, own);
  return history.loopOf(call, (all.length + secondsLater) * 1000, own)?.kind;
}

describe('the history of a caller', () => {
  it.each<[string, string, string, LoopKind | undefined]>([
    ['too few runs', 'a1 a1', 'a', undefined],
    ['as many runs as the limit', 'a1 a1 a1', 'a', 'identical'],
    ['another call after them', 'a1 a1 a1', 'b', undefined],
    ['a result that changed', 'a1 a1 a2', 'a', undefined],
    ['a result that changed and stays', 'a1 a2 a2 a2', 'a', 'identical'],
    ['another call between them', 'a1 a1 b1 a1', 'a', undefined],
    ['two calls in turns', 'a1 b2 a1 b2 a1 b2', 'a', 'alternating'],
    ['two calls in turns, too few', 'b2 a1 b2 a1 b2', 'a', undefined],
    ['two calls in turns, one result of which changes', 'a1 b2 a1 b3 a1 b4', 'a', undefined],
    ['a third call among them', 'a1 b2 c3 a1 b2 c3 a1 b2 c3', 'a', undefined],
    ['one call whose result takes turns', 'a1 a2 a1 a2 a1 a2', 'a', undefined],
    ['nothing', '', 'a', undefined],
  ])('with %s', (_what, runs, call, expected) => {
    expect(loopAfter(runs, call)).toBe(expected);
  });

  it('compares no calls in turns where that is off', () => {
    expect(loopAfter('a1 b2 a1 b2 a1 b2', 'a', { ...rules, alternating: false })).toBeUndefined();
  });

  it('counts runs within the time only', () => {
    expect([loopAfter('a1 a1 a1', 'a', rules, 56), loopAfter('a1 a1 a1', 'a', rules, 57)]).toEqual([
      'identical',
      undefined,
    ]);
  });

  it('ends a loop at the time that it says, if nothing is called until then', () => {
    const history = new CallHistory();
    for (const at of [0, 1000, 2000]) history.note('a', '1', at, rules);
    const loop = history.loopOf('a', 3000, rules);
    if (loop === undefined) throw new Error('no loop was found');
    expect(loop.endsAtMs).toBe(61_000);
    history.refuse('a', loop, 3000, rules);
    expect(history.loopOf('a', loop.endsAtMs - 1, rules)?.kind).toBe('identical');
    expect(history.loopOf('a', loop.endsAtMs, rules)).toBeUndefined();
  });

  it.each([['a1 a1 a1'], ['a1 b2 a1 b2 a1 b2']])('keeps a caller in its loop that only repeats it: %s', (runs) => {
    const history = new CallHistory();
    const all = runs.split(' ');
    for (const [name = '', result = ''] of all) history.note(name, result, 0, rules);
    for (let atMs = 1000; atMs < 50_000; atMs += 1000) {
      const loop = history.loopOf('a', atMs, rules);
      expect(loop).toBeDefined();
      if (loop !== undefined) history.refuse('a', loop, atMs, rules);
    }
  });

  it('refuses the other one of two calls in turns too', () => {
    const history = new CallHistory();
    for (const [name = '', result = ''] of 'a1 b2 a1 b2 a1 b2'.split(' ')) history.note(name, result, 0, rules);
    for (const call of ['a', 'b', 'a', 'b']) {
      const loop = history.loopOf(call, 1, rules);
      expect(loop?.kind).toBe('alternating');
      if (loop !== undefined) history.refuse(call, loop, 1, rules);
    }
  });

  it('never finds a loop in calls whose results all differ', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), (calls) => {
        const history = new CallHistory();
        for (const [at, call] of calls.entries()) {
          expect(history.loopOf(call, at, rules)).toBeUndefined();
          history.note(call, String(at), at, rules);
        }
      }),
    );
  });
});
