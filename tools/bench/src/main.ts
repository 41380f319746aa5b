// `npm run bench -- [--only list,search] [--rounds N] [--quick]`: Portico beside what it is fair to compare it with.
// A whole run at full size is written into docs/performance.md; any other is only shown.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { runScenario, type Scenario } from './bench.js';
import { isComplete, readOptions } from './options.js';
import { root } from './portico.js';
import { replaceMeasured, toLines, toMarkdown } from './report.js';
import type { Row } from './rows.js';
import { eventLoop } from './scenarios/event-loop.js';
import { httpUpstream } from './scenarios/http-upstream.js';
import { list } from './scenarios/list.js';
import { mcpFaces } from './scenarios/mcp-faces.js';
import { memory } from './scenarios/memory.js';
import { parallel } from './scenarios/parallel.js';
import { replay } from './scenarios/replay.js';
import { search } from './scenarios/search.js';
import { sequential } from './scenarios/sequential.js';
import { slowCalls } from './scenarios/slow-calls.js';
import { start } from './scenarios/start.js';
import { usageRules } from './scenarios/usage-rules.js';

const scenarios: readonly Scenario[] = [
  ...[
    sequential,
    parallel,
    usageRules,
    mcpFaces,
    httpUpstream,
    list,
    search,
    replay,
    slowCalls,
    start,
    memory,
    eventLoop,
  ],
];

async function main(): Promise<void> {
  const options = readOptions(
    process.argv.slice(2),
    scenarios.map(({ name }) => name),
  );
  const { only, rounds } = options;
  const loadBefore = currentLoad();
  const rows: Row[] = [];
  for (const scenario of scenarios) {
    if (only.length > 0 && !only.includes(scenario.name)) continue;
    const measured = await runScenario(scenario, options);
    rows.push(...measured);
    process.stdout.write(`${toLines(measured).join('\n')}\n`);
  }
  if (!isComplete(options)) return;
  const file = join(root, 'docs/performance.md');
  const at = {
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    node: process.version,
    commit: currentCommit(),
    date: `${new Date().toISOString().slice(0, 19)}Z`,
    rounds,
    cores: cpus().length,
    load: [loadBefore, currentLoad()],
  } as const;
  writeFileSync(file, replaceMeasured(readFileSync(file, 'utf8'), toMarkdown(rows, at)));
  process.stdout.write(`written to ${file}\n`);
}

const currentLoad = () => loadavg()[0] ?? Number.NaN;

function currentCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
  return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes that are not committed' : '');
}

await main();
