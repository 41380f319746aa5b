// The packages and apps of the workspace, with the ring each one's Nx tag puts it in.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/workspace.mjs';

/** The workspace's own patterns say where packages are: `packages/pure/*` or a folder by name. Tools and examples are not shipped. */
const patterns = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces.filter(
  (pattern) => !/^(tools|examples)\//.test(pattern),
);

/** @returns {{ folder: string, name: string, ring: string, manifest: Record<string, any> }[]} */
export function listProjects() {
  return patterns
    .flatMap((pattern) => (pattern.endsWith('/*') ? subfolders(pattern.slice(0, -2)) : [pattern]))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const ring = manifest.nx?.tags?.find((tag) => tag.startsWith('ring:'))?.slice('ring:'.length);
      return { folder, name: manifest.name, ring, manifest };
    });
}

/** The workspace's own tools and the examples, which are not shipped. */
export function privateManifests() {
  return ['tools', 'examples']
    .flatMap(subfolders)
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) }));
}

/** Manifests below packages/ and apps/ that no workspace pattern covers: no stage would build or check them. */
export function strayManifests() {
  const known = new Set(listProjects().map(({ folder }) => folder));
  const walk = (folder) =>
    known.has(folder)
      ? []
      : [...(existsSync(join(root, folder, 'package.json')) ? [folder] : []), ...subfolders(folder).flatMap(walk)];
  return ['packages', 'apps'].flatMap(walk);
}

/** The ring that a folder belongs to by its place; the tag must say the same. */
export function ringOf(folder) {
  if (folder === 'packages/pure/contracts') return 'contracts';
  const [top, second] = folder.split('/');
  return top === 'apps' ? 'app' : second;
}

function subfolders(parent) {
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map((entry) => `${parent}/${entry.name}`);
}
