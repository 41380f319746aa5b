// The names of SQLite's result codes (https://www.sqlite.org/rescode.html), for a driver that gives their numbers only.

/** Primary codes by their number, each with the suffixes of its extended codes in the order of their numbers; `_` is unused. */
const names: Readonly<Record<number, readonly [primary: string, suffixes?: string]>> = {
  1: ['ERROR', 'MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE'],
  2: ['INTERNAL'],
  3: ['PERM'],
  4: ['ABORT', '_ ROLLBACK'],
  5: ['BUSY', 'RECOVERY SNAPSHOT TIMEOUT'],
  6: ['LOCKED', 'SHAREDCACHE VTAB'],
  7: ['NOMEM'],
  8: ['READONLY', 'RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY'],
  9: ['INTERRUPT'],
  10: [
    'IOERR',
    'READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK ' +
      'LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH ' +
      'BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE BADKEY CODEC',
  ],
  11: ['CORRUPT', 'VTAB SEQUENCE INDEX'],
  12: ['NOTFOUND'],
  13: ['FULL'],
  14: ['CANTOPEN', 'NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK'],
  15: ['PROTOCOL'],
  16: ['EMPTY'],
  17: ['SCHEMA'],
  18: ['TOOBIG'],
  19: [
    'CONSTRAINT',
    'CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE',
  ],
  20: ['MISMATCH'],
  21: ['MISUSE'],
  22: ['NOLFS'],
  23: ['AUTH', 'USER'],
  24: ['FORMAT'],
  25: ['RANGE'],
  26: ['NOTADB'],
};

/** An extended code has its primary one in the lowest byte, and counts from one in those above it. */
export function nameOfResult(code: number): string {
  const [primary, suffixes = ''] = names[code & 0xff] ?? [`UNKNOWN_${code & 0xff}`];
  const suffix = suffixes.split(' ')[(code >> 8) - 1];
  return suffix === undefined ? `SQLITE_${primary}` : `SQLITE_${primary}_${suffix}`;
}
