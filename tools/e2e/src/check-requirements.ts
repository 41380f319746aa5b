// Script: compares test reports (paths in argv) with the requirement list; exit 1 when they disagree. It never runs the
// tests: `tools/build/test-reporter.mjs` has written the reports.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestReport } from '../../build/test-reporter.mjs';
import { checkCitations, loadRequirements } from './requirements.js';

const reportPaths = process.argv.slice(2);

if (reportPaths.length === 0) {
  process.stderr.write('usage: check-requirements.ts REPORT.json ...\n');
  process.exitCode = 2;
} else {
  process.exitCode = check(reportPaths);
}

function check(paths: readonly string[]): 0 | 1 {
  const requirements = loadRequirements(fileURLToPath(new URL('../requirements', import.meta.url)));
  const results = paths.flatMap((path) => {
    const { tests }: Partial<TestReport> = JSON.parse(readFileSync(path, 'utf8'));
    if (!Array.isArray(tests)) throw new Error(`${path} is not a report of tools/build/test-reporter.mjs`);
    return tests;
  });
  const problems = checkCitations(requirements, results);
  if (problems.length > 0) {
    const lines = [...problems.map(({ message }) => message), `requirements: ${problems.length} problems`];
    process.stderr.write(`${lines.join('\n')}\n`);
    return 1;
  }
  const builtCount = requirements.filter(({ status }) => status === 'built').length;
  const pendingCount = requirements.length - builtCount;
  process.stdout.write(`requirements: ${builtCount} built and cited, ${pendingCount} pending\n`);
  return 0;
}
