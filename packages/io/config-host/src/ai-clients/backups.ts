// Copies of clients' files as they were before a change: in the state directory, where no client reads them and only
// the owner does. Byte for byte, the newest few of each file.
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { codeOf, writeNew } from '../whole-file.js';

export interface Backups {
  /** Resolves with the path of the copy. */
  add(client: string, file: string, bytes: Buffer): Promise<string>;
  /** The newest copy; undefined if there is none. */
  last(client: string, file: string): Promise<Backup | undefined>;
  /** All copies, the newest first; each is read when it comes. */
  all(client: string, file: string): AsyncIterable<Backup>;
  /** Where the copies of a file are. */
  folderOf(client: string, file: string): string;
}

export interface Backup {
  /** Name of its file in the folder. */
  readonly name: string;
  readonly bytes: Buffer;
}

const keptOfAFile = 20;

/** @param folder made when the first copy is */
export function createBackups(folder: string, epochMs: () => number): Backups {
  const folderOf = (client: string, file: string) =>
    join(folder, `${client}-${createHash('sha256').update(file).digest('hex').slice(0, 12)}`);

  async function* all(client: string, file: string): AsyncGenerator<Backup> {
    const own = folderOf(client, file);
    for (const name of [...(await namesIn(own))].reverse()) yield { name, bytes: await readFile(join(own, name)) };
  }

  return {
    async add(client, file, bytes) {
      const own = folderOf(client, file);
      await mkdir(own, { recursive: true, mode: 0o700 });
      await Promise.all([folder, own].map((path) => chmod(path, 0o700)));
      const names = await namesIn(own);
      const path = await writeAfter(own, names.at(-1), basename(file), bytes, epochMs());
      await Promise.all(names.slice(0, Math.max(0, names.length + 1 - keptOfAFile)).map((name) => rm(join(own, name))));
      return path;
    },
    async last(client, file) {
      for await (const backup of all(client, file)) return backup;
      return undefined;
    },
    all,
    folderOf,
  };
}

/** Names begin with the time, so that they sort; a clock that stands still or goes back does not change their order. */
async function writeAfter(
  folder: string,
  last: string | undefined,
  name: string,
  bytes: Buffer,
  epochMs: number,
): Promise<string> {
  for (let ms = epochMs; ; ms++) {
    const stamp = new Date(ms).toISOString().replaceAll(':', '-');
    if (last !== undefined && stamp <= last.slice(0, stamp.length)) {
      ms = Math.max(ms, toEpochMs(last.slice(0, stamp.length)));
      continue;
    }
    const path = join(folder, `${stamp}-${name}`);
    try {
      await writeNew(path, bytes, 0o600);
      return path;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

function toEpochMs(stamp: string): number {
  return Date.parse(stamp.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^\d{4}-\d\d-\d\dT[\d.-]+Z-/.test(name)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
