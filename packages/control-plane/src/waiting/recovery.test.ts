// The claimed work of stopped processes is retried until it is done, once.
import { describe, expect, it } from 'vitest';
import { createRecovery } from './recovery.js';

describe('what is left', () => {
  it('is done for each, and what fails is tried again with the next', async () => {
    const done: string[] = [];
    const log: string[] = [];
    let isFailing = true;
    const left = createRecovery<{ readonly id: string }>(
      async ({ id }) => {
        if (id === 'b' && isFailing) throw new Error('the store fails');
        done.push(id);
      },
      (level, message) => log.push(`${level} ${message}`),
    );
    expect(await left.recover([{ id: 'a' }, { id: 'b' }, { id: 'c' }])).toBe(false);
    expect(done).toEqual(['a', 'c']);
    expect(await left.recover([])).toBe(false);
    expect(log).toHaveLength(2);
    isFailing = false;
    expect(await left.recover([{ id: 'd' }])).toBe(true);
    expect(await left.recover([])).toBe(true);
    expect([done, log.length]).toEqual([['a', 'c', 'b', 'd'], 2]);
  });
});
