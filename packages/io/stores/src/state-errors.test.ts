// The message for a state database that cannot be opened: the reason, and a next step that fits it.
import { expect, it } from 'vitest';
import { SqliteMissingError } from './sqlite/open-sqlite.js';
import { toStateError } from './state-errors.js';

it.each([
  ['SQLITE_READONLY_DIRECTORY', 'it cannot be written; make it and its directory writable for this user'],
  ['EROFS', 'it cannot be written; make it and its directory writable for this user'],
  ['SQLITE_FULL', 'the disk is full; free space on its file system'],
  ['ENOSPC', 'the disk is full; free space on its file system'],
  ['SQLITE_BUSY_RECOVERY', 'another program is writing to it; end that program'],
])('has words for %s', (code, words) => {
  const error = toStateError('/x/state.db', Object.assign(new Error('as SQLite says it'), { code }));
  expect(error.message).toBe(
    `state database /x/state.db cannot be opened: ${words}, or choose another directory with --state-dir DIR`,
  );
});

it('advises another Node, and no other directory, where no driver works', () => {
  const missing = new SqliteMissingError(
    ['better-sqlite3 is not installed', 'Node v20.19.0 has no SQLite of its own'],
    ['npm install @portico/better-sqlite3'],
  );
  expect(toStateError('/x/state.db', missing).message).toBe(
    'state database /x/state.db cannot be opened: better-sqlite3 is not installed, and Node v20.19.0 has no SQLite of its ' +
      'own; use an official build of Node 24 or later, which has SQLite built in, or run: npm install @portico/better-sqlite3',
  );
});
