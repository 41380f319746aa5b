// Runs the official MCP conformance suite, unchanged, as a process of its own, and reads what it wrote.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playScenario } from './driver/play.js';
import { type Report, readReport } from './report.js';
import { type Leg, type Revision, readRequirements } from './requirements.js';
import { serveScenarios } from './serve-scenarios.js';
import { repository, suiteFolder } from './suite-folder.js';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Scenarios of a client leg wait for each other, so this is the limit for all of them together. */
const clientTimeoutMs = 180_000;
const clientsAtOnce = 3;

export interface SuiteRun {
  readonly report: Report;
  /** Zero when every required scenario passed. */
  readonly exitCode: number;
}

/** Plays a client against the MCP server at `url`: the scenarios that `revision` has for servers, spoken at that revision. */
export function runServerScenarios(url: string, revision: Revision): Promise<SuiteRun> {
  return runSuite('server', revision, ['--url', url]);
}

/** Plays servers, all at once, for Portico as a client. At most three scenarios are under way, each with a daemon. */
export async function runClientScenarios(revision: Revision): Promise<SuiteRun> {
  const server = await serveScenarios(clientsAtOnce, playScenario);
  try {
    // The suite splits the command at its spaces.
    const command = `node ${relative(repository, here('driver/main.mjs'))}`;
    const args = ['--command', command, '--timeout', String(clientTimeoutMs)];
    return await runSuite('client', revision, args, server.env);
  } finally {
    server.close();
  }
}

async function runSuite(
  leg: Leg,
  revision: Revision,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<SuiteRun> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-conformance-'));
  const suite = spawn(
    process.execPath,
    [
      ...['--import', here('node20-fs.mjs'), join(suiteFolder, 'dist/index.js'), leg, ...args],
      ...['--requirements', revision, '--expected-failures', here('expected-failures.yml'), '--output-dir', folder],
    ],
    { cwd: repository, env: { ...process.env, ...env }, stdio: 'ignore' },
  );
  try {
    const [exitCode] = await once(suite, 'close');
    return { report: readReport(folder, leg, readRequirements(revision, leg)), exitCode: exitCode ?? 1 };
  } finally {
    suite.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
