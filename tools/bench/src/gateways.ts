// `npm run bench:gateways`: Portico beside other MCP gateways of npm and PyPI, in front of the same server on the same machine,
// in rounds that take turns. It installs them into .cache/gateways, prints a table, and with `--write` puts it into
// docs/comparison.md. It is not part of `npm test`. It needs Linux, and Python for gateways of PyPI.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { type Gateway, gateways, installFolder, versionOf } from './gateways/gateways.js';
import { type Behaviour, observe, type Timing, time, timeDirect } from './gateways/measure.js';
import { type Row, table, writeInto } from './gateways/report.js';
import { root } from './portico.js';

const rounds = 3;
const loadBefore = loadavg()[0] ?? 0;
const document = join(root, 'docs/comparison.md');

install();
const direct: (readonly number[])[] = [];
const timings = new Map<Gateway, Timing[]>(gateways.map((gateway) => [gateway, []]));
for (let round = 0; round < rounds; round += 1) {
  direct.push(await timeDirect());
  // Each round begins with another gateway: the first of a round may find a warmer or a busier machine.
  for (const gateway of [...gateways.slice(round), ...gateways.slice(0, round)]) {
    process.stderr.write(`round ${round + 1} of ${rounds}: ${gateway.name}\n`);
    timings.get(gateway)?.push(await time(gateway));
  }
}
const rows: Row[] = [];
for (const gateway of gateways) {
  process.stderr.write(`behaviour: ${gateway.name}\n`);
  const behaviour: Behaviour = await observe(gateway);
  rows.push({ gateway, timings: timings.get(gateway) ?? [], behaviour });
}
const load = `${loadBefore.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after the run`;
const machine = `Node ${process.versions.node}, ${cpus().length} cores of ${cpus()[0]?.model ?? 'an unknown model'}, load average ${load}, ${rounds} rounds`;
const text = table({ rows, direct, date: new Date().toISOString().slice(0, 10), machine });
process.stdout.write(`${text}\n`);
if (process.argv.includes('--write')) writeFileSync(document, writeInto(readFileSync(document, 'utf8'), text));
process.exit(); // clients may keep connections to gateways that have ended

/** Installs gateways of npm, and gateways of PyPI into an environment. */
function install(): void {
  mkdirSync(installFolder, { recursive: true });
  const wanted = (kind: 'npm' | 'pypi') => gateways.filter(({ source }) => source.kind === kind);
  const npm = wanted('npm').filter((gateway) => installedVersion(gateway.name) !== versionOf(gateway));
  if (npm.length > 0) {
    const specs = npm.map((gateway) => `${gateway.name}@${versionOf(gateway)}`);
    const flags = ['--no-fund', '--no-audit', '--prefix', installFolder];
    execFileSync('npm', ['install', ...flags, ...specs], { stdio: 'inherit' });
  }
  const python = join(installFolder, 'py/bin/python');
  if (!existsSync(python)) execFileSync('python3', ['-m', 'venv', join(installFolder, 'py')], { stdio: 'inherit' });
  const specs = wanted('pypi').map((gateway) => `${gateway.name}==${versionOf(gateway)}`);
  execFileSync(python, ['-m', 'pip', 'install', '-q', ...specs], { stdio: 'inherit' });
}

function installedVersion(name: string): string | undefined {
  const file = join(installFolder, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}
