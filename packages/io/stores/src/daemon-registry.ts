// The running daemons of this user, a file each, so that a command finds them from any folder. A file only names the
// state directory: address and token still come from there. Files that another user could have written are not read.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDirectory } from './files.js';
import { isRunning, thisProcess } from './running-process.js';

export interface RunningDaemon {
  readonly url: string;
  /** Absolute. */
  readonly configFile: string;
  readonly stateDir: string;
  readonly pid: number;
}

/**
 * Writes a file of this process (0600) in each of the directories that only this user can write: a command may have another
 * environment than the daemon, and look in one of them only.
 * @param directories absolute; made 0700 where they are missing
 * @returns what removes the files again; undefined if none of the directories can be used
 */
export async function registerDaemon(
  directories: readonly string[],
  daemon: Omit<RunningDaemon, 'pid'>,
): Promise<(() => Promise<void>) | undefined> {
  if (/[\r\n]/.test(daemon.configFile + daemon.stateDir)) return undefined; // its file has lines
  const { pid, startedAt } = await thisProcess();
  const text = `${daemon.url}\n${daemon.configFile}\n${daemon.stateDir}\n${pid} ${startedAt ?? unknown}\n`;
  const files: string[] = [];
  for (const directory of directories) {
    await ensureDirectory(directory).catch(() => {}); // the check below says whether it is there
    if (!(await isOwn(directory))) continue;
    const file = join(directory, fileNameOf(daemon.stateDir));
    await writeFile(`${file}.new`, text, { mode: 0o600 });
    await rename(`${file}.new`, file); // no reader finds half of it
    files.push(file);
  }
  if (files.length === 0) return undefined;
  return async () => {
    for (const file of files) await rm(file, { force: true });
  };
}

/** The running daemons, by configuration file. Files of processes that have ended are removed. */
export async function listDaemons(directories: readonly string[]): Promise<readonly RunningDaemon[]> {
  const found = new Map<string, RunningDaemon>();
  for (const directory of directories) {
    if (!(await isOwn(directory))) continue;
    for (const name of await readdir(directory)) {
      if (!/^[0-9a-f]{16}$/.test(name)) continue;
      const daemon = await readDaemon(join(directory, name));
      if (daemon !== undefined) found.set(daemon.stateDir, daemon);
    }
  }
  return [...found.values()].sort((a, b) => (a.configFile < b.configFile ? -1 : 1));
}

function fileNameOf(stateDir: string): string {
  return createHash('sha256').update(stateDir).digest('hex').slice(0, 16);
}

async function readDaemon(file: string): Promise<RunningDaemon | undefined> {
  const text = (await readOwn(file)) ?? '';
  const [, url, configFile, stateDir, id, start] =
    /^(https?:\/\/\S+)\n(.+)\n(.+)\n([1-9]\d*) (\S+)\n$/.exec(text) ?? [];
  if (url === undefined || configFile === undefined || stateDir === undefined || start === undefined) return undefined;
  const pid = Number(id);
  if (await isRunning({ pid, startedAt: start === unknown ? null : start })) return { url, configFile, stateDir, pid };
  await rm(file, { force: true });
  return undefined;
}

/**
 * Whether this user owns a directory, it is no link, and no other user can write to it. Always true without user ids,
 * as on Windows.
 */
async function isOwn(directory: string): Promise<boolean> {
  const info = await lstat(directory).catch(() => undefined);
  if (info?.isDirectory() !== true) return false;
  return process.getuid === undefined || (info.uid === process.getuid() && (info.mode & 0o022) === 0);
}

/** In the place of the start of a process where the system does not say it. */
const unknown = '-';

const maxBytes = 16_384;

/** The text of a regular file of this user; no link is followed. */
async function readOwn(file: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const info = await handle.stat();
    const isOurs = process.getuid === undefined || (info.uid === process.getuid() && (info.mode & 0o022) === 0);
    return info.isFile() && isOurs && info.size <= maxBytes ? await handle.readFile('utf8') : undefined;
  } finally {
    await handle.close();
  }
}
