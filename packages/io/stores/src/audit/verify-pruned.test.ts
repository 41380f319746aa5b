// Verification, without the service, of a log whose old segments are removed at the same time.
import { unlinkSync } from 'node:fs';
import { copyFile, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createAuditFiles, draftOf } from './testing/audit-files.js';
import { partsOf, verifyFile } from './verify-file.js';

const files = createAuditFiles();
afterEach(() => files.removeAll());

const old = new Date(Date.now() - 40 * 24 * 3_600_000).toISOString();

/** A log whose record says that old segments are removed, and `gone`, the paths of those, which are there still. */
async function interrupted() {
  const directory = await files.createDirectory();
  const path = join(directory, 'audit.jsonl');
  const log = await files.open(directory, { maxFileBytes: 2000, isStrict: true, keepDays: 30 });
  for (let i = 0; i < 20; i++) await log.append(draftOf({ timestamp: old }));
  for (let i = 0; i < 10; i++) await log.append(draftOf({ timestamp: new Date().toISOString() }));
  const before = (await readdir(directory)).filter((name) => /\.\d{15}$/.test(name)).toSorted();
  for (const name of before) await copyFile(join(directory, name), join(directory, `kept-${name}`));
  await log.prune();
  await log.close();
  const left = new Set(await readdir(directory));
  const gone = before.filter((name) => !left.has(name)).map((name) => join(directory, name));
  for (const name of gone) await rename(name.replace('audit.jsonl', 'kept-audit.jsonl'), name);
  return { path, gone };
}

/** A signal that never aborts; `onLook` is called when it is looked at for the first time, which is once a file is open. */
function watched(onLook: () => void) {
  const { signal } = new AbortController();
  let look: (() => void) | undefined = onLook;
  return Object.assign(Object.create(signal), {
    throwIfAborted() {
      look?.();
      look = undefined;
    },
  }) as AbortSignal;
}

it('starts over where a segment is removed before it is read', async () => {
  const { path, gone } = await interrupted();
  expect(gone.length).toBeGreaterThan(1);
  const signal = watched(() => gone.forEach(unlinkSync));
  expect(await verifyFile(path, { signal })).toMatchObject({ is_valid: true });
});

it('does not take what was removed by hand for pruned', async () => {
  const { path, gone } = await interrupted();
  const left = (await readdir(join(path, '..'))).filter((name) => /^audit\.jsonl\.\d{15}$/.test(name)).toSorted();
  const one = join(path, '..', left[gone.length] ?? '');
  const signal = watched(() => [...gone, one].forEach(unlinkSync));
  const details = expect.stringContaining('no record says that they were pruned');
  expect(await verifyFile(path, { signal })).toMatchObject({ is_valid: false, details });
});

it('reads the record of a removal that comes while the files are listed', async () => {
  const { path, gone } = await interrupted();
  const file = await open(path, 'r');
  const stat = async () => {
    const state = await file.stat();
    gone.forEach(unlinkSync);
    return state;
  };
  const { segments } = await partsOf(path, Object.assign(Object.create(file), { stat }));
  await file.close();
  expect(segments.map((segment) => segment.path)).toEqual(expect.arrayContaining(gone));
});
