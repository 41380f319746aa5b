// The directory that holds a daemon's state: readable by its owner only, used by one process at a time.
import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export interface StateDirectory {
  readonly path: string;
  /** Gives the directory back. */
  close(): Promise<void>;
}

/** The directory is in use by another process, or cannot be used at all. */
export class StateDirectoryError extends Error {}

/** `mkdir -p`. Node's own recursion never ends where a file system refuses with ENOENT, as /proc does. */
async function ensureDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (!hasCode(error, 'ENOENT') || parent === path) throw error;
    if (await exists(parent)) throw error;
    await ensureDirectory(parent);
    await mkdir(path, { mode: 0o700 });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

interface Holder {
  readonly pid: number;
  /** When the process started, as the system counts it, so that a reused pid is not taken for its holder. */
  readonly startedAt: string | null;
}

/** Creates the directory (0700) where it is missing, and takes its lock. @throws StateDirectoryError */
export async function openStateDirectory(path: string): Promise<StateDirectory> {
  try {
    await ensureDirectory(path);
    await chmod(path, 0o700);
  } catch (error) {
    throw new StateDirectoryError(`state directory ${path} cannot be used: ${messageOf(error)}`);
  }
  const lock = join(path, 'lock');
  const own = join(path, `lock.${randomUUID()}`);
  const holder: Holder = { pid: process.pid, startedAt: await processStart(process.pid) };
  await writeFile(own, JSON.stringify(holder), { mode: 0o600 });
  try {
    await take(lock, own, path);
  } finally {
    await unlink(own);
  }
  return { path, close: () => unlink(lock).catch(() => {}) };
}

const attempts = 100;
const betweenAttemptsMs = 10;

/** Linking is atomic: of two processes one gets the lock. A lock whose holder is gone is removed first. */
async function take(lock: string, own: string, directory: string): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await linked(own, lock)) return;
    const text = await readText(lock);
    if (text === undefined) continue;
    const holder = await runningHolder(text);
    if (holder !== undefined) throw inUse(directory, holder);
    await removeStale(lock, own, text);
  }
  throw new StateDirectoryError(`lock ${lock} keeps changing hands; start again when nothing else uses the directory`);
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
    throw new StateDirectoryError(`lock ${path} cannot be taken: ${messageOf(error)}`);
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

function inUse(directory: string, { pid }: Holder): StateDirectoryError {
  return new StateDirectoryError(
    `state directory ${directory} is in use by process ${pid}; stop it, or choose another with --state-dir DIR`,
  );
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

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
