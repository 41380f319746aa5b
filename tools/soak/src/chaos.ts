// The schedule of faults: which server, which fault, when. The same seed gives the same schedule.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../faults/src/random.js';

export const faultNames = [
  'crash',
  'hang',
  'mute',
  'errors',
  'flood_stderr',
  'flood_stdout',
  'malformed',
  'change',
] as const;
export type FaultName = (typeof faultNames)[number];

export interface Fault {
  readonly atMs: number;
  readonly server: string;
  readonly fault: FaultName;
  /** How long it lasts, where it lasts. */
  readonly ms: number;
}

/** Time between two faults, on average; together they leave the servers well for most of the time. */
const meanMs = 900;

export function planFaults(seed: number, servers: readonly string[], durationMs: number): readonly Fault[] {
  const random = createRandom(seed, 'faults');
  const planned: Fault[] = [];
  for (let atMs = 500; atMs < durationMs; atMs += random.between(meanMs / 3, (meanMs * 5) / 3)) {
    const server = servers[random.between(0, servers.length - 1)] ?? '';
    // A change of the list is the most frequent event in practice, and harmless.
    const fault = random.chance(0.2) ? 'change' : (faultNames[random.between(0, faultNames.length - 1)] ?? 'change');
    planned.push({ atMs, server, fault, ms: random.between(200, 3000) });
  }
  return planned;
}

/** Lets the faults happen when they are due. Resolves when the last one has been begun, or the signal aborts. */
export async function inject(
  folder: string,
  faults: readonly Fault[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const startedAt = performance.now();
  const begun: Record<string, number> = {};
  for (const { atMs, server, fault, ms } of faults) {
    await sleep(Math.max(0, startedAt + atMs - performance.now()), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    appendFileSync(join(folder, `${server}.faults`), `${JSON.stringify({ fault, ms })}\n`);
    begun[fault] = (begun[fault] ?? 0) + 1;
  }
  return begun;
}
