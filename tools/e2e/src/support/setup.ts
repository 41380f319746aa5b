// Runs before each test file: ties what a test opens and what it shows on failure to the test.
import { afterAll, afterEach, beforeEach, type RunnerTask } from 'vitest';
import { beginTest, endFile, endTest } from './cleanup.js';
import { beginEvidence, currentEvidence, endEvidence, leaveTest } from './evidence.js';
import { noKeyring } from './secrets.js';

// The keyring of the person who runs the tests has no part in them, nor has that of a daemon inside this process.
Object.assign(process.env, noKeyring);

beforeEach(({ onTestFailed, task }) => {
  beginTest();
  beginEvidence();
  onTestFailed(() => {
    task.meta.evidence = currentEvidence();
  });
});

afterEach(async ({ task }) => {
  try {
    await endTest(task.result?.state === 'fail');
  } finally {
    leaveTest();
  }
});

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures a hook wants
afterAll(async ({}, file) => {
  if (file.tasks.some(hasFailedHook) || hasErrors(file)) file.meta.evidence = currentEvidence();
  endEvidence();
  await endFile();
});

function hasFailedHook(task: RunnerTask): boolean {
  return task.type === 'suite' && (hasErrors(task) || task.tasks.some(hasFailedHook));
}

function hasErrors({ result }: RunnerTask): boolean {
  return (result?.errors?.length ?? 0) > 0;
}
