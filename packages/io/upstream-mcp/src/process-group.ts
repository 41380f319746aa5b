// A child process together with everything it starts: one process group, ended as a whole, and what left it (stragglers.ts).
import { type ChildProcessWithoutNullStreams, spawn as spawnProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Reaper } from './reaper.js';
import { markVariable } from './stragglers.js';
import { becomesTrue } from './wait-until.js';
import { watchedCommand } from './watched-command.js';

export interface ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  /**
   * Ends the group: waits `patienceMs` for it to end by itself, then SIGTERM, a second, SIGKILL. Resolves when the
   * child has exited and nothing of the group is left that could be ended. Processes that left the group are ended after
   * that (`Stragglers.ended`): looking for them takes long, and the server must not count as connected during that time.
   */
  end(patienceMs: number): Promise<void>;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working directory, absolute; that of this process by default. */
  readonly cwd?: string | undefined;
}

const termMs = 1_000;
const killMs = 250;
/** How long a killed child may take to exit, on a machine that is busy. */
const exitMs = 10_000;

/** Starts a command in a process group of its own. Emits `error` on the child when it cannot be started. */
export function startProcessGroup({ command, args, env: given, cwd }: Command, reaper: Reaper | null): ProcessGroup {
  const isWindows = process.platform === 'win32';
  const mark = reaper?.stragglers.mark();
  const env = mark === undefined ? given : { ...given, [markVariable]: mark };
  const watched = reaper === null ? undefined : watchedCommand({ command, args, env, cwd });
  const started = watched ?? { command, args, env };
  const child = (isWindows ? loadWindowsSpawn() : spawnProcess)(started.command, [...started.args], {
    env: { ...env },
    cwd,
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

  const endGroup = async (patienceMs: number) => {
    if (await becomesTrue(isGone, patienceMs)) return;
    signal('SIGTERM');
    if (await becomesTrue(isGone, termMs)) return;
    signal('SIGKILL');
    await becomesTrue(isGone, killMs);
    await becomesTrue(hasExited, exitMs); // what is left after this is a zombie that its parent does not collect
  };

  return {
    child,
    async end(patienceMs) {
      await endGroup(patienceMs);
      if (reaper === null || mark === undefined) reaper?.remove(pid);
      else void reaper.stragglers.end(mark).then(() => reaper.remove(pid));
    },
  };
}

/** Whether the group still had a member to signal. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // ESRCH: no process is left
  }
}

function killTree(pid: number): void {
  spawnProcess('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
    'error',
    () => {}, // no taskkill, nothing else to try
  );
}

/** Finds `npx.cmd` and its kind, as only Windows needs it. */
function loadWindowsSpawn(): typeof spawnProcess {
  return createRequire(import.meta.url)('cross-spawn');
}
