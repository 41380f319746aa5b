// V8's flags are those of the whole process; their hash, with which compiled code is kept, shows a change of them.
import { once } from 'node:events';
import { cachedDataVersionTag } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { holdYoungGeneration } from './young-generation.js';

it('changes a flag of V8 until it is released, so that compiled code is kept under the same flags as before', () => {
  const before = cachedDataVersionTag();
  const { release } = holdYoungGeneration([]);
  const held = cachedDataVersionTag();
  release();
  release();
  expect(held).not.toBe(before);
  expect(cachedDataVersionTag()).toBe(before);
});

it.each(['--max-semi-space-size=64', '--min_semi_space_size=16'])(
  'leaves a process alone that was started with %s',
  (flag) => {
    const before = cachedDataVersionTag();
    const { release } = holdYoungGeneration(['--enable-source-maps', flag]);
    expect(cachedDataVersionTag()).toBe(before);
    release();
    expect(cachedDataVersionTag()).toBe(before);
  },
);

it('lasts while a thread starts, whose heap sets the flag back', async () => {
  const { keepBeside, release } = holdYoungGeneration([]);
  const held = cachedDataVersionTag();
  const thread = new Worker('setInterval(() => {}, 1000)', { eval: true });
  keepBeside(thread);
  await once(thread, 'online');
  expect(cachedDataVersionTag()).toBe(held);
  release();
  await thread.terminate();
});
