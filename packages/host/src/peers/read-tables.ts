// Reads the kernel's socket tables. Connections that are looked at together share one read, which begins after all of them
// were there.
import { constants, readFile } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Family } from './socket-table.js';

export type ReadTable = (table: Family) => Promise<string>;

const folder = '/proc/self/net';

/** Whether this system tells whose a connection is. */
export async function hasSocketTables(place = folder): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return access(`${place}/tcp`, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/** By callbacks: the kernel gives a page at a time, and each would be several promises. */
function readNow(table: Family): Promise<string> {
  return new Promise((resolve, reject) => {
    readFile(`${folder}/${table}`, 'latin1', (error, text) => {
      if (error === null) resolve(text);
      else if (table === 'tcp6' && error.code === 'ENOENT')
        resolve(''); // a system without IPv6 has no table of it
      else reject(error);
    });
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
