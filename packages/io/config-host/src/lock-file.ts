// The lock file on disk: read whole, replaced at once or not at all, and followed.
import type { LockFile, Log } from '@portico/control-plane';
import { follow } from './config-file.js';
import { decodeText, type ReadFile, readWholeFile, replaceWholeFile } from './whole-file.js';

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
      const read = await readWholeFile(path);
      if (textOf(read) !== before) throw new Error('another program changed it before the write; try again');
      await replaceWholeFile(path, read, Buffer.from(text, 'utf8'));
      seen = text;
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
