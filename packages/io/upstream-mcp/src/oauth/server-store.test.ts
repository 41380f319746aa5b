// A removed server keeps no login, even if its sessions still run.
import { expect, test } from 'vitest';
import { createRetainedStore } from './server-store.js';
import { createMemoryOAuthStore, type OAuthStore } from './store.js';

const key = { server: 's', issuer: 'https://as.test' };
const record = { registration: { clientId: 'c', secretExpiresAtEpochMs: null, redirectUri: 'http://127.0.0.1/' } };

/** A store whose writes wait until they are let go. */
function slow(store: OAuthStore) {
  const waiting: (() => void)[] = [];
  const order: string[] = [];
  const turn = (what: string) => {
    order.push(what);
    return new Promise<void>((resolve) => void waiting.push(resolve));
  };
  const slowed: OAuthStore = {
    ...store,
    set: (...given) => turn('set').then(() => store.set(...given)),
    retain: (servers) => turn(`retain ${servers.join()}`).then(() => store.retain(servers)),
  };
  const letGo = async () => {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { slowed, order, letGo };
}

test('what was being saved is deleted with the rest, and later saves are dropped', async () => {
  const store = createMemoryOAuthStore();
  const { slowed, order, letGo } = slow(store);
  const retained = createRetainedStore(slowed);
  const removed = retained.of('s');
  const saved = removed.set(key, record);
  await new Promise((resolve) => setImmediate(resolve));
  const [first, second] = [retained.retain([]), retained.retain(['s'])];
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual(['set']);
  await letGo();
  expect(order).toEqual(['set', 'retain ']);
  const anew = retained.of('s').set(key, record); // waits for both
  await letGo();
  expect(order).toEqual(['set', 'retain ', 'retain s']);
  expect(await store.get(key)).toBeUndefined();
  await letGo();
  await letGo();
  await Promise.all([saved, first, second, anew]);
  expect(await store.get(key)).toEqual(record);
  await removed.delete(key);
  await removed.set(key, {});
  expect([await store.get(key), await removed.get(key)]).toEqual([record, undefined]);
});

test('a deletion that failed is reported, and repeated by the next one', async () => {
  const store = createMemoryOAuthStore();
  await store.set(key, record);
  let isBroken = true;
  const retained = createRetainedStore({
    ...store,
    retain: (servers) => (isBroken ? Promise.reject(new Error('disk')) : store.retain(servers)),
  });
  await expect(retained.retain([])).rejects.toThrow('disk');
  isBroken = false;
  await retained.retain([]);
  expect(await store.get(key)).toBeUndefined();
});
