// One publishable package as a stranger gets it: packed, looked through, linted (publint, attw), imported from its
// tarball, and its README's example run from there.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from '../build/workspace.mjs';
import { contentProblems } from './packed/contents.mjs';
import { readmeProblems } from './packed/readme.mjs';

const folder = resolve(root, process.argv[2] ?? '.');
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'portico-pack-'));

try {
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work], { cwd: folder });
  const tarball = join(work, readdirSync(work).find((name) => name.endsWith('.tgz')) ?? '');
  const home = installInHome(tarball);
  const problems = [
    ...contentProblems(join(home, 'node_modules', manifest.name), manifest),
    ...(await publintProblems(tarball)),
    ...(await attwProblems(tarball)),
    ...importProblems(home),
    ...readmeProblems(home, manifest),
  ];
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

/** The packed files in the folder of somebody who uses them, with the workspace's packages around. */
function installInHome(tarball) {
  execFileSync('tar', ['-xzf', tarball, '-C', work]);
  const home = join(work, 'home');
  cpSync(join(work, 'package'), join(home, 'node_modules', manifest.name), { recursive: true });
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'), 'dir');
  return home;
}

function importProblems(home) {
  const script = `const names = Object.keys(await import('${manifest.name}')); if (names.length === 0) process.exit(1);`;
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: home, stdio: 'pipe' });
    return [];
  } catch (error) {
    return [`import from the tarball: ${error instanceof Error ? error.message : error}`];
  }
}
