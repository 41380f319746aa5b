// Waits for what the system does not report.
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 10;

/** Whether a condition came true in that time. */
export async function becomesTrue(condition: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() >= deadline) return false;
    await sleep(pollMs);
  }
  return true;
}
