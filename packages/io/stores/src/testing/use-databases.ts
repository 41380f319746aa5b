// Both kinds of databases for the tests of one file, taken down with them. For tests only.
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createPostgresDatabases, startLimitMs } from './postgres-databases.js';
import { createTempDirectories } from './temp-directory.js';

export function useDatabases() {
  const temp = createTempDirectories();
  const postgres = createPostgresDatabases();
  beforeAll(postgres.start, startLimitMs);
  afterEach(() => Promise.all([temp.removeAll(), postgres.closeAll()]));
  afterAll(() => postgres.close());
  return { temp, postgres };
}
