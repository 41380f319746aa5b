// The memory and resources of the daemon while it runs, and whether they grow from the first third of the load to the
// last, garbage collected.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, unless } from '../../faults/src/check.js';
import type { Measure, Service } from '../../fuzz/src/service.js';

const mebibyte = 1024 * 1024;

/**
 * Statistics of the samples of a third. Retained memory is in every sample, so the least shows it; large messages that
 * are under way at the moment of a sample are not in all of them. Resident memory fluctuates, so its median counts.
 */
const least = { name: 'least', of: (values: readonly number[]) => Math.min(...values) };
const median = {
  name: 'median',
  of(values: readonly number[]) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  },
};

/** Allowed growth from the first third to the last: caches that fill to their bounds, and the noise of a collector. */
const heapGrowth = { share: 0.1, bytes: 6 * mebibyte };
/** The allocator keeps what it once had, so this is only for a leak outside of the heap. */
const rssGrowth = { share: 0.25, bytes: 40 * mebibyte };

/** Measures at this interval until the signal aborts. */
export async function sample(service: Service, everyMs: number, signal: AbortSignal): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  while (!signal.aborted) {
    measures.push(await service.measure());
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
  return measures;
}

export function checkMemory(measures: readonly Measure[]): readonly Check[] {
  return [
    growth(
      'the heap does not grow',
      measures.map(({ memory }) => memory.heapUsed),
      heapGrowth,
      least,
    ),
    growth(
      'memory outside of the heap does not grow',
      measures.map(({ memory }) => memory.external),
      heapGrowth,
      least,
    ),
    growth(
      'the process does not grow',
      measures.map(({ memory }) => memory.rss),
      rssGrowth,
      median,
    ),
  ];
}

function growth(
  what: string,
  values: readonly number[],
  { share, bytes }: typeof heapGrowth,
  { name, of }: typeof least,
): Check {
  const third = Math.floor(values.length / 3);
  const first = of(values.slice(0, third));
  const last = of(values.slice(-third));
  const allowed = Math.max(first * share, bytes);
  const inMib = (size: number) => `${(size / mebibyte).toFixed(1)} MiB`;
  return {
    what,
    figures: `${name} of the first third ${inMib(first)}, of the last ${inMib(last)}, ${values.length} samples; at most ${inMib(allowed)} more`,
    problems: [
      ...unless(values.length >= 9, () => 'too few samples to compare; run it longer'),
      ...unless(values.length < 9 || last - first <= allowed, () => `grew by ${inMib(last - first)}`),
    ],
  };
}

/** How long what was under way may take to be given back. */
const settleMs = 40_000;

/** Waits until the daemon holds no more than before. Gives what it holds then, or at the end of its patience. */
export async function settled(service: Service, before: Measure): Promise<Measure> {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const now = await service.measure();
    if (heldMore(before, now).length === 0 || performance.now() > deadline) return now;
    await sleep(500);
  }
}

export function checkHandles(before: Measure, after: Measure): Check {
  const shown = ({ files, resources }: Measure) =>
    `${files} files, ${Object.entries(resources)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`;
  return {
    what: 'files, sockets, child processes and timers are given back',
    figures: `before the load ${shown(before)}; after it ${shown(after)}`,
    problems: heldMore(before, after),
  };
}

/** A few timers more are of what happened to be going on: a session that is checked, a ticket that will expire. */
const slack: Readonly<Record<string, number>> = { Timeout: 8 };

function heldMore(before: Measure, after: Measure): readonly string[] {
  const names = Object.keys(after.resources);
  return [
    ...unless(after.files <= before.files + 2, () => `${after.files} open files, ${before.files} before`),
    ...names.flatMap((name) => {
      const [then, now] = [before.resources[name] ?? 0, after.resources[name] ?? 0];
      return unless(now <= then + (slack[name] ?? 1), () => `${now} of ${name}, ${then} before`);
    }),
  ];
}
