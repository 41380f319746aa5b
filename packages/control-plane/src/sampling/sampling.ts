// Sampling tickets at work: opened, answered or expired, each step recorded, while the asking server or caller waits.
import { type AbortSignalLike, AbortSource } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { AuditLog } from '../audit/audit-log.js';
import { kept } from '../call/failures.js';
import { ServiceStopping } from '../call/operations.js';
import type { PlaneState } from '../state/plane-state.js';
import { createExpiry, type Expiry } from '../waiting/expiry.js';
import { followSettled } from '../waiting/follow-settled.js';
import { createWaiters } from '../waiting/waiters.js';
import { type AskCaller, ask, type SamplingTickets } from './ask.js';
import { createProviderRuns, type ProviderRunsDeps } from './provider-runs.js';
import { createSamplingRecovery } from './recovery.js';
import { samplingDraft } from './sampling-draft.js';
import type { SamplingQuery, SamplingStore, SettledSampling } from './sampling-store.js';
import type { SamplingInput, SamplingRef, SamplingTicket } from './ticket.js';
import { createSamplingOpening, createSamplingRoom } from './ticket-opening.js';

export interface SamplingDeps extends ProviderRunsDeps {
  readonly samplingTickets: SamplingStore;
  readonly audit: AuditLog;
}

export interface Sampling extends SamplingTickets {
  /**
   * Claims tickets of stopped processes: those of upstreams expire, since no server waits for them any more; the rest
   * is for people. Call it before anything else.
   */
  claim(): Promise<void>;
  /** Lets what was taken over expire in its time, and be answered. @returns whether nothing is left to try again */
  recover(): Promise<boolean>;
  /**
   * Asks for a server through a ticket, and its caller where that can be asked: the first answer wins, and is given.
   * A caller's refusal is passed on. @throws ServerRequestRefused when no answer comes in time, or too much waits
   */
  ask(input: SamplingInput, askCaller: AskCaller | undefined, signal: AbortSignalLike): Promise<JsonObject>;
  get(id: string): Promise<SamplingTicket | undefined>;
  list(query: SamplingQuery): ReturnType<SamplingStore['list']>;
  /** Ends every wait, and resolves when all questions have ended. */
  close(): Promise<void>;
}

export function createSampling(on: SamplingDeps, state: () => PlaneState): Sampling {
  const { samplingTickets: store, audit, clock, log } = on;
  const waiters = createWaiters(clock);
  const closing = new AbortSource(); // any number wait for it
  const asking = new Set<Promise<unknown>>();

  const room = createSamplingRoom(() => state().config.limits);
  const expire = async (ref: SamplingRef) => {
    if (clock.epochMs() < ref.expiresAtMs) return pending.watch(ref); // set back, a clock makes the timer early
    await settle(ref.id, { status: 'expired' });
    pending.unwatch(ref.id);
  };
  const pending: Expiry<SamplingRef> = createExpiry(clock, log, expire, room);
  const provider = createProviderRuns(on, state, (id, result) => complete(id, result));

  const isPending = async (id: string) => (await store.get(id))?.status.status === 'pending';
  const following = followSettled({ follow: store.follow, pending, waiters, isPending, onSettled: provider.stop, log });

  const openTicket = createSamplingOpening({ store, room, pending, following });
  const toAudit = (ticket: SamplingTicket) => samplingDraft(ticket, clock.epochMs(), state().policy.redactor);

  const settle = async (id: string, status: SettledSampling) => {
    const ticket = await kept(store.settle(id, status));
    if (ticket === undefined) return undefined;
    pending.unwatch(id);
    provider.stop(id);
    try {
      await audit.append(toAudit(ticket));
    } finally {
      waiters.wake(id);
    }
    return ticket;
  };

  /** An answer that could not be recorded is not taken. */
  const complete: Sampling['complete'] = async (id, result) => {
    const ticket = await store.get(id);
    if (ticket?.status.status !== 'pending') return undefined;
    const action = await audit.begin();
    try {
      const isOverdue = clock.epochMs() >= ticket.expiresAtMs; // its timer is only not there yet
      if (!isOverdue) return await settle(id, { status: 'completed', result });
      await settle(id, { status: 'expired' });
      return undefined;
    } finally {
      await action.end();
    }
  };

  const sampling: Sampling = {
    ...createSamplingRecovery({ store, pending, provider, log, expire: (id) => settle(id, { status: 'expired' }) }),
    async open(input) {
      const action = await audit.begin();
      try {
        const createdAtMs = clock.epochMs();
        const expiresAtMs = createdAtMs + state().config.policy.approvalTimeoutSecs * 1000;
        const ticket = await openTicket({ ...input, createdAtMs, expiresAtMs });
        await audit.append(toAudit(ticket)).catch(async (error: unknown) => {
          await sampling.abandon(ticket.id);
          throw error;
        });
        provider.begin(ticket);
        return ticket;
      } finally {
        await action.end();
      }
    },
    async wait(id, waitMs, signals) {
      const isOver = async () => !(await isPending(id));
      closing.throwIfAborted();
      await waiters.wait(id, isOver, waitMs, [...signals, closing]);
      return store.get(id);
    },
    complete,
    leftToPeople: provider.leftToPeople,
    async abandon(id) {
      try {
        const ended = (await settle(id, { status: 'expired' })) ?? (await store.get(id));
        return ended?.status.status === 'completed' ? ended.status.result : undefined;
      } catch (error) {
        log('error', 'a ticket without a waiting caller could not be closed', { ticket_id: id, error });
        return undefined;
      }
    },
    ask: (input, askCaller, signal) => tracked(asking, ask(sampling, input, askCaller, signal)),
    get: store.get,
    list: store.list,
    async close() {
      closing.abort(new ServiceStopping('the service is stopping'));
      following.stop();
      pending.close();
      await provider.close();
      await Promise.allSettled([...asking]);
    },
  };
  return sampling;
}

function tracked<T>(all: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  all.add(work);
  return work.finally(() => all.delete(work));
}
