// The lock file on disk: read whole, replaced at once or not at all, and followed.
import { rm, stat } from 'node:fs/promises';
import type { LockFile, Log } from '@portico/control-plane';
import { follow } from './config-file.js';
import {
  codeOf,
  decodeText,
  type ReadFile,
  readWholeFile,
  replaceWholeFile,
  toProblem,
  writeNew,
} from './whole-file.js';

/**
 * Opens the lock file: reads it, watches it for changes, and replaces it by one rename.
 * @param path absolute
 */
export function openLockFile(path: string, log: Log): LockFile {
  const textOf = (read: ReadFile | null) => (read === null ? undefined : decodeText(read.bytes));
  let seen: string | undefined;
  return {
    path,
    async read() {
      seen = undefined; // after a failed read, the next text counts as a change
      seen = textOf(await readWholeFile(path));
      return seen;
    },
    async write(before, text) {
      const release = await claim(path);
      try {
        const read = await readWholeFile(path);
        if (textOf(read) !== before) throw new Error('another program changed it before the write; try again');
        await replaceWholeFile(path, read, Buffer.from(text, 'utf8'));
        seen = text;
      } finally {
        await release();
      }
    },
    watch(listener) {
      const onChange = async () => {
        const found = await readWholeFile(path).then(textOf, () => undefined);
        if (found !== seen || found === undefined) listener();
      };
      return follow(path, onChange, log);
    },
  };
}

/** A write takes milliseconds; a claim that is older was left by a process that ended in the middle. */
const staleMs = 60_000;

/**
 * Claims the file for one write, beside other daemons and commands: of two writers that have read the same text, the
 * second one would undo what the first one had accepted.
 * @returns the function that ends the claim
 */
async function claim(path: string): Promise<() => Promise<void>> {
  const place = `${path}.writing`;
  const info = await stat(place).catch(() => undefined);
  if (info !== undefined && Date.now() - info.mtimeMs > staleMs) await rm(place, { force: true });
  try {
    await writeNew(place, Buffer.from(`${process.pid}\n`), 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw toProblem(error, 'cannot be written');
    throw new Error(`another program is writing it (${place}); try again`);
  }
  return () => rm(place, { force: true });
}
