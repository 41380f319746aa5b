// The list of what Portico promises, and the gate between that list and the e2e tests that prove it.
// It never runs a test and never decides what is built: the files in ../requirements say that.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of Portico that a requirement waits for while it is pending. */
export const AREAS = [
  'policy',
  'approvals',
  'idempotency',
  'breaker',
  'supervision',
  'cancel',
  'batch',
  'distillation',
  'stores',
  'audit',
  'siem',
  'telemetry',
  'mcp-faces',
  'interactive',
  'tasks',
  'sampling',
  'live-config',
  'secrets',
  'oauth',
  'access',
  'ai-clients',
  'feeds',
  'semantic-search',
  'cli',
  'web-ui',
  'postgres',
] as const;

export type Area = (typeof AREAS)[number];

export type Requirement =
  | { readonly id: string; readonly text: string; readonly status: 'built' }
  | { readonly id: string; readonly text: string; readonly status: 'pending'; readonly area: Area };

/** One file of the list: its name, for messages, and its parsed JSON. */
export interface RequirementFile {
  readonly file: string;
  readonly value: unknown;
}

/** A finished e2e test. `name` cites requirement ids in square brackets: `answers 304 [catalog-etag-304]`. */
export interface TestResult {
  readonly name: string;
  readonly status: string;
}

export interface CitationProblem {
  readonly kind: 'not-proven' | 'not-marked-built' | 'unknown-id';
  readonly id: string;
  readonly message: string;
}

/** Every id has at least one hyphen, so that `[Symbol]` or `[0]` in a test name is not taken for a citation. */
const ID = /^[a-z0-9]+(?:-[a-z0-9]+)+$/;
const CITATION = /\[([a-z0-9]+(?:-[a-z0-9]+)+)\]/g;
const KEYS = ['id', 'text', 'status', 'area'];

/**
 * Reads every `*.json` of a folder into one list, files in name order.
 * @throws Error naming the file, the entry and the mistake, one line for each.
 */
export function loadRequirements(folder: string): readonly Requirement[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((file): RequirementFile => ({ file, value: JSON.parse(readFileSync(join(folder, file), 'utf8')) }));
  const { requirements, problems } = parseRequirements(files);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return requirements;
}

/** Checks the shape of every entry, and that no id appears twice in all files together. */
export function parseRequirements(files: readonly RequirementFile[]): {
  readonly requirements: readonly Requirement[];
  readonly problems: readonly string[];
} {
  const requirements: Requirement[] = [];
  const problems: string[] = [];
  const fileOfId = new Map<string, string>();
  for (const { file, value } of files) {
    if (!Array.isArray(value)) {
      problems.push(`${file}: expected an array of requirements`);
      continue;
    }
    for (const [index, entry] of value.entries()) {
      const parsed = parseRequirement(entry);
      if (typeof parsed === 'string') {
        problems.push(`${file}[${index}]: ${parsed}`);
        continue;
      }
      const earlier = fileOfId.get(parsed.id);
      if (earlier !== undefined) problems.push(`${file}[${index}]: id "${parsed.id}" is already used in ${earlier}`);
      fileOfId.set(parsed.id, file);
      requirements.push(parsed);
    }
  }
  return { requirements, problems };
}

/**
 * Compares the list with finished tests: a built requirement needs a passing test that cites it, a pending one
 * must have none, and every cited id must exist. Problems come in the order of the list, unknown ids last.
 */
export function checkCitations(
  requirements: readonly Requirement[],
  results: readonly TestResult[],
): readonly CitationProblem[] {
  const testsOfId = collectCitations(results);
  const known = new Set(requirements.map(({ id }) => id));
  return [
    ...requirements.flatMap((requirement) => checkRequirement(requirement, testsOfId.get(requirement.id) ?? [])),
    ...[...testsOfId].flatMap(([id, tests]) => (known.has(id) ? [] : [unknownId(id, tests)])),
  ];
}

function parseRequirement(entry: unknown): Requirement | string {
  if (typeof entry !== 'object' || entry === null) return 'expected an object';
  const { id, text, status, area }: Record<string, unknown> = { ...entry };
  if (typeof id !== 'string' || !ID.test(id)) return '"id" must be lower-case words joined by hyphens, at least two';
  if (typeof text !== 'string' || text.trim() === '') return `"text" of "${id}" must be a sentence`;
  const unknownKey = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (unknownKey !== undefined) return `"${id}" has an unknown field "${unknownKey}"`;
  if (status === 'built') {
    return area === undefined ? { id, text, status } : `"${id}" is built: remove its "area"`;
  }
  if (status !== 'pending') return `"status" of "${id}" must be "built" or "pending"`;
  const knownArea = AREAS.find((name) => name === area);
  return knownArea === undefined
    ? `"${id}" is pending: its "area" must be one of ${AREAS.join(', ')}`
    : { id, text, status, area: knownArea };
}

function collectCitations(results: readonly TestResult[]): ReadonlyMap<string, readonly TestResult[]> {
  const testsOfId = new Map<string, TestResult[]>();
  for (const result of results) {
    for (const [, id = ''] of result.name.matchAll(CITATION)) {
      const tests = testsOfId.get(id);
      if (tests === undefined) testsOfId.set(id, [result]);
      else tests.push(result);
    }
  }
  return testsOfId;
}

function checkRequirement(requirement: Requirement, tests: readonly TestResult[]): readonly CitationProblem[] {
  const { id, text } = requirement;
  const passing = tests.find(({ status }) => status === 'passed');
  if (requirement.status === 'pending') {
    if (passing === undefined) return [];
    const step = 'mark it built, or take the citation out of the test';
    return [
      { kind: 'not-marked-built', id, message: `[${id}] is pending but "${passing.name}" passes: ${step}. ${text}` },
    ];
  }
  if (passing !== undefined) return [];
  const [first] = tests;
  const reason =
    first === undefined
      ? `is built but no e2e test cites it: write one whose name ends in [${id}]`
      : `is built but "${first.name}" is ${first.status}: make it pass`;
  return [{ kind: 'not-proven', id, message: `[${id}] ${reason}. ${text}` }];
}

function unknownId(id: string, [test]: readonly TestResult[]): CitationProblem {
  const step = 'correct the id in the test, or add it to tools/e2e/requirements';
  return { kind: 'unknown-id', id, message: `[${id}] does not exist but "${test?.name}" cites it: ${step}` };
}
