// All packages have one version, and stand on exactly that of each other: they are released together.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/workspace.mjs';
import { listProjects, privateManifests } from './projects.mjs';

const packages = listProjects();
const names = new Set(packages.map(({ name }) => name));
const version = JSON.parse(readFileSync(join(root, 'packages/host/package.json'), 'utf8')).version;

const problems = [
  ...packages
    .filter(({ manifest }) => manifest.version !== version)
    .map(({ folder, manifest }) => `${folder}: has version ${manifest.version}, @portico/host has ${version}`),
  ...[...packages, ...privateManifests()].flatMap(({ folder, manifest }) =>
    ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'].flatMap((collection) =>
      Object.entries(manifest[collection] ?? {})
        .filter(([name, range]) => names.has(name) && range !== version)
        .map(([name, range]) => `${folder}: asks for ${name} ${range}, which is ${version}`),
    ),
  ),
];
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\nrun: npx nx release version\n`);
  process.exit(1);
}
