// A lock file that names the process that holds it. The file of an ended process is taken over. It never waits for a
// live holder.
import { randomUUID } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { parseJson } from '@portico/contracts';
import { hasCode, messageOf } from './files.js';
import { isRunning, type RunningProcess, thisProcess } from './running-process.js';

export type LockAttempt =
  | { readonly status: 'taken'; readonly release: () => Promise<void> }
  | ({ readonly status: 'held' } & Holder);

export interface Holder {
  readonly pid: number;
  /** Whether it gives the lock to a process that asks it to, as it has said when it took it. */
  readonly handsOver: boolean;
}

export interface LockUse {
  readonly handsOver?: boolean;
  readonly attempts?: number;
}

/** The lock can be neither taken nor read. */
export class LockError extends Error {
  constructor(
    readonly reason: string,
    readonly nextStep: string,
    options?: ErrorOptions,
  ) {
    super(`${reason}; ${nextStep}`, options);
  }
}

const makeWritable = 'make its directory writable';

const betweenAttemptsMs = 10;
/**
 * Each waits only where another process is about to remove a stale lock: together ten seconds at least, which that may take
 * on a machine that is busy.
 */
const enoughAttempts = 1000;

/** Takes the lock of this path, in a directory that exists. @throws LockError */
export async function takeLock(
  lock: string,
  { attempts = enoughAttempts, handsOver = false }: LockUse = {},
): Promise<LockAttempt> {
  const own = `${lock}.${randomUUID()}`;
  try {
    await writeFile(own, JSON.stringify({ ...(await thisProcess()), ...(handsOver ? { handsOver } : {}) }), {
      mode: 0o600,
    });
  } catch (error) {
    throw new LockError(`lock ${lock} cannot be taken: ${messageOf(error)}`, makeWritable, { cause: error });
  }
  try {
    return await take(lock, own, attempts);
  } finally {
    await unlink(own);
  }
}

/** The process that holds the lock and runs; null without a holder. */
export async function lockHolder(lock: string): Promise<number | null> {
  const text = await readText(lock);
  return (text === undefined ? undefined : await runningHolder(text))?.pid ?? null;
}

/** Linking is atomic: one of two processes gets the lock. A lock whose holder has ended is removed first. */
async function take(lock: string, own: string, attempts: number): Promise<LockAttempt> {
  let remover: RunningProcess | undefined;
  for (let attempt = 0; attempt < attempts; attempt++) {
    remover = undefined;
    if (await linked(own, lock)) return { status: 'taken', release: () => unlink(lock).catch(() => {}) };
    const text = await readText(lock);
    if (text === undefined) continue;
    const holder = await runningHolder(text);
    if (holder !== undefined) return { status: 'held', pid: holder.pid, handsOver: holder.handsOver };
    remover = await removeStale(lock, own, text);
  }
  if (remover !== undefined) {
    throw new LockError(
      `lock ${lock} cannot be taken: process ${remover.pid} holds ${claimOn(lock)} and does not go on`,
      'end that process, then start again',
    );
  }
  throw new LockError(`lock ${lock} keeps changing hands`, 'start again when nothing else uses it');
}

/**
 * Removes a lock that is still the stale one. Only one process at a time may, so that none removes a lock which
 * another has taken in the meantime. Where another one is at it, that is waited for a moment, and returned if it runs.
 */
async function removeStale(lock: string, own: string, staleText: string): Promise<RunningProcess | undefined> {
  const claim = claimOn(lock);
  if (await linked(own, claim)) {
    try {
      if ((await readText(lock)) === staleText) await unlink(lock);
    } finally {
      await unlink(claim);
    }
    return undefined;
  }
  const text = await readText(claim);
  const remover = text === undefined ? undefined : await runningHolder(text);
  if (text !== undefined && remover === undefined) await unlink(claim).catch(() => {}); // it died
  await setTimeout(betweenAttemptsMs);
  return remover;
}

const claimOn = (lock: string) => `${lock}.takeover`;

async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw new LockError(`lock ${path} cannot be taken: ${messageOf(error)}`, makeWritable, { cause: error });
  }
}

/** Text of a file, or undefined if it does not exist. */
function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function runningHolder(text: string): Promise<(RunningProcess & Holder) | undefined> {
  const holder = parseHolder(text);
  return holder !== undefined && (await isRunning(holder)) ? holder : undefined;
}

function parseHolder(text: string): (RunningProcess & Holder) | undefined {
  try {
    const { pid, startedAt, handsOver } = parseJson(text);
    return Number.isInteger(pid) && pid > 0
      ? { pid, startedAt: typeof startedAt === 'string' ? startedAt : null, handsOver: handsOver === true }
      : undefined;
  } catch {
    return undefined;
  }
}
