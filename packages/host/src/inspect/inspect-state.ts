// A state directory as it is found: nothing is made, and no lock is taken.
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { inspectStateDatabase, readLockHolder } from '@portico/stores';
import { defaultStateDir } from '../default-state-dir.js';

export interface InspectedState {
  readonly directory: string;
  readonly exists: boolean;
  readonly isDirectory: boolean;
  /** Whether the directory is writable, or the nearest existing one above it. */
  readonly isWritable: boolean;
  /** Whether others than its owner may look in. */
  readonly isOpenToOthers: boolean;
  /** The process that uses it. */
  readonly holder: number | null;
  /** The damage of its database; undefined also while a process uses it. */
  readonly damage: string | undefined;
}

export interface StatePlace {
  readonly configFile: string;
  readonly stateDir?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where the state of a configuration is kept. */
export function stateDirectoryOf({ configFile, stateDir, env }: StatePlace): string {
  return resolve(stateDir ?? defaultStateDir(resolve(configFile), env));
}

/** Reports on a state directory without changing it: existence, access rights, and the process that holds it. */
export async function inspectState(place: StatePlace): Promise<InspectedState> {
  const directory = stateDirectoryOf(place);
  const info = await stat(directory).catch(() => undefined);
  const holder = info === undefined ? null : await readLockHolder(directory);
  return {
    directory,
    exists: info !== undefined,
    isDirectory: info?.isDirectory() ?? false,
    isWritable: await isWritable(directory),
    isOpenToOthers: process.platform !== 'win32' && info !== undefined && (info.mode & 0o077) !== 0,
    holder,
    damage: info?.isDirectory() === true && holder === null ? await inspectStateDatabase(directory) : undefined,
  };
}

async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing && dirname(path) !== path && isWritable(dirname(path));
  }
}
