// Processes that a child has started and that left its process group and session (setsid). They carry the mark of the child in
// their environment, unless they took it out on purpose. Linux only: elsewhere the environment of a process is not readable.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { becomesTrue } from './wait-until.js';

/** The variable that holds the mark of the child by which a process was started. */
export const markVariable = 'PORTICO_PROCESS';

export interface Stragglers {
  /** The common prefix of all marks; undefined if processes are not marked. */
  readonly prefix: string | undefined;
  /**
   * A new mark for a child, `<prefix>.<number>.<random>`: no child can guess that of another. Undefined if processes
   * are not marked.
   */
  mark(): string | undefined;
  /** Ends all processes with exactly this mark: SIGTERM, up to a second, then SIGKILL. Never rejects. */
  end(mark: string): Promise<void>;
  /** Resolves when every `end` so far has. */
  ended(): Promise<void>;
}

const unmarked: Stragglers = { prefix: undefined, mark: () => undefined, end: async () => {}, ended: async () => {} };

const termMs = 1_000;
const killMs = 250;
/** More than most environments have; larger ones are read in pieces. */
const bufferBytes = 16_384;
/** A process may start others while it is looked for. */
const signals = ['SIGTERM', 'SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL'] as const;

export function createStragglers(platform: NodeJS.Platform = process.platform): Stragglers {
  if (platform !== 'linux') return unmarked;
  const prefix = randomBytes(16).toString('hex');
  let marks = 0;
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly number[]> | undefined;
  let buffer: Buffer | undefined; // of one look after the other
  const terminations = new Set<Promise<void>>();

  /** One look at all processes serves all who wait for one to begin. */
  const look = (): Promise<readonly number[]> => {
    next ??= last.then(() => {
      next = undefined;
      buffer ??= Buffer.allocUnsafeSlow(bufferBytes);
      const found = processesWith(prefix, buffer);
      last = found;
      return found;
    });
    return next;
  };

  const terminateMarked = async (mark: string) => {
    for (const signal of signals) {
      const signalled = (await look()).filter((pid) => signalMarked(pid, mark, signal));
      if (signalled.length === 0) return;
      await becomesTrue(() => !signalled.some(isThere), signal === 'SIGTERM' ? termMs : killMs);
    }
  };

  return {
    prefix,
    mark() {
      marks += 1;
      return `${prefix}.${marks}.${randomBytes(16).toString('hex')}`;
    },
    end(mark) {
      const termination = terminateMarked(mark).finally(() => terminations.delete(termination));
      terminations.add(termination);
      return termination;
    },
    async ended() {
      await Promise.all(terminations);
    },
  };
}

/**
 * Reads one file at a time, so that the event loop is free for everything else. All are read into one buffer: `readFile`
 * takes 64 KiB for each, which is 10 MiB of garbage a look where 150 processes run.
 */
async function processesWith(prefix: string, buffer: Buffer): Promise<readonly number[]> {
  const found: number[] = [];
  const mark = `${markVariable}=${prefix}.`;
  for (const name of await readdir('/proc').catch(() => [])) {
    if (/^\d+$/.test(name) && (await hasText(environmentOf(Number(name)), mark, buffer))) found.push(Number(name));
  }
  return found;
}

/** @param text of ASCII characters, shorter than the buffer @returns false for a file that cannot be read */
async function hasText(file: string, text: string, buffer: Buffer): Promise<boolean> {
  const handle = await open(file).catch(() => undefined); // of another user, or gone
  if (handle === undefined) return false;
  try {
    let kept = 0; // of what was read before, as the text may begin in one piece and end in the next
    for (;;) {
      const { bytesRead } = await handle.read(buffer, kept, buffer.length - kept);
      const end = kept + bytesRead;
      if (buffer.subarray(0, end).includes(text, 0, 'latin1')) return true;
      if (bytesRead === 0) return false;
      kept = Math.min(end, text.length - 1);
      buffer.copyWithin(0, end - kept, end);
    }
  } catch {
    return false; // it has ended
  } finally {
    await handle.close().catch(() => {});
  }
}

/**
 * Signals a process that has the mark, and says whether it did. The mark is read again in the same turn: since the look,
 * the pid may have gone to another process.
 */
function signalMarked(pid: number, mark: string, signal: NodeJS.Signals): boolean {
  try {
    const variables = readFileSync(environmentOf(pid), 'latin1').split('\0');
    return variables.includes(`${markVariable}=${mark}`) && process.kill(pid, signal);
  } catch {
    return false; // it has ended
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const environmentOf = (pid: number) => `/proc/${pid}/environ`;
