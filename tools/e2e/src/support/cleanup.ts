// What a test opens is closed after that test, what a `beforeAll` opens after the file, each by its own handle.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from 'vitest';

type Cleanup = () => unknown;

const ofFile: Cleanup[] = [];
const ofTest: Cleanup[] = [];
let isInTest = false;

beforeEach(() => {
  isInTest = true;
});

afterEach(async () => {
  isInTest = false;
  await run(ofTest);
});

afterAll(() => run(ofFile));

/** Last opened, first closed; what was opened earlier may be in use by what came later. */
export function onCleanup(cleanup: Cleanup): void {
  (isInTest ? ofTest : ofFile).push(cleanup);
}

/** A folder that is removed again. A server whose daemon was killed may still write there, while it ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-e2e-'));
  onCleanup(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}

async function run(cleanups: Cleanup[]): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
