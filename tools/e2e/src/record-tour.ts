// `npm run docs:cast`: writes the recording of the terminal, docs/casts/tour.cast, by its test.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
const child = spawn(process.execPath, [vitest, 'run', '--project', 'e2e', 'tools/e2e/src/tour.e2e.ts'], {
  cwd: repository,
  env: { ...process.env, PORTICO_RECORD: '1' },
  stdio: 'inherit',
});
child.on('exit', (code) => process.exit(code ?? 1));
