// Reads the kernel's socket tables.
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Family } from './socket-table.js';

export type ReadTable = (table: Family) => Promise<string>;

const folder = '/proc/self/net';

/** Whether this system reports the owner of a connection. */
export async function hasSocketTables(place = folder): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return access(`${place}/tcp`, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** The kernel gives at most a page at once, which has 4 to 64 KiB. */
const pageBytes = 64 * 1024;
/** Duration of one turn. */
const shareMs = 3;

/**
 * Reads a whole table by the thread of the event loop: the kernel computes the table, so no disk is waited for, and each page that another
 * thread has read waits for a turn, which is long while servers start. A page takes 0.05 ms, the first one as long as the
 * kernel needs to go through its table of all connections (3 ms on a machine of 24 GiB).
 */
export async function readTable(table: Family): Promise<string> {
  const file = openTable(table);
  if (file === undefined) return '';
  try {
    const page = Buffer.allocUnsafeSlow(pageBytes);
    let text = '';
    for (let endsAtMs = performance.now() + shareMs; ; ) {
      const length = readSync(file, page);
      if (length === 0) return text;
      text += page.toString('latin1', 0, length);
      if (performance.now() < endsAtMs) continue;
      await setImmediate();
      endsAtMs = performance.now() + shareMs;
    }
  } finally {
    closeSync(file);
  }
}

/** Undefined on a system without IPv6, which has no table of it. */
function openTable(table: Family): number | undefined {
  try {
    return openSync(`${folder}/${table}`, 'r');
  } catch (error) {
    if (table === 'tcp6' && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
