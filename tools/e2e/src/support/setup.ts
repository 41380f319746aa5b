// Runs before each test file: ties what a test opens and what it shows on failure to the test.
import { afterAll, afterEach, beforeEach } from 'vitest';
import { beginTest, endFile, endTest } from './cleanup.js';
import { beginEvidence, currentEvidence, endEvidence } from './evidence.js';
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

afterEach(({ task }) => endTest(task.result?.state === 'fail'));

afterAll(async () => {
  endEvidence();
  await endFile();
});
