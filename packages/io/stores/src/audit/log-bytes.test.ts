// How many files a log over many segments holds open.
import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { createSegmentedBytes } from './log-bytes.js';

const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);

afterEach(() => {
  process.off('unhandledRejection', note);
  unhandled.splice(0);
});

it('does not grow with the segments that are sealed, also where one cannot be closed', async () => {
  process.on('unhandledRejection', note);
  let open = 0;
  const handle = (fails = false): FileHandle => {
    open += 1;
    const close = async () => {
      open -= 1;
      if (fails) throw new Error('EIO');
    };
    return { close } as unknown as FileHandle;
  };
  const bytes = createSegmentedBytes([], 0, handle(true));
  for (let i = 0; i < 50; i++) {
    await bytes.rotated({ path: `log.${i}`, start: i, size: 1, identity: String(i) }, handle());
  }
  await setImmediate();
  expect([open, unhandled]).toEqual([5, []]); // four segments, and the file that grows
  await bytes.close();
  expect(open).toBe(0);
});
