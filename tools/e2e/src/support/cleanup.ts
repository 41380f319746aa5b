// Resources that a test opens are closed after that test, those of a `beforeAll` after the file, each by its own
// handle.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Cleanup = () => unknown;

let ofFile: Cleanup[] = [];
let ofTest: Cleanup[] = [];
let isInTest = false;
let hasFailed = false;

/** Called by setup.ts before each test. */
export function beginTest(): void {
  isInTest = true;
  hasFailed = false;
}

/** Called by setup.ts after each test. @param failed whether the body of the test has failed */
export async function endTest(failed: boolean): Promise<void> {
  isInTest = false;
  hasFailed = failed;
  const cleanups = ofTest;
  ofTest = [];
  await run(cleanups);
}

/** Called by setup.ts after the last test of a file. */
export async function endFile(): Promise<void> {
  const cleanups = ofFile;
  ofFile = [];
  await run(cleanups);
}

/** For a cleanup: whether the body of the test that it ends with has failed. */
export function testHasFailed(): boolean {
  return hasFailed;
}

/** Last opened, first closed: what was opened earlier may be in use by what was opened later. */
export function onCleanup(cleanup: Cleanup): void {
  (isInTest ? ofTest : ofFile).push(cleanup);
}

/** A folder that is removed again. A server whose daemon was killed may still write there, while it ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-e2e-'));
  onCleanup(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}

/** Every cleanup runs, also after one that fails; the first failure is the test's. */
async function run(cleanups: readonly Cleanup[]): Promise<void> {
  const failures: unknown[] = [];
  for (const cleanup of cleanups.toReversed()) {
    try {
      await cleanup();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
