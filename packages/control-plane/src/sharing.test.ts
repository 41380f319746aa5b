// The work of stopped processes is claimed once at a time, and never after the end.
import { expect, it } from 'vitest';
import { createMemoryStores } from './memory-stores.js';
import { noPeers } from './peers/peers.js';
import { startPlane, stopped } from './testing/start-plane.js';

/** A plane that has started, and is about to claim what is left: each time waits to be let on, or to be failed. */
async function startClaiming() {
  const stores = createMemoryStores(stopped);
  const waiting: ((error?: Error) => void)[] = [];
  let signalGone = () => {};
  const claim = async () => {
    const error = await new Promise<Error | undefined>((resolve) => waiting.push(resolve));
    if (error !== undefined) throw error;
    return stores.tickets.claim();
  };
  const peers = {
    ...noPeers,
    onGone(listener: () => void) {
      signalGone = listener;
      return () => {
        signalGone = () => {};
      };
    },
  };
  const { plane, clock } = startPlane({}, {}, { ...stores, tickets: { ...stores.tickets, claim }, peers });
  await clock.advance(0);
  const letOn = async (error?: Error) => {
    waiting.shift()?.(error);
    await clock.advance(0);
  };
  return { plane, clock, waiting, letOn, signalGone: () => signalGone() };
}

it('claims once more for all that went in between, when it has done so', async () => {
  const { clock, waiting, letOn, signalGone } = await startClaiming();
  expect(waiting).toHaveLength(1);
  signalGone();
  signalGone();
  await clock.advance(0);
  expect(waiting).toHaveLength(1);
  await letOn();
  expect(waiting).toHaveLength(1);
  await letOn();
  expect(waiting).toHaveLength(0);
});

it('has claimed what it was at when it is closed', async () => {
  const { plane, clock, letOn } = await startClaiming();
  let isClosed = false;
  const closing = plane.close(0).then(() => {
    isClosed = true;
  });
  await clock.advance(0);
  expect(isClosed).toBe(false);
  await letOn();
  await closing;
});

it('claims again a second after that has failed, until it is closed', async () => {
  const { plane, clock, waiting, letOn } = await startClaiming();
  await letOn(new Error('the store is busy'));
  await clock.advance(999);
  expect(waiting).toHaveLength(0);
  await clock.advance(1);
  expect(waiting).toHaveLength(1);
  await letOn(new Error('the store is busy'));
  await plane.close(0);
  await clock.advance(10_000);
  expect(waiting).toHaveLength(0);
});

it('tries again what could not be recovered of one ticket', async () => {
  const stores = createMemoryStores(stopped);
  const ticket = {
    id: 'appr-1',
    principal: 'ann',
    serverId: 's',
    requestId: null,
    key: null,
    expiresAtMs: 0,
    argsLength: 0,
  };
  const found = [{ pending: [], approved: [ticket] }];
  const claim = async () => found.shift() ?? { pending: [], approved: [] };
  let reads = 0;
  const get = async () => {
    reads += 1;
    if (reads === 1) throw new Error('the store is busy');
    return undefined;
  };
  const { clock } = startPlane({}, {}, { ...stores, tickets: { ...stores.tickets, claim, get } });
  await clock.advance(999);
  expect(reads).toBe(1);
  await clock.advance(1);
  expect(reads).toBe(2);
  await clock.advance(10_000);
  expect(reads).toBe(2);
});
