// A lock file that says which process holds it. One that is left behind by a process that is gone is taken over.
// It never waits for a holder that runs.
import { randomUUID } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { hasCode, messageOf } from './files.js';

interface Holder {
  readonly pid: number;
  /** When the process started, as the system counts it, so that a reused pid is not taken for its holder. */
  readonly startedAt: string | null;
}

export type LockAttempt =
  | { readonly status: 'taken'; readonly release: () => Promise<void> }
  | { readonly status: 'held'; readonly pid: number };

/** The lock can be neither taken nor read. */
export class LockError extends Error {}

const attempts = 100;
const betweenAttemptsMs = 10;

/** Takes the lock that a file stands for, in a directory that exists. @throws LockError */
export async function takeLock(lock: string): Promise<LockAttempt> {
  const own = `${lock}.${randomUUID()}`;
  const holder: Holder = { pid: process.pid, startedAt: await processStart(process.pid) };
  try {
    await writeFile(own, JSON.stringify(holder), { mode: 0o600 });
  } catch (error) {
    throw new LockError(`lock ${lock} cannot be taken: ${messageOf(error)}`, { cause: error });
  }
  try {
    return await take(lock, own);
  } finally {
    await unlink(own);
  }
}

/** The process that holds the lock and runs; null where nobody does. */
export async function lockHolder(lock: string): Promise<number | null> {
  const text = await readText(lock);
  return (text === undefined ? undefined : await runningHolder(text))?.pid ?? null;
}

/** Linking is atomic: of two processes one gets the lock. A lock whose holder is gone is removed first. */
async function take(lock: string, own: string): Promise<LockAttempt> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await linked(own, lock)) return { status: 'taken', release: () => unlink(lock).catch(() => {}) };
    const text = await readText(lock);
    if (text === undefined) continue;
    const holder = await runningHolder(text);
    if (holder !== undefined) return { status: 'held', pid: holder.pid };
    await removeStale(lock, own, text);
  }
  throw new LockError(`lock ${lock} keeps changing hands; start again when nothing else uses it`);
}

/**
 * Removes a lock that is still the stale one. Only one process at a time may, so that none removes a lock which
 * another has taken in the meantime.
 */
async function removeStale(lock: string, own: string, staleText: string): Promise<void> {
  const claim = `${lock}.takeover`;
  if (await linked(own, claim)) {
    try {
      if ((await readText(lock)) === staleText) await unlink(lock);
    } finally {
      await unlink(claim);
    }
    return;
  }
  const text = await readText(claim);
  if (text !== undefined && (await runningHolder(text)) === undefined) await unlink(claim).catch(() => {}); // it died
  await setTimeout(betweenAttemptsMs);
}

async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw new LockError(`lock ${path} cannot be taken: ${messageOf(error)}`, { cause: error });
  }
}

/** Text of a file, or undefined when it is gone. */
function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function runningHolder(text: string): Promise<Holder | undefined> {
  const holder = parseHolder(text);
  return holder !== undefined && (await isRunning(holder)) ? holder : undefined;
}

async function isRunning({ pid, startedAt }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) return false;
  }
  return startedAt === null || (await processStart(pid)) === startedAt;
}

/** Start time of a process in clock ticks since boot (proc(5), stat, field 22); null where the system has no /proc. */
async function processStart(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text);
    return Number.isInteger(pid) && pid > 0
      ? { pid, startedAt: typeof startedAt === 'string' ? startedAt : null }
      : undefined;
  } catch {
    return undefined;
  }
}
