// Reads the JSON report that vitest writes (`--reporter=json --outputFile=FILE`) into plain test results.
// It never judges them: a report that is not of that shape is an error, a failed test is a result.
import type { TestResult } from './requirements.js';

/**
 * Takes `testResults[].assertionResults[]` of a parsed report, with the full name (suite titles included).
 * @throws Error when the value is not such a report.
 */
export function toTestResults(report: unknown): readonly TestResult[] {
  return arrayAt(report, 'testResults').flatMap((suite) =>
    arrayAt(suite, 'assertionResults').map((test) => ({
      name: stringAt(test, 'fullName'),
      status: stringAt(test, 'status'),
    })),
  );
}

function arrayAt(value: unknown, key: string): readonly unknown[] {
  const found = fieldOf(value, key);
  if (!Array.isArray(found)) throw new Error(`not a vitest JSON report: expected an array "${key}"`);
  return found;
}

function stringAt(value: unknown, key: string): string {
  const found = fieldOf(value, key);
  if (typeof found !== 'string') throw new Error(`not a vitest JSON report: expected a string "${key}"`);
  return found;
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields: Record<string, unknown> = { ...value };
  return fields[key];
}
