// A command in a pseudo-terminal, and the screen that a person would see. Tests wait for what it shows, never for time.
// When it has ended, all that it wrote is on the screen.
// Where there is no pseudo-terminal for the platform, loading this fails, and the test with it.
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import { Terminal as Emulator } from '@xterm/headless';
import { expect } from 'vitest';
import { onCleanup, tempFolder } from './cleanup.js';
import { cliMain, run } from './mcp.js';
import { paintedLines } from './painted-lines.js';
import { eventually } from './wait.js';

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Beside a home of its own; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export interface Terminal {
  readonly exited: Promise<number>;
  /** The lines of the screen as they are now, without spaces at their ends. */
  screen(): readonly string[];
  /** The same with what they are painted with: weight, inversion and the sixteen colours, as escapes. */
  painted(): readonly string[];
  /** Every byte that was written so far. */
  written(): string;
  /** Waits until the screen shows it; gives the screen. */
  shows(text: string | RegExp): Promise<string>;
  /** Waits until the screen does not show it. */
  hides(text: string | RegExp): Promise<void>;
  /** Sends keys, as a keyboard would. */
  press(...keys: readonly string[]): void;
  resize(columns: number, rows: number): void;
  signal(signal: NodeJS.Signals): void;
  /** Whether the command is on the terminal's other screen. */
  isOnOtherScreen(): boolean;
}

export const keys = { up: '\u001b[A', down: '\u001b[B', enter: '\r', escape: '\u001b', interrupt: '\u0003' } as const;

/** Runs the built `portico` with these arguments. Ended with the test. */
export function openTerminal(args: readonly string[], options: TerminalOptions = {}): Terminal {
  return openProgram([process.execPath, cliMain, ...args], options);
}

const holder = fileURLToPath(new URL('./hold-terminal.sh', import.meta.url));
/** Messages of the holder about the command. */
const oscOfHolder = 7777;
const saidByHolder = new RegExp(`\u001b\\]${oscOfHolder};[^\u0007]*\u0007`, 'g');

export function openProgram(command: readonly string[], options: TerminalOptions = {}): Terminal {
  const { columns = 100, rows = 30, cwd = tempFolder() } = options;
  const emulator = new Emulator({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 });
  const pty: IPty = spawn('/bin/sh', [holder, ...command], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: environment(cwd, options),
  });
  let written = '';
  pty.onData((text) => {
    written += text;
    emulator.write(text);
  });
  emulator.onData((text) => pty.write(text)); // answers to what the program asks of a terminal
  let pid: number | undefined;
  let isOver = false;
  const over = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      isOver = true;
      emulator.write('', () => resolve(signal ? 128 + signal : exitCode)); // once all that was written is drawn
    });
  });
  const exited = new Promise<number>((resolve) => {
    // Called in its turn: earlier output is drawn.
    emulator.parser.registerOscHandler(oscOfHolder, (said) => {
      const [name, value] = said.split('=');
      if (name === 'pid') pid = Number(value);
      else resolve(Number(value));
      return true;
    });
    void over.then(resolve);
  });
  onCleanup(async () => {
    if (!isOver) killGroup(pty.pid); // the holder, and what it runs
    await over;
    emulator.dispose();
  });

  const screen = () => {
    const { active } = emulator.buffer;
    return Array.from(
      { length: emulator.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    );
  };
  const text = () => screen().join('\n');
  const matches = (wanted: string | RegExp) =>
    typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text());
  return {
    exited,
    screen,
    painted: () => paintedLines(emulator),
    written: () => written.replaceAll(saidByHolder, ''),
    shows: (wanted) =>
      eventually(() => {
        if (!matches(wanted)) throw new Error(`the screen does not show ${wanted}:\n${text()}`);
        return text();
      }),
    hides: (wanted) => eventually(() => expect(matches(wanted), `the screen shows ${wanted}:\n${text()}`).toBe(false)),
    press: (...pressed) => {
      for (const key of pressed) pty.write(key);
    },
    resize(toColumns, toRows) {
      emulator.resize(toColumns, toRows);
      pty.resize(toColumns, toRows);
    },
    signal(signal) {
      if (pid === undefined) throw new Error('the command has not begun yet');
      process.kill(pid, signal);
    },
    isOnOtherScreen: () => emulator.buffer.active.type === 'alternate',
  };
}

/** The group may have ended already, though its end has not been reported. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error;
  }
}

/** Nothing of the user's environment reaches the command but PATH: neither files, nor colours, nor an editor. */
function environment(home: string, { env = {} }: TerminalOptions): Record<string, string> {
  const all = { PATH: process.env.PATH, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `portico` with pipes in place of a terminal, to its end. */
export async function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { child, exited, stdout, stderr } = run(cliMain, args, env);
  child.stdin.end();
  const code = await exited;
  return { code, stdout: stdout(), stderr: stderr() };
}
