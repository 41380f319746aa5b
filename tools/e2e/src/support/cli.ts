// The built command, as a person's shell and a script run it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onCleanup, tempFolder } from './cleanup.js';
import { type CommandOutput, runInRunner } from './command-runner.js';
import { keepLog } from './evidence.js';
import { cliMain, type DaemonFiles } from './mcp.js';

export interface CliResult extends CommandOutput {
  /** Stdout as one JSON document. */
  readonly json: <T = Record<string, unknown>>() => T;
}

export interface CliOptions {
  /** An empty folder by default, which is its home, too. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** The user's own daemon, token or files have no part in it. */
const ownEnv = (home: string) => ({
  ...{ HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_RUNTIME_DIR: '' },
  ...{ PORTICO_URL: '', NO_COLOR: '', FORCE_COLOR: '' },
});

/**
 * Runs it to its end, with pipes for all streams, in a process that has run others before. With
 * `PORTICO_E2E_DAEMONS=process` it gets a process of its own, as with `porticoProcess`.
 */
export async function portico(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  if (process.env.PORTICO_E2E_DAEMONS === 'process') return porticoProcess(args, options);
  const home = tempFolder();
  const { cwd = home, input = '' } = options;
  const env = { ...process.env, ...ownEnv(home), ...options.env };
  return resultOf(await runInRunner({ args, env, cwd, input }));
}

/** The same in a process of its own, for what belongs to one: that it ends, and with which exit code. */
export async function porticoProcess(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { child, exited } = startPortico(args, options);
  child.stdin.on('error', () => {}); // it may not have read
  child.stdin.end(options.input ?? '');
  return exited;
}

/** As a process of its own, for those that go on until they are stopped. */
export function startPortico(args: readonly string[], { cwd, env }: CliOptions = {}) {
  const home = tempFolder();
  const child = spawn(process.execPath, [cliMain, ...args], {
    cwd: cwd ?? home,
    env: { ...process.env, ...ownEnv(home), ...env },
  });
  onCleanup(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  keepLog(`portico ${args.join(' ')}`, () => `${stdout}${stderr}`);
  const exited = once(child, 'close').then(([code]) => resultOf({ code, stdout, stderr }));
  return { child, exited, stdout: () => stdout, stderr: () => stderr };
}

function resultOf(output: CommandOutput): CliResult {
  return { ...output, json: <T>() => JSON.parse(output.stdout) as T }; // the caller says what it should be
}

/** A function that runs commands at this place. */
export function porticoAt({ configFile, stateDir }: DaemonFiles, env: Readonly<Record<string, string>> = {}) {
  return (args: readonly string[], options: CliOptions = {}) =>
    portico(['--config', configFile, '--state-dir', stateDir, ...args], {
      ...options,
      env: { ...env, ...options.env },
    });
}
