// The directory that holds a daemon's state: readable by its owner only, used by one process at a time.
import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface StateDirectory {
  readonly path: string;
  /** Gives the directory back. */
  close(): Promise<void>;
}

/** The directory is in use by another process, or cannot be used at all. */
export class StateDirectoryError extends Error {}

interface Holder {
  readonly pid: number;
  /** When the process started, as the system counts it, so that a reused pid is not taken for its holder. */
  readonly startedAt: string | null;
}

/** Creates the directory (0700) where it is missing, and takes its lock. @throws StateDirectoryError */
export async function openStateDirectory(path: string): Promise<StateDirectory> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
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

/** Linking is atomic: of two processes one gets the lock. A lock whose holder is gone is moved away first. */
async function take(lock: string, own: string, directory: string): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await link(own, lock);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw new StateDirectoryError(`lock ${lock} cannot be taken: ${messageOf(error)}`);
    }
    const text = await readFile(lock, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const holder = parseHolder(text);
    if (holder !== undefined && (await isRunning(holder))) throw inUse(directory, holder);
    await removeStale(lock, text);
  }
  throw new StateDirectoryError(`lock ${lock} keeps changing hands; start again when nothing else uses the directory`);
}

/** Moves a stale lock away; one that changed in the meantime belongs to someone else and is put back. */
async function removeStale(lock: string, text: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`;
  await rename(lock, aside).catch(() => {}); // someone else was faster
  const moved = await readFile(aside, 'utf8').catch(() => undefined);
  if (moved !== undefined && moved !== text) await link(aside, lock).catch(() => {});
  await unlink(aside).catch(() => {});
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
    return Number.isInteger(pid) ? { pid, startedAt: typeof startedAt === 'string' ? startedAt : null } : undefined;
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
