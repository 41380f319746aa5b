// The bill of materials of a packed app against what is installed: not against the lock file, of which it was made.
// An optional package may be missing where it does not fit this platform; everything else has to be there, and nothing more.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lockedPackages } from '../../build/locked-packages.mjs';
import { root } from '../../build/root.mjs';
import { sbomName, sbomOf } from '../../build/write-sbom.mjs';

const file = `dist/${sbomName}`;

/** @param {string} unpacked the folder of the packed files @param {string} folder of the app in the workspace */
export function sbomProblems(unpacked, folder) {
  if (!existsSync(join(unpacked, file))) return [`${file}: is missing`];
  const text = readFileSync(join(unpacked, file), 'utf8');
  const sbom = JSON.parse(text);
  const listed = new Map([sbom.metadata.component, ...sbom.components].map((each) => [each['bom-ref'], each.scope]));
  const installed = installedPackages(join(root, folder));
  const made = `${JSON.stringify(sbomOf(lockedPackages(folder)), null, 2)}\n`;
  const forbidden = [root, dirname(root), 'node_modules', '://', 'timestamp'].filter((part) => text.includes(part));
  return [
    ...[...installed].filter((name) => !listed.has(name)).map((name) => `${file}: does not list ${name}`),
    ...[...listed]
      .filter(([name, scope]) => scope !== 'optional' && !installed.has(name))
      .map(([name]) => `${file}: lists ${name}, which is not installed`),
    ...forbidden.map((part) => `${file}: holds ${part}`),
    ...(made === text ? [] : [`${file}: is not what the lock file gives; build again`]),
  ];
}

/** By the manifests in `node_modules`, from that of the app on, without what is for development. */
function installedPackages(start) {
  const found = new Set();
  const seen = new Set();
  const visit = (folder) => {
    if (seen.has(folder)) return;
    seen.add(folder);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    found.add(`${manifest.name}@${manifest.version}`);
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers]) {
      const next = folderOf(name, folder);
      if (next !== undefined) visit(next);
    }
  };
  visit(realpathSync(start));
  return found;
}

function folderOf(name, from) {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return realpathSync(folder);
  }
  return undefined;
}
