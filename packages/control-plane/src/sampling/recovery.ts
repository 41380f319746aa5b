// Sampling tickets of stopped processes: people who asked over HTTP may come back for theirs, upstreams do not.
import type { Log } from '../common/log.js';
import type { Expiry } from '../waiting/expiry.js';
import { createRecovery } from '../waiting/recovery.js';
import type { ProviderRuns } from './provider-runs.js';
import type { SamplingStore } from './sampling-store.js';
import type { SamplingRef } from './ticket.js';

export interface SamplingRecovery {
  /** Claims them; tickets without a waiting caller expire. */
  claim(): Promise<void>;
  /** Lets the others expire in their time, and be answered. @returns whether nothing is left to try again */
  recover(): Promise<boolean>;
}

export interface SamplingRecoveryDeps {
  readonly store: SamplingStore;
  readonly pending: Expiry<SamplingRef>;
  readonly provider: ProviderRuns;
  readonly expire: (id: string) => Promise<unknown>;
  readonly log: Log;
}

export function createSamplingRecovery({
  store,
  pending,
  provider,
  expire,
  log,
}: SamplingRecoveryDeps): SamplingRecovery {
  const waiting: SamplingRef[] = [];
  const abandoned = createRecovery<SamplingRef>(async ({ id }) => void (await expire(id)), log);
  const taken = createRecovery<SamplingRef>(async (ref) => {
    pending.watch(ref);
    const ticket = await store.get(ref.id);
    if (ticket?.status.status === 'pending') provider.begin(ticket);
  }, log);
  const claim = async () => {
    const found = await store.claim();
    waiting.push(...found.filter(({ origin }) => origin === 'http'));
    return abandoned.recover(found.filter(({ origin }) => origin === 'upstream'));
  };
  return {
    async claim() {
      await claim();
    },
    async recover() {
      const isAbandonedDone = await claim();
      return (await taken.recover(waiting.splice(0))) && isAbandonedDone;
    },
  };
}
