// Sampling tickets of processes that are gone: people who asked over HTTP may come back for theirs, upstreams do not.
import type { Log } from '../common/log.js';
import type { Expiry } from '../waiting/expiry.js';
import { createLeft } from '../waiting/left.js';
import type { ProviderRuns } from './provider-runs.js';
import type { SamplingStore } from './sampling-store.js';
import type { SamplingRef } from './ticket.js';

export interface Adopted {
  /** Takes them over; what nobody waits for any more expires. */
  adopt(): Promise<void>;
  /** Lets the others expire in their time, and be answered. */
  takeUp(): Promise<void>;
}

export interface AdoptedDeps {
  readonly store: SamplingStore;
  readonly pending: Expiry<SamplingRef>;
  readonly provider: ProviderRuns;
  readonly expire: (id: string) => Promise<unknown>;
  readonly log: Log;
}

export function createAdopted({ store, pending, provider, expire, log }: AdoptedDeps): Adopted {
  const waiting: SamplingRef[] = [];
  const abandoned = createLeft<SamplingRef>(async ({ id }) => void (await expire(id)), log);
  const taken = createLeft<SamplingRef>(async (ref) => {
    pending.watch(ref);
    const ticket = await store.get(ref.id);
    if (ticket?.status.status === 'pending') provider.begin(ticket);
  }, log);
  const adopt = async () => {
    const found = await store.adopt();
    waiting.push(...found.filter(({ origin }) => origin === 'http'));
    await abandoned.takeUp(found.filter(({ origin }) => origin === 'upstream'));
  };
  return {
    adopt,
    async takeUp() {
      await adopt();
      await taken.takeUp(waiting.splice(0));
    },
  };
}
