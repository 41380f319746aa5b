// Reads the kernel's socket tables. Connections that are looked at together share one read, which begins after all of them
// were there.
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import type { Family } from './socket-table.js';

export type ReadTable = (table: Family) => Promise<string>;

const folder = '/proc/self/net';

/** Whether this system tells whose a connection is. */
export async function hasSocketTables(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return access(`${folder}/tcp`, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** A system without IPv6 has no table of it. */
async function readNow(table: Family): Promise<string> {
  return readFile(`${folder}/${table}`, 'latin1').catch((error: unknown) => {
    if (table === 'tcp6' && error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
}

export function createTableReader(read: ReadTable = readNow): ReadTable {
  const readers = { tcp: share(() => read('tcp')), tcp6: share(() => read('tcp6')) };
  return (table) => readers[table]();
}

/** One read runs at a time; who comes while it does shares the next. */
function share(read: () => Promise<string>): () => Promise<string> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<string> | undefined;
  return () => {
    next ??= running.then(() => {
      const begun = read();
      running = begun.catch(() => {}); // who asked is told
      next = undefined;
      return begun;
    });
    return next;
  };
}
