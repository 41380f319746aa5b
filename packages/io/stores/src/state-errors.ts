// Why a state database cannot be opened, in words of the one who has to do something about it.
import { NewerSchemaError } from './migrations/index.js';
import { SqliteMissingError } from './sqlite/open-sqlite.js';
import { StateDirectoryError } from './state-directory.js';

interface Advice {
  readonly reason: string;
  readonly nextStep: string;
}

const damaged = 'restore it from a backup, or move it away to start with an empty one';
const otherDirectory = 'choose another directory with --state-dir DIR';

/** By the start of the code: SQLite's extended codes add a suffix (https://www.sqlite.org/rescode.html). */
const adviceOfCode: readonly (readonly [RegExp, Advice])[] = [
  [/^SQLITE_NOTADB/, { reason: 'it is no SQLite database', nextStep: damaged }],
  [/^SQLITE_CORRUPT/, { reason: 'it is damaged', nextStep: damaged }],
  [
    /^(SQLITE_READONLY|SQLITE_PERM|EROFS$|EACCES$|EPERM$)/,
    {
      reason: 'it cannot be written',
      nextStep: `make it and its directory writable for this user, or ${otherDirectory}`,
    },
  ],
  [
    /^(SQLITE_FULL|ENOSPC$|EDQUOT$)/,
    { reason: 'the disk is full', nextStep: `free space on its file system, or ${otherDirectory}` },
  ],
  [
    /^(SQLITE_BUSY|SQLITE_LOCKED)/,
    { reason: 'another program is writing to it', nextStep: `end that program, or ${otherDirectory}` },
  ],
];

export function toStateError(file: string, error: unknown): StateDirectoryError {
  const { reason, nextStep } = adviceOn(error);
  return new StateDirectoryError(`state database ${file} cannot be opened: ${reason}; ${nextStep}`, { cause: error });
}

function adviceOn(error: unknown): Advice {
  if (error instanceof SqliteMissingError) return { reason: error.message, nextStep: error.nextStep };
  if (error instanceof NewerSchemaError) {
    return {
      reason: `a newer version has written it (${error.message})`,
      nextStep: `use that version, or ${otherDirectory}`,
    };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = adviceOfCode.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return known[1];
  return { reason: error instanceof Error ? error.message : String(error), nextStep: otherDirectory };
}
