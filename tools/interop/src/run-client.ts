// Runs the program of one client against one target, and reads what it says about each step.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Target } from './clients.js';
import type { Program } from './install.js';

export const steps = [
  ...['list', 'search', 'describe', 'call', 'resources', 'prompts'],
  ...['elicitation', 'sampling', 'roots', 'progress', 'cancel', 'restart'],
] as const;

export type Step = (typeof steps)[number];

/** The result of one step of a client. */
export type StepResult =
  | { readonly kind: 'result'; readonly result: unknown }
  /** The client cannot do it. One that cannot be asked has how a call ends that asks it. */
  | { readonly kind: 'lacks'; readonly reason: string; readonly result?: unknown }
  | { readonly kind: 'error'; readonly message: string };

export type StepResults = ReadonlyMap<string, StepResult>;

/** A line of a client's stdout. */
interface Line {
  readonly step: string;
  readonly result?: unknown;
  readonly lacks?: string;
  readonly error?: string;
  /** It goes on when a line comes by its stdin. */
  readonly waiting?: true;
}

export interface RunOptions {
  /** Id of the fixture where it is behind Portico; null in a session with the fixture itself. */
  readonly server: string | null;
  /** Implements the step `restart`. */
  readonly restart?: () => Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Only for a client that would never end. */
const maxRunMs = 180_000;

export async function runClient(program: Program, target: Target, options: RunOptions): Promise<StepResults> {
  const { server, restart, env } = options;
  const results = new Map<string, StepResult>();
  const child = spawn(program.command, [...program.args, JSON.stringify({ target, server })], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const tooLate = setTimeout(() => child.kill('SIGKILL'), maxRunMs);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-2000);
  });
  child.stdin.on('error', () => {}); // it may be gone
  const exited = once(child, 'close');
  let problem: string | undefined;
  for await (const text of createInterface(child.stdout)) {
    const line: Line = JSON.parse(text);
    if (line.waiting !== true) {
      results.set(line.step, stepResultOf(line, problem));
      continue;
    }
    problem = await restart?.().then(
      () => undefined,
      (error: Error) => `Portico did not start again: ${error.message}`,
    );
    child.stdin.write('restarted\n');
  }
  const [code] = await exited;
  clearTimeout(tooLate);
  const reason = `the client ended with ${code} before this step: ${stderr.trim().split('\n').slice(-5).join('\n')}`;
  for (const step of steps) if (!results.has(step)) results.set(step, { kind: 'error', message: reason });
  return results;
}

function stepResultOf({ result, lacks, error }: Line, problem: string | undefined): StepResult {
  if (problem !== undefined) return { kind: 'error', message: problem };
  if (error !== undefined) return { kind: 'error', message: error };
  if (lacks !== undefined) return { kind: 'lacks', reason: lacks, result };
  return { kind: 'result', result };
}
