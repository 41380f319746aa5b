import { describe, expect, it } from 'vitest';
import { judge, meanMetrics } from './metrics.js';

const grades = { meant: 2, acceptable: 1, trap: 0 };

describe('judge', () => {
  it('gives full marks to the ideal answer', () => {
    expect(judge(['meant', 'acceptable'], grades)).toEqual({ recallAt5: 1, mrr: 1, ndcgAt10: 1 });
  });

  it('counts for recall only what is among the first five', () => {
    const answer = ['meant', 'a', 'b', 'c', 'd', 'acceptable'];
    expect(judge(answer, grades).recallAt5).toBe(0.5);
  });

  it('takes the reciprocal rank of the first relevant tool, and a trap is not relevant', () => {
    expect(judge(['trap', 'a', 'acceptable'], grades).mrr).toBeCloseTo(1 / 3);
  });

  it('discounts gain by the logarithm of the rank', () => {
    const ideal = 2 + 1 / Math.log2(3);
    expect(judge(['acceptable', 'meant'], grades).ndcgAt10).toBeCloseTo((1 + 2 / Math.log2(3)) / ideal);
  });

  it('ignores repeated ids and ids past the tenth', () => {
    const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    expect(judge([...others, 'meant'], grades)).toEqual({ recallAt5: 0, mrr: 0, ndcgAt10: 0 });
    expect(judge(['a', 'a', 'meant'], grades).mrr).toBe(0.5);
  });

  it('gives zeros to an empty answer', () => {
    expect(judge([], grades)).toEqual({ recallAt5: 0, mrr: 0, ndcgAt10: 0 });
  });
});

describe('meanMetrics', () => {
  it('averages each figure, and is zero over nothing', () => {
    const one = { recallAt5: 1, mrr: 0.5, ndcgAt10: 0 };
    const other = { recallAt5: 0, mrr: 0.5, ndcgAt10: 1 };
    expect(meanMetrics([one, other])).toEqual({ recallAt5: 0.5, mrr: 0.5, ndcgAt10: 0.5 });
    expect(meanMetrics([])).toEqual({ recallAt5: 0, mrr: 0, ndcgAt10: 0 });
  });
});
