// A log whose first records were pruned is the same chain to every later process, which signs it and prunes it again.
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { AuditFileOptions } from './audit-file.js';
import { readSidecar, sidecarOf } from './checkpoints/sidecar.js';
import { openSigner } from './checkpoints/signing-key.js';
import { createAuditFiles, draftOf, realClock, recordsOf } from './testing/audit-files.js';
import { verifyFile } from './verify-file.js';

const files = createAuditFiles();
afterEach(() => files.removeAll());

const day = 24 * 3_600_000;

/** A process that has the log for a while, `afterDays` from now: it appends, prunes, and stops. */
async function run(directory: string, afterDays: number, count: number, some: Partial<AuditFileOptions> = {}) {
  const epochMs = () => Date.now() + afterDays * day;
  const clock = { ...realClock, epochMs };
  const log = await files.open(directory, { maxFileBytes: 2000, isStrict: true, clock, ...some });
  for (let i = 0; i < count; i++) await log.append(draftOf({ timestamp: new Date(epochMs()).toISOString() }));
  await log.prune();
  const [first] = await recordsOf(log);
  await log.close();
  await log.database.close();
  return { first, warnings: log.lines.filter(({ level }) => level !== 'info') };
}

it('is signed and pruned again by a later process', async () => {
  const directory = await files.createDirectory();
  const keyring = { read: async () => null, write: () => Promise.reject(new Error('there is none')) };
  const signing = {
    openSigner: () => openSigner({ stateDirectory: directory, keyring, log: () => {} }),
    checkpointRecords: 1000,
    checkpointIntervalMs: 1_000_000,
  };
  const chainId = (await run(directory, 0, 20)).first?.hash;
  const runs = [
    await run(directory, 40, 20, { keepDays: 30 }),
    await run(directory, 80, 20, { keepDays: 30, signing }),
    await run(directory, 120, 1, { keepDays: 30 }),
    await run(directory, 120, 1, { signing }),
  ];
  expect(runs.flatMap(({ warnings }) => warnings)).toEqual([]);
  const [once = 0, twice = 0, thrice = 0, last] = runs.map(({ first }) => first?.seq);
  expect([once > 1, twice > once, thrice > twice, last]).toEqual([true, true, true, thrice]);
  const path = join(directory, 'audit.jsonl');
  const { lines = [] } = (await readSidecar(sidecarOf(path))) ?? {};
  expect(lines.map((checkpoint) => checkpoint?.chain_id)).toEqual([chainId, chainId]);
  expect(await verifyFile(path)).toMatchObject({ is_valid: true });
});
