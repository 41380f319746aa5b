// The stage of `npm test` that has better-sqlite3 compiled, or its binary downloaded, where this Node needs it.
import { spawnSync } from 'node:child_process';
import { compileArgs, hasSqlite, npm, sqliteMissing } from './install.mjs';
import { root } from './root.mjs';

if (!hasSqlite()) {
  const { status } = spawnSync(npm, compileArgs, { cwd: root, stdio: 'inherit' });
  if (status !== 0 || !hasSqlite()) {
    process.stderr.write(`${sqliteMissing}\n`);
    process.exitCode = 1;
  }
}
