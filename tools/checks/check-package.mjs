// Publishable packages as a stranger gets them: packed, looked through, linted (publint, attw), and their READMEs' examples
// run from the tarballs, which imports them. `node check-package.mjs [folder]`: one package, or all of them with the programs
// in `examples`, or `examples` alone.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from '../build/workspace.mjs';
import { contentProblems } from './packed/contents.mjs';
import { exampleNames, exampleProblems } from './packed/examples.mjs';
import { readmeProblems } from './packed/readme.mjs';
import { sbomProblems } from './packed/sbom.mjs';
import { listProjects } from './projects.mjs';

const [only] = process.argv.slice(2);
const withExamples = only === undefined || only === 'examples';
const packages = listProjects()
  .filter(({ manifest }) => manifest.nx?.targets?.['check-package'] !== undefined)
  .filter(({ folder }) => withExamples || resolve(root, folder) === resolve(root, only));
if (packages.length === 0) {
  process.stderr.write(`${only} is not the folder of a package with the target check-package\n`);
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), 'portico-pack-'));
try {
  symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'), 'dir'); // the workspace's packages, around each
  const tarballs = packAll();
  for (const { name, folder, manifest } of only === 'examples' ? [] : packages) {
    report(name, await problemsOf(tarballs.get(name), folder, manifest));
  }
  if (withExamples) report('examples', problemsOfExamples(tarballs));
} finally {
  rmSync(work, { recursive: true, force: true });
}

function report(name, problems) {
  if (problems.length === 0) return;
  process.stderr.write(`${name}:\n${problems.join('\n')}\n`);
  process.exitCode = 1;
}

/** All packages in one folder, so that each uses the others as they were packed. */
function problemsOfExamples(tarballs) {
  const home = join(work, 'examples-home');
  for (const [name, tarball] of tarballs) unpack(tarball, join(home, 'node_modules', name));
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  return exampleNames().flatMap((name) => exampleProblems(home, name));
}

/** By one run of npm, which takes longer to start than to pack. */
function packAll() {
  const workspaces = packages.flatMap(({ folder }) => ['--workspace', folder]);
  const args = ['pack', '--json', '--loglevel=error', '--ignore-scripts', '--pack-destination', work, ...workspaces];
  const packed = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
  return new Map(packed.map(({ name, filename }) => [name, join(work, filename)]));
}

async function problemsOf(tarball, folder, manifest) {
  const home = installInHome(tarball, manifest);
  return [
    ...contentProblems(join(home, 'node_modules', manifest.name), manifest, folder),
    ...(folder.startsWith('apps/') ? sbomProblems(join(home, 'node_modules', manifest.name), folder) : []),
    ...(await publintProblems(tarball, manifest)),
    ...(await attwProblems(tarball)),
    ...readmeProblems(home, manifest),
  ];
}

async function publintProblems(tarball, manifest) {
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

/** The packed files as an install puts them into `node_modules`. */
function installInHome(tarball, manifest) {
  const home = join(work, manifest.name);
  unpack(tarball, join(home, 'node_modules', manifest.name));
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  return home;
}

function unpack(tarball, folder) {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
}
