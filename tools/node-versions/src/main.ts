// `npm run test:nodes`: the stores, the start and twenty end-to-end files under each Node that users may have. The gate
// itself runs under the Node that it was started with. Needs the build; installs the other versions by npm.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startUnder } from './start-under.js';

const majors = [22, 24, 26];
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const nodes = fileURLToPath(new URL('../nodes/', import.meta.url));
const vitest = join(repository, 'node_modules/vitest/vitest.mjs');

/** Files that open state, start processes and speak each protocol, and that take little time. */
const smoke = [
  ...['access-roles', 'approvals-decisions', 'approvals', 'audit', 'batch', 'catalog', 'config-file', 'digest'],
  ...['envelopes', 'execution', 'idempotency-keys', 'idempotency', 'mcp-http', 'policy-profiles'],
  ...['policy-view', 'redaction', 'search', 'state', 'upstreams-http', 'upstreams-stdio'],
].map((name) => `tools/e2e/src/${name}.e2e.ts`);

/** What depends on Node: the drivers of SQLite, files and reading JSON. PostgreSQL is reached by a package that does not. */
const stores = [
  ...['packages/io/stores', 'packages/pure/audit-chain', 'packages/pure/contracts/src/parse-json.test.ts'],
  ...['--exclude', '**/postgres/**', '--testNamePattern', '^((?!PostgreSQL).)*$'],
];

interface Run {
  readonly what: string;
  readonly failed: boolean;
  readonly output: string;
}

installNodes();
for (const { what, failed, output } of (await Promise.all(majors.map(runUnder))).flat()) {
  process.stdout.write(`${failed ? `${output.trimEnd()}\nFAILED` : 'ok    '} ${what}\n`);
  if (failed) process.exitCode = 1;
}

function installNodes(): void {
  if (majors.every((major) => existsSync(binOf(major)))) return;
  const args = ['ci', '--workspaces=false', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr } = spawnSync('npm', args, { cwd: nodes, encoding: 'utf8' });
  const missing = majors.filter((major) => !existsSync(binOf(major)));
  if (status === 0 && missing.length === 0) return;
  const what = missing.length === 0 ? '' : ` (none for ${process.platform} ${process.arch}: ${missing.join(', ')})`;
  process.stderr.write(`${stderr}\nother versions of Node could not be installed by npm${what}\n`);
  process.exit(1);
}

function binOf(major: number): string {
  return join(nodes, `node_modules/node${major}-${process.platform}-${process.arch}/bin/node`);
}

async function runUnder(major: number): Promise<readonly Run[]> {
  const node = binOf(major);
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const folder = mkdtempSync(join(tmpdir(), 'portico-node-'));
  try {
    return [
      await run(`${version}: unit tests of the stores and of the audit log`, node, folder, [
        '--project',
        'unit',
        ...stores,
      ]),
      await run(`${version}: ${smoke.length} end-to-end files`, node, folder, ['--project', 'e2e', ...smoke]),
      { what: `${version}: npm start`, ...(await startUnder(node, repository, folder)) },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param folder for the compiled modules of its many processes */
function run(what: string, node: string, folder: string, args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    const child = spawn(node, [vitest, 'run', ...args, '--maxWorkers=1', '--reporter=dot'], {
      cwd: repository,
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('close', (code) => resolve({ what, failed: code !== 0, output }));
  });
}
