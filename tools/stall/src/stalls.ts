// Stops processes below one process and continues them, as drawn. Each is continued, however this process ends, unless
// it is killed itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf, descendantsOf, isRunning, type Process } from '../../faults/src/processes.js';
import { createRandom } from '../../faults/src/random.js';
import { type Kind, kindOf } from './kinds.js';
import { type Candidate, chooseProcesses, drawStall, type Reach } from './plan.js';

export interface StallRecord {
  readonly atEpochMs: number;
  readonly ms: number;
  readonly reach: Reach;
  readonly processes: readonly { readonly kind: Kind; readonly pid: number }[];
}

export interface Stalls {
  /** Ends them: resolves with all that were done, once every process runs again. */
  end(): Promise<readonly StallRecord[]>;
}

/** Stalls that overlap: this many are drawn beside each other. */
const lanes = 2;

export function beginStalls(rootPid: number, seed: number): Stalls {
  const stopped = new Set<Process>();
  const records: StallRecord[] = [];
  const ended = new AbortController();
  const { signal } = ended;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {}); // the end cuts it short
  const resume = (processes: readonly Process[]) => {
    for (const process of processes) {
      stopped.delete(process);
      send(process, 'SIGCONT');
    }
  };
  const resumeAll = () => resume([...stopped]);

  const lane = async (name: number) => {
    const random = createRandom(seed, 'stalls', name);
    while (!signal.aborted) {
      const stall = drawStall(random);
      await pause(stall.afterMs);
      if (signal.aborted) return;
      const present = stallable(rootPid);
      const chosen = chooseProcesses(stall, present);
      const held = present.filter(({ pid }) => chosen.some((candidate) => candidate.pid === pid));
      if (held.length === 0) continue;
      const atEpochMs = Date.now();
      for (const process of held) {
        stopped.add(process);
        send(process, 'SIGSTOP');
      }
      await pause(stall.ms);
      resume(held);
      const processes = held.map(({ kind, pid }) => ({ kind, pid }));
      records.push({ atEpochMs, ms: stall.ms, reach: stall.reach, processes });
    }
  };
  process.on('exit', resumeAll);
  const lanesEnded = Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));

  return {
    async end() {
      ended.abort();
      await lanesEnded.finally(resumeAll);
      process.off('exit', resumeAll);
      return records;
    },
  };
}

/** One that is stopped already stays as it is: a test has stopped it, or another stall. */
function stallable(rootPid: number): readonly (Candidate & Process)[] {
  return descendantsOf(rootPid).flatMap((process) => {
    const kind = process.isStopped ? undefined : kindOf(commandOf(process.pid));
    return kind === undefined ? [] : [{ ...process, kind }];
  });
}

function send(process: Process, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (!isRunning(process)) return;
  try {
    globalThis.process.kill(process.pid, signal);
  } catch {
    // It has ended in between.
  }
}
