// Appends batches to the log's file whole or not at all: the remainder of a failed write is cut off before the next
// one. The file is checked first, and never repaired after a foreign change.
import type { LogHandle } from './log-handle.js';
import { checkUnchanged } from './unchanged-file.js';

export interface WholeWrites {
  /** Resolves when all bytes are in the file, and on disk where that is asked for. */
  append(bytes: Uint8Array): Promise<void>;
  /** Bytes of whole batches. */
  size(): number;
  /** Whether a part of a failed write may follow them. */
  isTorn(): boolean;
}

export interface WholeWritesDeps {
  readonly path: string;
  readonly handle: LogHandle;
  /** Identity of the file that was opened. */
  readonly identity: string;
  readonly size: number;
  readonly isStrict: boolean;
}

export function createWholeWrites({ path, handle, identity, size: start, isStrict }: WholeWritesDeps): WholeWrites {
  let size = start;
  let isTorn = false;

  return {
    size: () => size,
    isTorn: () => isTorn,
    async append(bytes) {
      checkUnchanged(path, { identity, size }, await handle.stat(), isTorn);
      if (isTorn) await handle.truncate(size);
      isTorn = true;
      for (let written = 0; written < bytes.length; ) {
        const count = await handle.append(bytes.subarray(written));
        if (count === 0) throw new Error('the file accepts no more bytes');
        written += count;
      }
      if (isStrict) await handle.sync();
      isTorn = false;
      size += bytes.length;
    },
  };
}
