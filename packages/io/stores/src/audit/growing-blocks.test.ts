// How many records the newest blocks and the saved ones say there are, while blocks come and go.

import { genesisHead, seal } from '@portico/audit-chain';
import { expect, it } from 'vitest';
import type { Block } from './block.js';
import type { BlockStore } from './block-store.js';
import { createGrowingBlocks } from './growing-blocks.js';
import { draftOf } from './testing/audit-files.js';

/** Blocks by their first position. `beforeDrop` is waited for before any of them is removed. */
function createStore(beforeDrop: () => Promise<void>) {
  const blocks = new Map<number, Block>();
  const countRecords = async () => [...blocks.values()].reduce((sum, { count }) => sum + count, 0);
  const store: BlockStore = {
    async save(block) {
      blocks.set(block.firstSeq, block);
    },
    last: async () => undefined,
    countRecords,
    before: async () => [],
    from: async () => [],
    async *holding() {},
    clear: async () => blocks.clear(),
    async dropUpTo(end) {
      await beforeDrop();
      const gone = [...blocks.values()].filter((block) => block.end <= end);
      for (const { firstSeq } of gone) blocks.delete(firstSeq);
      return gone.reduce((sum, { count }) => sum + count, 0);
    },
  };
  return { store, countRecords };
}

it.each([1, 3])('is right where blocks are saved %i at a time while older ones are given up', async (atATime) => {
  let head = genesisHead;
  const append = (count: number) => {
    for (let i = 0; i < count; i++) {
      const { record } = seal(head, draftOf());
      blocks.add(record, record.seq - 1, record.seq);
      head = record;
    }
  };
  const { store, countRecords } = createStore(async () => {
    append(7);
    await blocks.saved();
  });
  const blocks = createGrowingBlocks(
    store,
    () => {},
    atATime,
    () => true,
  );
  blocks.start(0, 0);
  append(8);
  await blocks.forget(5);
  expect(blocks.total()).toBe(10);
  await blocks.close();
  const growing = blocks.inMemory().reduce((sum, { count }) => sum + count, 0);
  expect((await countRecords()) + growing).toBe(10);
});
