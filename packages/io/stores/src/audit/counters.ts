// What was sealed and begun, in a file that is there after a SIGKILL: the next start can say exactly what is missing.
// A few microseconds each time, since nothing waits for the disk; it never fails a call. When to write is not its business.
import { createHash } from 'node:crypto';
import { closeSync, constants, fchmodSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '@portico/control-plane';
import { messageOf } from '../files.js';

export interface Counts {
  /** Position that the last event was given. */
  readonly issued: number;
  /** Actions since the log was opened. */
  readonly begun: number;
  readonly ended: number;
}

export interface Counters {
  /** What the last process left for this log; undefined where it left nothing. */
  readonly before: Counts | undefined;
  write(counts: Counts): void;
  close(): void;
}

/** Four numbers of 48 bits: which log it is, and the three counts. Less than a sector, so it is never half written. */
const numberBytes = 6;
const counterBytes = 4 * numberBytes;

/** @param path of the log: those of another log do not count */
export function openCounters(stateDirectory: string, path: string, log: Log): Counters {
  const file = join(stateDirectory, 'audit.tally');
  const bytes = Buffer.alloc(counterBytes);
  const logNumber = createHash('sha256').update(path).digest().readUIntBE(0, numberBytes);
  let descriptor: number | undefined;
  let isTold = false;
  const tell = (error: unknown) => {
    if (!isTold)
      log('warn', `${file} cannot be written: a crash may not tell all it lost`, { reason: messageOf(error) });
    isTold = true;
  };

  const readBefore = (fd: number): Counts | undefined => {
    if (readSync(fd, bytes, 0, counterBytes, 0) < counterBytes) return undefined;
    const [owner, issued = 0, begun = 0, ended = 0] = [0, 1, 2, 3].map((i) =>
      bytes.readUIntBE(i * numberBytes, numberBytes),
    );
    return owner === logNumber ? { issued, begun, ended } : undefined;
  };

  let before: Counts | undefined;
  try {
    descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    fchmodSync(descriptor, 0o600);
    before = readBefore(descriptor);
  } catch (error) {
    tell(error);
  }

  return {
    before,
    write({ issued, begun, ended }) {
      if (descriptor === undefined) return;
      bytes.writeUIntBE(logNumber, 0, numberBytes);
      bytes.writeUIntBE(issued, numberBytes, numberBytes);
      bytes.writeUIntBE(begun, 2 * numberBytes, numberBytes);
      bytes.writeUIntBE(ended, 3 * numberBytes, numberBytes);
      try {
        writeSync(descriptor, bytes, 0, counterBytes, 0);
      } catch (error) {
        tell(error);
      }
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}
