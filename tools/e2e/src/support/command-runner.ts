// Commands of the built CLI in processes that run one after the other: see command-runner.mjs.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onCleanup } from './cleanup.js';
import { keepLog } from './evidence.js';
import { cliMain } from './mcp.js';

const script = fileURLToPath(new URL('./command-runner.mjs', import.meta.url));

/** Processes of this worker that run nothing. They end with it. */
const idle: ChildProcess[] = [];

export interface CommandInput {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** All of stdin. */
  readonly input: string;
}

export interface CommandOutput {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. Where it ends its process, or is cut off by the end of the test, that process goes with it. */
export async function runInRunner(command: CommandInput): Promise<CommandOutput> {
  const runner = idle.pop() ?? startRunner();
  const written = { stdout: '', stderr: '' };
  keepLog(`portico ${command.args.join(' ')}`, () => `${written.stdout}${written.stderr}`);
  const { ended, stopReading } = readOutput(runner, written);
  let isRunning = true;
  onCleanup(() => isRunning && runner.kill('SIGKILL'));
  runner.send({ main: cliMain, ...command });
  const { code, isAlive } = await ended;
  isRunning = false;
  stopReading();
  if (isAlive) idle.push(runner);
  return { code, ...written };
}

function startRunner(): ChildProcess {
  // Without the flags of Node that the test runner was started with.
  const runner = fork(script, { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  runner.once('exit', () => {
    const at = idle.indexOf(runner);
    if (at >= 0) idle.splice(at, 1);
  });
  return runner;
}

interface Ended {
  readonly code: number | null;
  /** Whether it can run another. */
  readonly isAlive: boolean;
}

const streams = ['stdout', 'stderr'] as const;

function readOutput(runner: ChildProcess, written: Record<(typeof streams)[number], string>) {
  let end = (_ended: Ended) => {};
  const ended = new Promise<Ended>((resolve) => {
    end = resolve;
  });
  const codes = new Map<string, number>();
  const readers = streams.map((name) => {
    const read = (text: string) => {
      const [whole, before = '', code] = /^(.*)\0(\d+)\n$/s.exec(written[name] + text) ?? [];
      written[name] = whole === undefined ? written[name] + text : before;
      if (whole !== undefined) codes.set(name, Number(code));
      if (codes.size === streams.length) end({ code: Number(code), isAlive: true });
    };
    runner[name]?.setEncoding('utf8').on('data', read);
    return () => runner[name]?.off('data', read);
  });
  const close = (code: number | null) => end({ code, isAlive: false });
  runner.once('close', close);
  const stopReading = () => {
    for (const stop of readers) stop();
    runner.off('close', close);
  };
  return { ended, stopReading };
}
