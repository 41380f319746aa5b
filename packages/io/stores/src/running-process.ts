// Identifies the process that wrote a file, and whether it runs: a later process with the same pid is not mistaken for
// it.
import { readFile } from 'node:fs/promises';
import { hasCode } from './files.js';

export interface RunningProcess {
  readonly pid: number;
  /** When it started, as the system counts it; null if the system does not say. */
  readonly startedAt: string | null;
}

export async function thisProcess(): Promise<RunningProcess> {
  return { pid: process.pid, startedAt: await startOf(process.pid) };
}

export async function isRunning({ pid, startedAt }: RunningProcess): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false;
  }
  return startedAt === null || (await startOf(pid)) === startedAt;
}

/** Start time of a process in clock ticks since boot (proc(5), stat, field 22); null if the system has no /proc. */
async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}
