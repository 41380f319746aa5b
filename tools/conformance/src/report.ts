// Counts of a run from the files that the suite wrote: a folder per scenario with its `checks.json`.
// A scenario without such a file was not run, and what was not run has failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Leg, Requirements } from './requirements.js';

/** Lines of the log of a failed scenario. */
const logLines = 10;

export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
  readonly description?: string;
}

export interface ScenarioResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly warned: number;
  /** Ids of checks that passed. */
  readonly succeeded: readonly string[];
  /** `<check id>: <message>` of every failed check and every warning. */
  readonly complaints: readonly string[];
}

export interface Count {
  readonly passed: number;
  readonly total: number;
  /** Scenarios that did not pass, each with what the suite says. */
  readonly failures: readonly string[];
}

export interface Report {
  readonly required: Count;
  readonly notScored: Count;
  /** Checks, not scenarios, of the tasks extension. */
  readonly tasksChecks: { readonly passed: number; readonly failed: number };
  readonly checks: { readonly passed: number; readonly failed: number; readonly warned: number };
  readonly scenarios: readonly ScenarioResult[];
}

/** The files that the suite left of one scenario. */
interface ScenarioFiles {
  readonly name: string;
  readonly checks: readonly Check[];
  /** Stderr of the client of a client scenario. */
  readonly stderr: string;
}

/** Reads the folder that was given to the suite as `--output-dir`. */
export function readReport(folder: string, leg: Leg, requirements: Requirements): Report {
  const results = new Map(readScenarios(folder, leg).map((files) => [files.name, toResult(files)]));
  const of = (names: readonly string[]) => names.map((name) => results.get(name) ?? notRun(name));
  const required = of(requirements.required);
  const notScored = of(requirements.notScored);
  const scenarios = [...required, ...notScored];
  const tasks = sum(scenarios.filter(({ name }) => name.startsWith('tasks-')));
  return {
    required: count(required),
    notScored: count(notScored),
    tasksChecks: { passed: tasks.passed, failed: tasks.failed },
    checks: sum(scenarios),
    scenarios,
  };
}

/** The report for a person: the counts, then each scenario that did not pass or that the suite warns about. */
export function formatReport(title: string, { required, notScored, tasksChecks, checks, scenarios }: Report): string {
  const complaints = scenarios.flatMap(({ name, complaints: own }) => own.map((text) => `  ${name}: ${text}`));
  return [
    `${title}: ${required.passed}/${required.total} required scenarios`,
    `  not scored ${notScored.passed}/${notScored.total}, checks ${checks.passed} passed, ${checks.failed} failed, ` +
      `${checks.warned} warned; tasks checks ${tasksChecks.passed} passed, ${tasksChecks.failed} failed`,
    ...complaints,
  ].join('\n');
}

function readScenarios(folder: string, leg: Leg): readonly ScenarioFiles[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => basename(file) === 'checks.json',
  );
  return files.map((file) => {
    const own = join(folder, dirname(file));
    const checks = JSON.parse(readFileSync(join(own, 'checks.json'), 'utf8')); // written by the pinned suite
    const stderrFile = join(own, 'stderr.txt');
    const stderr = existsSync(stderrFile) ? readFileSync(stderrFile, 'utf8') : '';
    return { name: scenarioOf(dirname(file), leg), checks, stderr };
  });
}

/** `server-ping-2026-11-21T16-06-34-836Z` is the scenario `ping`; those of clients have no prefix, but may have slashes. */
function scenarioOf(folder: string, leg: Leg): string {
  const name = folder.replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '').replaceAll('\\', '/');
  return leg === 'server' ? name.replace(/^server-/, '') : name;
}

function toResult({ name, checks, stderr }: ScenarioFiles): ScenarioResult {
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
  const complaints = checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, status, errorMessage, description }) => {
      const text = errorMessage ?? description ?? '';
      return `${id}: ${status === 'WARNING' ? `warning: ${text}` : text}`;
    });
  const failed = count('FAILURE');
  const said = failed > 0 && stderr !== '' ? [`the client said: ${endsOf(stderr)}`] : [];
  const succeeded = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);
  const passed = succeeded.length;
  return { name, passed, failed, warned: count('WARNING'), succeeded, complaints: [...complaints, ...said] };
}

/** The error, and the last lines of the log that follows its stack. */
function endsOf(stderr: string): string {
  const [error = '', ...rest] = stderr.trimEnd().split('\n');
  return [error, ...rest.filter((line) => !line.startsWith('    at ')).slice(-logLines)].join('\n  ');
}

function notRun(name: string): ScenarioResult {
  return { name, passed: 0, failed: 1, warned: 0, succeeded: [], complaints: ['was not run'] };
}

function count(results: readonly ScenarioResult[]): Count {
  const failures = results.filter(({ failed }) => failed > 0);
  return {
    passed: results.length - failures.length,
    total: results.length,
    failures: failures.map(({ name, complaints }) => `${name}: ${complaints.join('; ')}`),
  };
}

function sum(results: readonly ScenarioResult[]): Report['checks'] {
  const add = (key: 'passed' | 'failed' | 'warned') => results.reduce((total, result) => total + result[key], 0);
  return { passed: add('passed'), failed: add('failed'), warned: add('warned') };
}
