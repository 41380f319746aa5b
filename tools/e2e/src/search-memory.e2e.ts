// The memory of search by meaning over 10,000 tools, in a process of its own: tests beside it would free memory in between.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { repository } from './support/repository.js';

it('is at most 12 MB for the model and the vectors', async () => {
  const script = join(repository, 'tools/eval-search/src/print-memory.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script], { cwd: repository });
  const { model, vectors } = JSON.parse(stdout);
  expect(model).toBeGreaterThan(2_800_000); // the file is kept as it is
  expect(vectors).toBeGreaterThan(10_000 * 128);
  expect(model + vectors).toBeLessThan(12_000_000);
});
