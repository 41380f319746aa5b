// Waits for what a log does by itself. For tests only.
import { expect } from 'vitest';

export const until = (isSo: () => boolean) => expect.poll(isSo, { interval: 2 }).toBe(true);
