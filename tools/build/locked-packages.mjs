// Packages that an app needs in production, from the lock file: from its own manifest on, as Node finds packages. Reads
// the lock file only; installed packages and the platform make no difference.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/**
 * @param {string} folder of a workspace, from the root, as `apps/cli`
 * @returns {ReadonlyMap<string, { name: string, version: string, license?: string, integrity?: string, optional: boolean, needs: string[] }>}
 *   by `<name>@<version>`; the workspace itself comes first
 */
export function lockedPackages(folder, lock = readLock()) {
  const found = new Map();
  const visit = (path, isOptional) => {
    const entry = lock.packages[path];
    const name = nameOf(path, entry);
    const key = `${name}@${entry.version}`;
    const known = found.get(key);
    if (known !== undefined && (!known.optional || isOptional)) return key;
    const { version, license, integrity } = entry;
    const made = { name, version, license, integrity, optional: isOptional, needs: [] };
    found.set(key, made);
    for (const [needed, isNeededOptional] of neededBy(entry)) {
      const next = placeOf(lock, path, needed);
      if (next !== undefined) made.needs.push(visit(next, isOptional || isNeededOptional));
      else if (!isNeededOptional) throw new Error(`${key} needs ${needed}, which the lock file does not have`);
    }
    made.needs.sort();
    return key;
  };
  visit(folder, false);
  return found;
}

function readLock() {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
}

/** The lock file has the names of workspaces; the place names other packages. */
function nameOf(path, { name }) {
  return name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Names, and whether an install may leave them out. npm lists an optional dependency among the others as well. */
function neededBy({ dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const needed = new Map(
    Object.keys(peerDependencies).map((name) => [name, peerDependenciesMeta[name]?.optional === true]),
  );
  for (const name of Object.keys(dependencies)) needed.set(name, false);
  for (const name of Object.keys(optionalDependencies)) needed.set(name, true);
  return [...needed].filter(([name]) => peerDependenciesMeta[name]?.optional !== true);
}

/** In the `node_modules` nearest to the importer; a link leads to the workspace. */
function placeOf({ packages }, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    const entry = packages[path];
    if (entry !== undefined) return entry.link === true ? entry.resolved : path;
    if (at === '') return undefined;
  }
}
