// What processes that are gone have left is adopted one time after the other, and never after the end.
import { expect, it } from 'vitest';
import { createMemoryStores } from './memory-stores.js';
import { noNeighbours } from './neighbours/neighbours.js';
import { startPlane, stopped } from './testing/start-plane.js';

/** A plane that has started, and is about to adopt what is left: each time waits to be let on. */
async function startAdopting() {
  const stores = createMemoryStores(stopped);
  const waiting: (() => void)[] = [];
  let tellGone = () => {};
  const adopt = async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return stores.tickets.adopt();
  };
  const neighbours = {
    ...noNeighbours,
    onGone(listener: () => void) {
      tellGone = listener;
      return () => {
        tellGone = () => {};
      };
    },
  };
  const { plane, clock } = startPlane({}, {}, { ...stores, tickets: { ...stores.tickets, adopt }, neighbours });
  await clock.advance(0);
  const letOn = async () => {
    waiting.shift()?.();
    await clock.advance(0);
  };
  return { plane, clock, waiting, letOn, tellGone: () => tellGone() };
}

it('adopts for all that go meanwhile once more, when it has done so', async () => {
  const { clock, waiting, letOn, tellGone } = await startAdopting();
  expect(waiting).toHaveLength(1);
  tellGone();
  tellGone();
  await clock.advance(0);
  expect(waiting).toHaveLength(1);
  await letOn();
  expect(waiting).toHaveLength(1);
  await letOn();
  expect(waiting).toHaveLength(0);
});

it('has adopted what it was at when it is closed', async () => {
  const { plane, clock, letOn } = await startAdopting();
  let isClosed = false;
  const closing = plane.close(0).then(() => {
    isClosed = true;
  });
  await clock.advance(0);
  expect(isClosed).toBe(false);
  await letOn();
  await closing;
});
