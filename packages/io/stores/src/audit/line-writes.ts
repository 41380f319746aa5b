// Sealed records as lines at the end of the log's file: a batch is one run of bytes.
import type { Sealed } from '@portico/audit-chain';
import type { KeptHead } from './heads.js';
import type { KeptRecord } from './record-index.js';
import type { WholeWrites } from './whole-writes.js';

export interface LineWrites extends Omit<WholeWrites, 'append'> {
  /** Resolves with where each record stands once all are in the file. */
  append(records: readonly Sealed[]): Promise<readonly KeptRecord[]>;
}

export interface LineWritesDeps {
  readonly file: WholeWrites;
  /** Called before a batch is written, with where the log will end. Does not throw. */
  readonly beforeWrite: (after: KeptHead) => void;
}

/** Most batches fit into this. */
const scratchBytes = 512 * 1024;

export function createLineWrites({ file, beforeWrite }: LineWritesDeps): LineWrites {
  const scratch = Buffer.allocUnsafeSlow(scratchBytes);
  return {
    size: file.size,
    isTorn: file.isTorn,
    async append(records) {
      const start = file.size();
      let end = start;
      let text = '';
      const kept = records.map(({ record, line }) => {
        end += Buffer.byteLength(line) + 1;
        text += `${line}\n`;
        return { record, end };
      });
      const last = records.at(-1);
      if (last !== undefined) beforeWrite({ ...last.head, end });
      await file.append(encode(text, end - start, scratch));
      return kept;
    },
  };
}

/** A buffer for each batch would have the garbage collector come by more often than all that is in it. */
function encode(text: string, length: number, scratch: Buffer): Uint8Array {
  if (length > scratch.length) return Buffer.from(text);
  scratch.write(text);
  return scratch.subarray(0, length);
}
