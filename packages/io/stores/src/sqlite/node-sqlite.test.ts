// The warning of Node about its SQLite stays away, and no other does.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { nameOfResult } from './result-codes.js';

const runFile = promisify(execFile);

it('hides the warning about an experimental SQLite and no other one', async () => {
  const script = `
    const { nodeSqlite } = await import(${JSON.stringify(new URL('./node-sqlite.ts', import.meta.url))});
    await nodeSqlite.load();
    process.emitWarning('SQLite of another kind', 'ExperimentalWarning');
    process.emitWarning('something else', 'ExperimentalWarning');
  `;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  const { stdout, stderr } = await runFile(process.execPath, args, { cwd: import.meta.dirname });
  expect(stdout).toBe('');
  expect(stderr.match(/\w+Warning: .*/g)).toEqual([
    'ExperimentalWarning: SQLite of another kind',
    'ExperimentalWarning: something else',
  ]);
});

it.each([
  [1, 'SQLITE_ERROR'],
  [5, 'SQLITE_BUSY'],
  [261, 'SQLITE_BUSY_RECOVERY'],
  [516, 'SQLITE_ABORT_ROLLBACK'],
  [1544, 'SQLITE_READONLY_DIRECTORY'],
  [2067, 'SQLITE_CONSTRAINT_UNIQUE'],
  [3082, 'SQLITE_IOERR_NOMEM'],
  [8714, 'SQLITE_IOERR_IN_PAGE'],
  [26, 'SQLITE_NOTADB'],
  [11 | (200 << 8), 'SQLITE_CORRUPT'],
  [99, 'SQLITE_UNKNOWN_99'],
])('calls result %i %s', (code, name) => {
  expect(nameOfResult(code)).toBe(name);
});
