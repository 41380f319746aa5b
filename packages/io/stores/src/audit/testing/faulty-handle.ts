// The port to the log's file with faults that a test turns on: a full disk, short writes, a disk that is slow.
import { type LogHandle, type OpenHandle, openLogHandle } from '../log-handle.js';

export interface Faults {
  /** Bytes that a write takes before it fails; undefined if nothing fails. */
  room: number | undefined;
  /** Bytes that one write takes at most. */
  chunk: number | undefined;
  /** A synchronisation waits for this promise, and fails with it. */
  sync: Promise<void> | undefined;
  /** A write waits for this promise. */
  gate: Promise<void> | undefined;
  writes: number;
  syncs: number;
}

export function createFaults(): { readonly faults: Faults; readonly openHandle: OpenHandle } {
  const faults: Faults = { room: undefined, chunk: undefined, sync: undefined, gate: undefined, writes: 0, syncs: 0 };
  const openHandle: OpenHandle = async (path) => {
    const handle: LogHandle = await openLogHandle(path);
    return {
      ...handle,
      async append(bytes) {
        await faults.gate;
        faults.writes += 1;
        const taken = bytes.subarray(0, Math.min(faults.chunk ?? bytes.length, faults.room ?? bytes.length));
        if (faults.room !== undefined) faults.room -= taken.length;
        if (taken.length > 0) return handle.append(taken);
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      },
      async sync() {
        await faults.sync;
        faults.syncs += 1;
        await handle.sync();
      },
    };
  };
  return { faults, openHandle };
}
