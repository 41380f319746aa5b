// A child process together with everything it starts: one process group, ended as a whole.
import { type ChildProcessWithoutNullStreams, spawn as spawnProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reaper } from './reaper.js';
import { watchedCommand } from './watched-command.js';

export interface ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  /**
   * Ends the group: waits `patienceMs` for it to end by itself, then SIGTERM, a second, SIGKILL.
   * Resolves when the child has exited and nothing is left that could be ended.
   */
  end(patienceMs: number): Promise<void>;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const termMs = 1_000;
const killMs = 250;
/** How long a killed child may take to exit, on a machine that is busy. */
const exitMs = 10_000;
const pollMs = 10;

/** Starts a command in a process group of its own. Emits `error` on the child when it cannot be started. */
export function startProcessGroup({ command, args, env }: Command, reaper: Reaper | null): ProcessGroup {
  const isWindows = process.platform === 'win32';
  const watched = reaper === null ? undefined : watchedCommand({ command, args, env });
  const started = watched ?? { command, args, env };
  const child = (isWindows ? loadWindowsSpawn() : spawnProcess)(started.command, [...started.args], {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe', ...(watched === undefined || reaper === null ? [] : [reaper.input()])],
    detached: !isWindows,
    windowsHide: true,
  }) as ChildProcessWithoutNullStreams; // all three streams are pipes
  const { pid } = child;
  if (pid === undefined) return { child, end: async () => {} };

  reaper?.add(pid);
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const isGone = isWindows ? hasExited : () => !signalGroup(pid, 0);
  const signal = isWindows ? () => killTree(pid) : (name: NodeJS.Signals) => signalGroup(pid, name);

  return {
    child,
    async end(patienceMs) {
      if (await becomesTrue(isGone, patienceMs)) return reaper?.remove(pid);
      signal('SIGTERM');
      if (await becomesTrue(isGone, termMs)) return reaper?.remove(pid);
      signal('SIGKILL');
      await becomesTrue(isGone, killMs);
      await becomesTrue(hasExited, exitMs); // what is left after this is a zombie that its parent does not collect
      reaper?.remove(pid);
    },
  };
}

/** Whether the group still had a member to signal. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // ESRCH: nobody left
  }
}

function killTree(pid: number): void {
  spawnProcess('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
    'error',
    () => {}, // no taskkill, nothing else to try
  );
}

async function becomesTrue(condition: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() >= deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

/** Finds `npx.cmd` and its kind, as only Windows needs it. */
function loadWindowsSpawn(): typeof spawnProcess {
  return createRequire(import.meta.url)('cross-spawn');
}
