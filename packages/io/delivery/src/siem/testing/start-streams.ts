// Streams that are running, and what they log. For tests only.
import type { SiemTarget, SiemWebhook, SplunkHec } from '@portico/contracts';
import { type Counter, createCounter } from '../../testing/counter.js';
import { createMemoryCursors, type SiemCursors } from '../siem-cursors.js';
import { createSiemStreams, type SiemStreams, type SiemStreamsOptions } from '../siem-streams.js';
import { createSleeplessClock } from './clocks.js';

export interface StartedStreams extends SiemStreams {
  /** Level, message and fields. */
  readonly lines: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[];
  readonly logged: Counter;
  /** Every position that was kept, as `[target, seq]`. */
  readonly kept: readonly (readonly [string, number])[];
  /** Resolves when a position as high as this was kept. */
  reaches(seq: number): Promise<void>;
}

export function startStreams(
  options: Pick<SiemStreamsOptions, 'audit' | 'targets'> & Partial<SiemStreamsOptions>,
): StartedStreams {
  const lines: [string, string, Readonly<Record<string, unknown>>][] = [];
  const logged = createCounter();
  const { cursors, kept, reaches } = watchCursors(options.cursors ?? createMemoryCursors());
  const streams = createSiemStreams({
    maxBatchSize: 100,
    flushIntervalMs: 1,
    log(level, message, fields = {}) {
      lines.push([level, message, fields]);
      logged.add();
    },
    clock: createSleeplessClock(),
    randomUnit: () => 0,
    ...options,
    cursors,
  });
  streams.start();
  return { ...streams, lines, logged, kept, reaches };
}

export function webhookTo(origin: string, rest: Partial<SiemWebhook> = {}): SiemTarget {
  return { kind: 'webhook', url: `${origin}/events`, authHeader: null, headers: {}, ...rest };
}

export function splunkAt(origin: string, rest: Partial<SplunkHec> = {}): SiemTarget {
  return { kind: 'splunk_hec', url: `${origin}/`, token: 'hec-token', index: null, source: null, ...rest };
}

function watchCursors(cursors: SiemCursors) {
  const kept: [string, number][] = [];
  let waiters: readonly { readonly target: number; readonly resolve: () => void }[] = [];
  return {
    kept,
    reaches: (target: number) =>
      new Promise<void>((resolve) => {
        if (kept.some(([, seq]) => seq >= target)) resolve();
        else waiters = [...waiters, { target, resolve }];
      }),
    cursors: {
      get: cursors.get,
      async set(target: string, seq: number) {
        await cursors.set(target, seq);
        kept.push([target, seq]);
        for (const waiter of waiters) if (seq >= waiter.target) waiter.resolve();
      },
    },
  };
}
