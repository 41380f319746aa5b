// Leaves the counts of a run where `npm test` finds them, so that they stand at its end.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from './report.js';

const reports = fileURLToPath(new URL('../../../.cache/reports/', import.meta.url));

/** One line a run: the required scenarios, the others, and the checks of the tasks extension where there are any. */
export function keepCounts(title: string, { required, notScored, tasksChecks }: Report): void {
  const tasks = tasksChecks.passed + tasksChecks.failed;
  const line = [
    `${title}: ${required.passed}/${required.total} required scenarios`,
    `${notScored.passed}/${notScored.total} others`,
    ...(tasks === 0 ? [] : [`${tasksChecks.passed}/${tasks} checks of tasks`]),
  ].join(', ');
  mkdirSync(reports, { recursive: true });
  appendFileSync(join(reports, 'conformance.txt'), `${line}\n`);
}
