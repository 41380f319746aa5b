// Builds one package or app: JavaScript by tsup, declarations (and the type check) by tsc, a browser app by Vite, and the
// process of an app as one script, with the bill of materials of an app.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProcess } from './bundle-process.mjs';
import { writeSbom } from './write-sbom.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const project = process.argv[2] ?? '.';
const cwd = resolve(root, project);
const browserApp = [
  ['typescript-7/bin/tsc', '-p', 'src/app/tsconfig.json'],
  ['vite/bin/vite.js', 'build'],
];

for (const [tool, ...args] of [
  ['tsup/dist/cli-default.js', '--config', join(root, 'tools/build/tsup.config.ts')],
  ['typescript-7/bin/tsc', '-p', 'tsconfig.json'],
  ...(existsSync(join(cwd, 'vite.config.ts')) ? browserApp : []),
]) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', tool), ...args], {
    cwd,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
if (existsSync(join(cwd, 'src/process.ts'))) await bundleProcess(cwd);
if (project.startsWith('apps/')) writeSbom(project);
