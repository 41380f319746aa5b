// The packages and apps of the workspace, with the ring each one's Nx tag puts it in.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/workspace.mjs';

const parents = ['packages', 'packages/pure', 'packages/io', 'packages/facade', 'apps'];

/** @returns {{ folder: string, name: string, ring: string, manifest: Record<string, any> }[]} */
export function listProjects() {
  return parents
    .flatMap((parent) =>
      readdirSync(join(root, parent), { withFileTypes: true }).map((entry) => `${parent}/${entry.name}`),
    )
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const ring = manifest.nx?.tags?.find((tag) => tag.startsWith('ring:'))?.slice('ring:'.length);
      return { folder, name: manifest.name, ring, manifest };
    });
}
