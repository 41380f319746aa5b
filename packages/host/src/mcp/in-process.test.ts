// How a stdio server ends the service in its own process.
import { expect, it } from 'vitest';
import { createClosing } from '../closing.js';
import { type LinkedHost, linkInProcess } from './in-process.js';

/** A host of which one part cannot be closed, and what it logs. */
async function startStuck() {
  const closing = createClosing();
  closing.add(() => {
    throw new Error('stuck');
  });
  const logged: unknown[] = [];
  let handOver: (() => Promise<void>) | undefined;
  const host = {
    close: () => closing.close(),
    config: { mcp: { firstListWaitMs: 0 } },
    listenForJoiners: async (given: typeof handOver) => {
      handOver = given;
    },
    log: (level: string, message: string, fields?: object) => logged.push({ level, message, ...fields }),
    mcp: { servePipe: async () => ({ closed: Promise.resolve(), close: async () => {} }) },
  } as unknown as LinkedHost; // as much of one as is used
  const link = await linkInProcess(host, null);
  return { link, logged, handOver: () => handOver?.() };
}

const failure = { level: 'error', error: expect.objectContaining({ message: 'stuck' }) };

it('hands the state over and keeps its client where something cannot be closed', async () => {
  const { link, logged, handOver } = await startStuck();
  const handedOver = handOver();
  await link.leaving.asked;
  await link.leaving.finish();
  await link.close(); // as the relay does before it looks for the next service
  await handedOver;
  expect(logged).toMatchObject([failure]);
});

it('ends without a failure where its client has gone and something cannot be closed', async () => {
  const { link, logged } = await startStuck();
  await link.close();
  expect(logged).toMatchObject([failure]);
});
