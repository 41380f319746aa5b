// From the lock file to the lock in force, a few milliseconds in each turn of the event loop.
import type { Steps } from '@portico/async';
import type { Config } from '@portico/contracts';
import { emptyLock, otherConfiguration, parseLock, type ToolsLock, UnusableLock } from '@portico/tools-lock';
import type { Clock } from '@portico/upstream-pool';
import type { LoadedLock } from '../state/lock-verdicts.js';
import type { LockFile } from './lock-file.js';

const shareMs = 3;

export interface ReadLock extends LoadedLock {
  /** Text of the file; undefined if there is none, or if it cannot be read. */
  readonly text?: string | undefined;
}

/**
 * An unusable file is a fault of the lock. Never rejects.
 * @param known an earlier reading: the same text is not parsed again
 */
export async function loadLock(file: LockFile, config: Config, clock: Clock, known?: ReadLock): Promise<ReadLock> {
  let text: string | undefined;
  try {
    text = await file.read();
  } catch (error) {
    return { lock: emptyLock, fault: `${file.path}: ${error instanceof Error ? error.message : error}` };
  }
  if (text === undefined) {
    return { lock: emptyLock, isMissing: true, fault: `${file.path} is not there: write it with portico lock init` };
  }
  try {
    const isKnown = known !== undefined && known.fault === undefined && known.text === text;
    const lock = isKnown ? known.lock : await inShares(clock, parseLock(text));
    const other = otherConfiguration(lock, [...config.servers.keys()]);
    return { lock, text, ...(other === undefined ? {} : { fault: `${file.path}: ${other}` }) };
  } catch (error) {
    if (!(error instanceof UnusableLock)) throw error;
    return { lock: emptyLock, text, fault: `${file.path}: ${error.message}` };
  }
}

/** @throws UnusableLock */
export function parseInShares(text: string, clock: Clock): Promise<ToolsLock> {
  return inShares(clock, parseLock(text));
}

export async function inShares<T>(clock: Clock, steps: Steps<T>): Promise<T> {
  let began = clock.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (clock.now() - began < shareMs) continue;
    await clock.sleep(0);
    began = clock.now();
  }
}
