import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openGate } from './slots.js';

it('lets as many work at a time as there are slots, and the next when one is gone', async () => {
  const gate = await openGate(2);
  onTestFinished(() => gate.close());
  const [port] = Object.values(gate.env);
  const admitted: number[] = [];
  const workers = [0, 1, 2, 3].map((number) =>
    connect(Number(port), '127.0.0.1')
      .on('data', () => admitted.push(number))
      .on('error', () => {}),
  );
  await expect.poll(() => admitted.length).toBe(2);
  await sleep(50);
  expect(admitted).toHaveLength(2);
  workers[admitted[0] ?? 0]?.destroy();
  await expect.poll(() => admitted.length).toBe(3);
});
