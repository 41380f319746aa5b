// Lists processes by pid and start time, so that a pid that is used again is not taken for the old process. Reads /proc
// (proc(5)); elsewhere it finds none, and the checks say so.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** In clock ticks since the machine started. */
  readonly startedAt: string;
  /** Stopped by a signal, as by SIGSTOP. */
  readonly isStopped: boolean;
}

export const canListProcesses = process.platform === 'linux';

export function childrenOf(pid: number): readonly Process[] {
  return running().filter(({ parent }) => parent === pid);
}

/** The children of a process, their children, and so on. */
export function descendantsOf(pid: number): readonly Process[] {
  const all = running();
  const found: Process[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  return found;
}

/** Those with this text in their command line, this process excepted. */
export function processesWith(text: string): readonly Process[] {
  return running().filter(({ pid }) => pid !== process.pid && commandLine(pid).includes(text));
}

/** Waits until these have ended. Gives those that have not when the time is over. */
export async function leftOf(processes: readonly Process[], timeoutMs: number): Promise<readonly Process[]> {
  const deadline = performance.now() + timeoutMs;
  let left = processes.filter(isRunning);
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(20);
    left = left.filter(isRunning);
  }
  return left;
}

/** SIGKILL to what is left of these. */
export function endProcesses(processes: readonly Process[]): void {
  for (const { pid } of processes.filter(isRunning)) process.kill(pid, 'SIGKILL');
}

export function describeProcess({ pid }: Process): string {
  return `${pid} (${commandLine(pid).trim() || 'gone by now'})`;
}

/** Whether it is this very process, and not a later one with its pid. */
export function isRunning({ pid, startedAt }: Process): boolean {
  return read(pid)?.startedAt === startedAt;
}

function running(): readonly Process[] {
  if (!canListProcesses) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => read(Number(name)) ?? []);
}

/** Undefined for one that has ended, whether or not its parent has collected it. */
function read(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may hold anything: state, ppid, ... and starttime as the 22nd field of all.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent] = fields;
    return state === 'Z' || state === 'X'
      ? undefined
      : { pid, parent: Number(parent), startedAt: fields[19] ?? '', isStopped: state === 'T' };
  } catch {
    return undefined; // it has ended in between
  }
}

function commandLine(pid: number): string {
  return commandOf(pid).join(' ');
}

/** Program and arguments, or the one text that a process has set as its title; empty for one that has ended. */
export function commandOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').split('\0');
  } catch {
    return [];
  }
}
