// `npm run test:nodes`: the stores, the start and some twenty end-to-end files under each Node that users may have. The gate
// itself runs under the Node that it was started with. Needs the build; installs the other versions by npm.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Failure, readReport } from '../../build/read-report.mjs';
import { maxMessageLines, showFailures } from '../../build/show-failures.mjs';
import { failuresOf, reporterArgs } from '../../build/stages.mjs';
import { startUnder } from './start-under.js';

const majors = [22, 24, 26];
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const nodes = fileURLToPath(new URL('../nodes/', import.meta.url));
const vitest = join(repository, 'node_modules/vitest/vitest.mjs');

/** Files that open state, start processes, keep code and speak each protocol, and that take little time. */
const smoke = [
  ...[
    'access-roles',
    'approvals-decisions',
    'approvals',
    'audit',
    'batch',
    'catalog',
    'code-cache',
    'config-file',
    'digest',
  ],
  ...['envelopes', 'execution', 'idempotency-keys', 'idempotency', 'mcp-http', 'policy-profiles'],
  ...['policy-view', 'redaction', 'search', 'state', 'upstreams-http', 'upstreams-stdio'],
].map((name) => `tools/e2e/src/${name}.e2e.ts`);

/**
 * Tests that depend on Node: the drivers of SQLite, files and reading JSON. PostgreSQL is reached by a package that
 * does not.
 */
const stores = {
  paths: ['packages/io/stores', 'packages/pure/audit-chain', 'packages/pure/contracts/src/parse-json.test.ts'],
  leftOut: ['--exclude', '**/postgres/**', '--testNamePattern', '^((?!PostgreSQL).)*$'],
};
const isLeftOut = (name: string) => name.includes('PostgreSQL');
const stage = 'node-versions';

interface Run {
  readonly what: string;
  readonly failures: readonly Failure[];
}

refuseMissing([...smoke, ...stores.paths]);
installNodes();
const runs = (await Promise.all(majors.map(runUnder))).flat();
for (const { what, failures } of runs) say(`${failures.length === 0 ? 'ok    ' : 'FAILED'} ${what}`);
const failures = runs.flatMap((run) => run.failures);
for (const line of showFailures(failures)) say(line);
if (failures.length > 0) writeFileSync(failuresOf(stage), JSON.stringify(failures)); // for what runs the stages
process.exitCode = failures.length === 0 ? 0 : 1;

/** Vitest takes a path as a filter: one that is not there would only leave tests out. */
function refuseMissing(paths: readonly string[]): void {
  for (const path of paths) {
    if (existsSync(join(repository, path))) continue;
    say(`${path} does not exist; name the tests that replace it in tools/node-versions/src/main.ts`);
    process.exit(1);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function installNodes(): void {
  const lock = readFileSync(join(nodes, 'package-lock.json'), 'utf8');
  const stamp = join(nodes, 'node_modules/.portico-lock');
  const isThere = () => majors.every((major) => existsSync(binOf(major)));
  if (isThere() && existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  const args = ['ci', '--workspaces=false', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync('npm', args, { cwd: nodes, encoding: 'utf8' });
  if (status === 0 && isThere()) {
    writeFileSync(stamp, lock);
    return;
  }
  const missing = majors.filter((major) => !existsSync(binOf(major)));
  const what = missing.length === 0 ? '' : ` (none for ${process.platform} ${process.arch}: ${missing.join(', ')})`;
  say(`${stderr ?? ''}${error?.message ?? ''}`.trim());
  say(`Node ${majors.join(', ')} were not installed by npm${what}: correct what is named above, then run this again`);
  process.exit(1);
}

function binOf(major: number): string {
  return join(nodes, `node_modules/node${major}-${process.platform}-${process.arch}/bin/node`);
}

async function runUnder(major: number): Promise<readonly Run[]> {
  const node = binOf(major);
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const folder = mkdtempSync(join(tmpdir(), 'portico-node-'));
  const tried: Tried = { node, version, folder };
  try {
    const [ofStores, ofSmoke] = [
      await runTests(tried, ['--project=unit', ...stores.paths, ...stores.leftOut]),
      await runTests(tried, ['--project=e2e', ...smoke]),
    ];
    const start = await startUnder(node, repository, folder);
    return [
      { what: `${version}: unit tests of the stores and of the audit log, ${ofStores.passed} passed`, ...ofStores },
      { what: `${version}: ${smoke.length} end-to-end files, ${ofSmoke.passed} passed`, ...ofSmoke },
      {
        what: `${version}: npm start`,
        failures: start.failed ? [failureOf(`${version}: npm start`, start.output)] : [],
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Tried {
  readonly node: string;
  readonly version: string;
  /** For the compiled modules of its many processes, and the report. */
  readonly folder: string;
}

function runTests({ node, version, folder }: Tried, args: readonly string[]): Promise<ReturnType<typeof readReport>> {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  return new Promise((resolve) => {
    const child = spawn(node, [vitest, 'run', ...args, '--maxWorkers=1', ...reporterArgs(report)], {
      cwd: repository,
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled'), PORTICO_OTHER_NODE: process.execPath },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('close', (code) => {
      const found = readReport(stage, report, isLeftOut);
      const isExplained = found.isMissing !== true && (code === 0 || found.failures.length > 0);
      const failures = isExplained ? found.failures : [failureOf('Vitest', output)];
      resolve({ ...found, failures: failures.map((failure) => ({ ...failure, test: `${version}: ${failure.test}` })) });
    });
  });
}

function failureOf(test: string, output: string): Failure {
  return {
    stage,
    test,
    message: output.trimEnd().split('\n').slice(-maxMessageLines).join('\n'),
    logs: [],
    pictures: [],
  };
}
