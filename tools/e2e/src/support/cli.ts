// The built command, as a person's shell and a script run it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onCleanup, tempFolder } from './cleanup.js';
import { keepLog } from './evidence.js';
import { cliMain, type Place } from './mcp.js';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout as one JSON document. */
  readonly json: <T = Record<string, unknown>>() => T;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Nobody's own daemon, token or files have a part in it. */
const ownEnv = (home: string) => ({ HOME: home, PORTICO_URL: '', NO_COLOR: '', FORCE_COLOR: '' });

/** Runs it to its end, with pipes for all streams. */
export async function portico(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { child, exited } = startPortico(args, options);
  child.stdin.on('error', () => {}); // it may not have read
  child.stdin.end(options.input ?? '');
  return exited;
}

/** The same, for those that go on until they are stopped. */
export function startPortico(args: readonly string[], { env }: CliOptions = {}) {
  const home = tempFolder();
  const child = spawn(process.execPath, [cliMain, ...args], {
    cwd: home,
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
  const json = <T>() => JSON.parse(stdout) as T; // the caller says what it should be
  const exited: Promise<CliResult> = once(child, 'close').then(([code]) => ({ code, stdout, stderr, json }));
  return { child, exited, stdout: () => stdout, stderr: () => stderr };
}

/** A function that runs commands at this place. */
export function porticoAt({ configFile, stateDir }: Place, env: Readonly<Record<string, string>> = {}) {
  return (args: readonly string[], options: CliOptions = {}) =>
    portico(['--config', configFile, '--state-dir', stateDir, ...args], {
      ...options,
      env: { ...env, ...options.env },
    });
}
