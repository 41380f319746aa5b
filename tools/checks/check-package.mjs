// One publishable package as a stranger gets it: packed, linted (publint, attw), and imported from its tarball.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from '../build/workspace.mjs';

const folder = resolve(root, process.argv[2] ?? '.');
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'portico-pack-'));

try {
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work], { cwd: folder });
  const tarball = join(work, readdirSync(work).find((name) => name.endsWith('.tgz')) ?? '');
  const problems = [...(await publintProblems(tarball)), ...(await attwProblems(tarball)), ...importProblems(tarball)];
  if (problems.length > 0) {
    process.stderr.write(`${manifest.name}:\n${problems.join('\n')}\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function publintProblems(tarball) {
  const data = readFileSync(tarball);
  const tarballData = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  const { messages } = await publint({ pack: { tarball: tarballData }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, manifest)}`);
}

/** ESM only: problems that only CommonJS consumers have do not count. */
async function attwProblems(tarball) {
  const { problems = [] } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  const esmOnly = new Set(['CJSResolvesToESM', 'NoResolution']);
  return problems
    .filter(
      ({ kind, resolutionKind }) =>
        !esmOnly.has(kind) && resolutionKind !== 'node10' && resolutionKind !== 'node16-cjs',
    )
    .map((problem) => `attw: ${JSON.stringify(problem)}`);
}

/** Imports the packed files, with the workspace's packages around them. */
function importProblems(tarball) {
  execFileSync('tar', ['-xzf', tarball, '-C', work]);
  const home = join(work, 'home/node_modules', manifest.name);
  mkdirSync(home, { recursive: true });
  cpSync(join(work, 'package'), home, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'), 'dir');
  const script = `const names = Object.keys(await import('${manifest.name}')); if (names.length === 0) process.exit(1);`;
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: join(work, 'home'), stdio: 'pipe' });
    return [];
  } catch (error) {
    return [`import from the tarball: ${error instanceof Error ? error.message : error}`];
  }
}
