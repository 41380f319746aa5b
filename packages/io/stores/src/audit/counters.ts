// The counts of sealed and begun records, and the written length of the file, in a file that survives a SIGKILL: the
// next start reports exactly the missing and the added records. A write takes a few microseconds and never fails a
// call. The caller decides when to write.
import { createHash } from 'node:crypto';
import { closeSync, constants, fchmodSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@portico/control-plane';
import { messageOf } from '../files.js';
import { bootNumber } from './boot.js';
import { decodeWritten, encodeWritten, type Written, writtenBytes } from './written.js';

export interface Counts {
  /** Position that the last event was given. */
  readonly issued: number;
  /** Actions since the log was opened. */
  readonly begun: number;
  readonly ended: number;
}

/** The counters of the last process. */
export interface CountsBefore extends Counts {
  /** Up to where it had written the file; undefined if that is not known for certain. */
  readonly written: Written | undefined;
}

export interface Counters {
  /** The counters of the last process for this log; undefined if there are none. */
  readonly before: CountsBefore | undefined;
  write(counts: Counts): void;
  /** Notes a batch before it goes to the file, so that the file never holds a record that is not noted here. */
  cover(written: Written): void;
  /** Notes that the process stops in order, on disk: what is noted then holds over a restart of the machine. */
  seal(): void;
  close(): void;
}

const numberBytes = 6;
/** The id of the log and the three counts: everything that changes with each turn of the event loop. */
const countsBytes = 4 * numberBytes;
/** The run of the machine, and whether the process has stopped in order. */
const runBytes = 2 * numberBytes;
/** Less than a sector, so it is never half written. */
const counterBytes = countsBytes + runBytes + writtenBytes;

/** @param path of the log: those of another log do not count */
export function openCounters(
  stateDirectory: string,
  path: string,
  log: Log,
  boot: () => number = bootNumber,
): Counters {
  const file = join(stateDirectory, 'audit.tally');
  const bytes = Buffer.alloc(counterBytes);
  const logNumber = createHash('sha256').update(path).digest().readUIntBE(0, numberBytes);
  const thisBoot = boot();
  let descriptor: number | undefined;
  let isReported = false;
  const reportUnwritable = (error: unknown) => {
    if (!isReported)
      log('warn', `${file} cannot be written: after a crash the reported losses may be incomplete`, {
        reason: messageOf(error),
      });
    isReported = true;
  };

  const readBefore = (fd: number): CountsBefore | undefined => {
    const length = readSync(fd, bytes, 0, counterBytes, 0);
    if (length < countsBytes) return undefined;
    const [owner, issued = 0, begun = 0, ended = 0, itsBoot, isInOrder] = numbersIn(bytes);
    if (owner !== logNumber) return undefined;
    const isExact = length === counterBytes && (isInOrder === 1 || (itsBoot === thisBoot && thisBoot !== 0));
    return {
      issued,
      begun,
      ended,
      written: isExact ? decodeWritten(bytes.subarray(countsBytes + runBytes)) : undefined,
    };
  };

  const put = (start: number, end: number) => {
    if (descriptor === undefined) return;
    try {
      writeSync(descriptor, bytes, start, end - start, start);
    } catch (error) {
      reportUnwritable(error);
    }
  };

  let before: CountsBefore | undefined;
  try {
    descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    fchmodSync(descriptor, 0o600);
    before = readBefore(descriptor);
  } catch (error) {
    reportUnwritable(error);
  }
  if (before === undefined) bytes.fill(0); // what another log has left
  bytes.writeUIntBE(logNumber, 0, numberBytes);
  let isCovered = false;

  return {
    before,
    write({ issued, begun, ended }) {
      bytes.writeUIntBE(issued, numberBytes, numberBytes);
      bytes.writeUIntBE(begun, 2 * numberBytes, numberBytes);
      bytes.writeUIntBE(ended, 3 * numberBytes, numberBytes);
      put(0, countsBytes);
    },
    cover(written) {
      bytes.writeUIntBE(thisBoot, countsBytes, numberBytes);
      bytes.writeUIntBE(0, countsBytes + numberBytes, numberBytes);
      encodeWritten(bytes.subarray(countsBytes + runBytes), written);
      isCovered = true;
      put(countsBytes, counterBytes);
    },
    seal() {
      if (!isCovered) return; // what was noted before stays
      bytes.writeUIntBE(1, countsBytes + numberBytes, numberBytes);
      put(countsBytes, counterBytes);
      if (descriptor === undefined) return;
      try {
        fsyncSync(descriptor);
      } catch (error) {
        reportUnwritable(error);
      }
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function numbersIn(bytes: Buffer): readonly number[] {
  return [0, 1, 2, 3, 4, 5].map((i) => bytes.readUIntBE(i * numberBytes, numberBytes));
}
