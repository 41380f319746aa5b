// The built daemon as a process of its own, for what belongs to a process: signals, exit codes, stdout and stderr, clocks,
// being killed. Most tests need none of that and use daemon.ts.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onCleanup, tempFolder } from './cleanup.js';
import type { Daemon, DaemonOptions } from './daemon.js';
import { createDaemonClient, parseLines } from './daemon-client.js';
import { keepLog } from './evidence.js';
import { repository } from './repository.js';

const main = join(repository, 'apps/daemon/dist/main.js');
const defect = fileURLToPath(new URL('./defect.mjs', import.meta.url));
export const fastClock = fileURLToPath(new URL('./fast-clock.mjs', import.meta.url));

export interface DaemonProcessOptions extends DaemonOptions {
  /** Beside `--config`, `--state-dir` and `--port 0`. */
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Makes the daemon's clocks and timers run this many times as fast as real time. */
  readonly clockFactor?: number;
  /** Its clocks are this much ahead of real time. */
  readonly clockAheadMs?: number;
  /** By how much `jump` sets its clocks forward. */
  readonly clockJumpMs?: number;
  /** Every delay that a timer of the daemon is asked for is written there, a line each. */
  readonly delaysFile?: string;
  /** No file of the daemon may grow beyond this many blocks of 512 bytes: what a full disk is to it. Its servers inherit that. */
  readonly maxFileBlocks?: number;
  /** The program, in place of the daemon's own. */
  readonly program?: string;
  /** Makes writing the result of a call of this trace fail inside the daemon. */
  readonly defectTraceId?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface DaemonProcess extends Daemon {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exited: Promise<Exit>;
  /** Sets its clocks forward by `clockJumpMs`, soon. Timers that run are not affected. */
  jump(): void;
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** Starts a daemon and waits for its ready line, not for its upstreams. Ended with the test or the file. */
export async function startDaemonProcess(config: unknown, options: DaemonProcessOptions = {}): Promise<DaemonProcess> {
  const { child, exited, stdout, stderr } = launch(config, options);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    const force = setTimeout(() => child.kill('SIGKILL'), 15_000);
    const exit = await exited;
    clearTimeout(force);
    return exit;
  };
  onCleanup(() => stop());
  await Promise.race([
    new Promise<void>((resolve) => child.stdout.on('data', () => stdout().includes('\n') && resolve())),
    exited.then(({ code }) => {
      throw new Error(`the daemon ended with ${code} before it was ready: ${stderr()}`);
    }),
  ]);
  const url = /listening on (http:\/\/\S+)/.exec(stdout())?.[1] ?? '';
  return {
    ...createDaemonClient(url),
    pid: child.pid ?? 0,
    stdout,
    stderr,
    mcpUrl() {
      const [, found] = /portico mcp listening on (\S+)/.exec(stdout()) ?? [];
      if (found === undefined) throw new Error('its configuration has no MCP listener');
      return found;
    },
    log: () => parseLines(stderr()),
    logText: stderr,
    exited,
    jump() {
      if (options.clockJumpMs === undefined) throw new Error('start it with clockJumpMs'); // else the signal ends it
      child.kill('SIGUSR2');
    },
    stop,
  };
}

/** Starts a daemon that is expected to end by itself, and waits for that. */
export function runDaemon(config: unknown, options: DaemonProcessOptions = {}): Promise<Exit> {
  const { child, exited } = launch(config, options);
  onCleanup(() => child.kill('SIGKILL'));
  return exited;
}

/** The AI clients of the person who runs the tests have no part in them. */
export function ownHome(folder: string): Readonly<Record<string, string | undefined>> {
  const places = ['CONFIG_HOME', 'STATE_HOME', 'RUNTIME_DIR'].map((name) => [`XDG_${name}`, undefined] as const);
  return { HOME: folder, ...Object.fromEntries(places), CLAUDE_CONFIG_DIR: undefined, CODEX_HOME: undefined };
}

interface Launched {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<Exit>;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** A config that is a string is written as it is; undefined writes no file, and gives no `--config` of its own. */
function launch(config: unknown, options: DaemonProcessOptions): Launched {
  const { args, env, bind, cwd, logLevel, stateDir, defectTraceId, maxFileBlocks } = options;
  const folder = tempFolder();
  const file = options.configFile ?? join(folder, 'config.json');
  if (config !== undefined) writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  const clock = clockOf(options);
  const limited = maxFileBlocks === undefined ? [] : ['-c', `ulimit -S -f ${maxFileBlocks}; exec "$@"`, 'sh'];
  const child = spawn(
    limited.length === 0 ? process.execPath : '/bin/sh',
    [
      ...(limited.length === 0 ? [] : [...limited, process.execPath]),
      ...(Object.keys(clock).length === 0 ? [] : ['--import', fastClock]),
      ...(defectTraceId === undefined ? [] : ['--import', defect]),
      options.program ?? main,
      ...(config === undefined && options.configFile === undefined ? [] : ['--config', file]),
      ...(stateDir === null ? [] : ['--state-dir', stateDir ?? join(folder, 'state')]),
      ...(bind === undefined ? [] : ['--bind', bind]),
      ...(logLevel === undefined ? [] : ['--log-level', logLevel]),
      ...(args ?? ['--port', '0']),
    ],
    {
      cwd: cwd ?? folder,
      env: {
        ...process.env,
        ...ownHome(folder),
        ...env,
        ...clock,
        ...(defectTraceId === undefined ? {} : { DEFECT_TRACE_ID: defectTraceId }),
      },
    },
  );
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  keepLog(`daemon ${child.pid}`, stderr);
  const exited = once(child, 'close').then(([code]) => ({ code, stdout: stdout(), stderr: stderr() }));
  return { child, exited, stdout, stderr };
}

/** Settings that fast-clock.mjs reads from its environment. */
function clockOf({
  clockFactor,
  clockAheadMs,
  clockJumpMs,
  delaysFile,
}: DaemonProcessOptions): Readonly<Record<string, string>> {
  const settings = {
    CLOCK_FACTOR: clockFactor,
    CLOCK_AHEAD_MS: clockAheadMs,
    CLOCK_JUMP_MS: clockJumpMs,
    CLOCK_DELAYS: delaysFile,
  };
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}
