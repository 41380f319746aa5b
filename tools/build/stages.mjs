// The stages of `npm test`, by name. `npm test` runs all of it, `npm run <script>` and `nx run` one stage at a time.
// Each stage is a command of Node; the results of a stage of Vitest are in `.cache/reports/<name>.json`.
import { join } from 'node:path';
import { bin, buildArgs, root } from './workspace.mjs';

export const reports = join(root, '.cache/reports');

/**
 * @typedef {object} Stage
 * @property {string} title
 * @property {readonly string[]} args arguments of Node
 * @property {boolean} [needsBuild]
 * @property {boolean} [isVitest] it writes a report, and counts its tests one by one
 * @property {boolean} [yields] it leaves the processors to the others where both want them
 */

/** Node runs TypeScript through tsx. */
const script = (file, ...args) => ['--import', 'tsx', file, ...args];

const vitest = (name, ...args) => [
  bin('vitest/vitest.mjs'),
  'run',
  '--project',
  name,
  ...reporterArgs(reportOf(name)),
  ...args,
];

/** Ten minutes are for `npm run soak`. */
const soakMinutes = process.env.PORTICO_SOAK_MINUTES ?? '2';

/** @type {Readonly<Record<string, Stage>>} */
export const stages = {
  sqlite: { title: 'better-sqlite3 for this Node', args: ['tools/build/compile-sqlite.mjs'] },
  build: { title: 'build and types of packages', args: buildArgs },
  lint: {
    title: 'format and lint',
    args: [bin('@biomejs/biome/bin/biome'), 'ci', '--colors=off', '--error-on-warnings', '.'],
  },
  'lock-file': { title: 'lock file', args: ['tools/checks/check-lock-file.mjs'] },
  versions: { title: 'versions of packages', args: ['tools/checks/check-versions.mjs'] },
  words: { title: 'plain English', args: ['tools/checks/check-words.mjs'] },
  boundaries: { title: 'ring boundaries', args: ['tools/checks/check-boundaries.mjs'], needsBuild: true },
  docstrings: { title: 'docstrings of exported values', args: ['tools/checks/check-docstrings.mjs'], needsBuild: true },
  typecheck: {
    title: 'types of tests and tools',
    args: [bin('typescript-7/bin/tsc'), '-p', 'tools/tsconfig.json'],
    needsBuild: true,
  },
  docs: { title: 'generated documents', args: script('tools/checks/src/check-generated-docs.ts'), needsBuild: true },
  packages: {
    title: 'packages (publint, attw, packed import)',
    args: ['tools/checks/check-package.mjs'],
    needsBuild: true,
    yields: true,
  },
  unit: { title: 'unit tests', args: vitest('unit', '--maxWorkers=2'), isVitest: true },
  e2e: { title: 'end-to-end tests', args: vitest('e2e', '--maxWorkers=3'), needsBuild: true, isVitest: true },
  browser: { title: 'browser tests', args: vitest('browser', '--maxWorkers=1'), needsBuild: true, isVitest: true },
  conformance: {
    title: 'MCP conformance',
    args: vitest('conformance', '--maxWorkers=1'),
    needsBuild: true,
    isVitest: true,
  },
  interop: {
    title: 'clients and servers of npm',
    args: script('tools/interop/src/main.ts', '--only', 'npm'),
    needsBuild: true,
  },
  fuzz: { title: 'fuzzing', args: vitest('fuzz', '--maxWorkers=1'), needsBuild: true, isVitest: true },
  'node-versions': {
    title: 'other versions of Node',
    args: script('tools/node-versions/src/main.ts'),
    needsBuild: true,
  },
  soak: {
    title: `soak of ${soakMinutes} min`,
    args: script('tools/soak/src/main.ts', '--minutes', soakMinutes),
    needsBuild: true,
  },
  requirements: {
    title: 'requirements',
    args: script('tools/e2e/src/check-requirements.ts', ...['e2e', 'browser', 'conformance', 'fuzz'].map(reportOf)),
  },
};

/** Flags of Vitest that show its tests and write their report to this file, for `readReport`. */
export function reporterArgs(file) {
  return ['--reporter=default', `--reporter=${join(root, 'tools/build/test-reporter.mjs')}`, `--outputFile=${file}`];
}

/** Where a check that distinguishes its failures writes them, a list of `Failure`. */
export function failuresOf(name) {
  return reportOf(name).replace(/\.json$/, '.failures.json');
}

/** Where the report of a stage of Vitest is. Nx runs the unit tests of several projects at once. */
export function reportOf(name) {
  const project = process.env.NX_TASK_TARGET_PROJECT?.replaceAll('/', '-');
  return join(reports, project === undefined ? `${name}.json` : `${name}-${project}.json`);
}
