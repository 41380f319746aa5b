import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeOwn } from './export.js';

it('makes a file that was there readable by its owner only', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-export-'));
  try {
    const file = join(folder, 'audit.jsonl');
    writeFileSync(file, 'something longer that was there before\n');
    chmodSync(file, 0o644);
    async function* records() {
      yield '{}\n';
    }
    await writeOwn(file, records());
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['{}\n', 0o600]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
