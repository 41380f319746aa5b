// How far a log's file was written: where it ended before the last batch, and where it ends with it. Noted before the batch is
// written, so that after a SIGKILL the file ends at one of the two or between them, and nowhere else.
import type { KeptHead } from './heads.js';

export interface Written {
  readonly before: KeptHead;
  readonly after: KeptHead;
}

const numberBytes = 6;
const hashBytes = 32;
const headBytes = 2 * numberBytes + hashBytes;

export const writtenBytes = 2 * headBytes;

export function encodeWritten(bytes: Buffer, { before, after }: Written): void {
  encodeHead(bytes.subarray(0, headBytes), before);
  encodeHead(bytes.subarray(headBytes), after);
}

export function decodeWritten(bytes: Buffer): Written | undefined {
  const after = decodeHead(bytes.subarray(headBytes));
  return after.seq === 0 ? undefined : { before: decodeHead(bytes.subarray(0, headBytes)), after };
}

function encodeHead(bytes: Buffer, { seq, end, hash }: KeptHead): void {
  bytes.writeUIntBE(seq, 0, numberBytes);
  bytes.writeUIntBE(end, numberBytes, numberBytes);
  bytes.write(hash, 2 * numberBytes, hashBytes, 'hex');
}

function decodeHead(bytes: Buffer): KeptHead {
  return {
    seq: bytes.readUIntBE(0, numberBytes),
    end: bytes.readUIntBE(numberBytes, numberBytes),
    hash: bytes.toString('hex', 2 * numberBytes, headBytes),
  };
}
