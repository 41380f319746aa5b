// An npm registry of this process: it has the tarballs it is given, and the packages that are installed in the workspace,
// each in the versions that are there. npm installs from it as from any other, with no cache and no network: what a
// manifest does not declare is not installed, and what is not there is a 404.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { onCleanup } from './cleanup.js';
import { repository } from './daemon.js';

export interface PackedPackage {
  readonly manifest: Manifest;
  readonly tarball: string;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

interface Release {
  readonly manifest: Manifest;
  send(response: ServerResponse): void;
}

/** Its address. It ends with the test or the file. */
export async function startRegistry(packed: readonly PackedPackage[]): Promise<string> {
  const releases = [
    ...packed.map(({ manifest, tarball }) => ({ manifest, send: (to: ServerResponse) => sendFile(tarball, to) })),
    ...installedPackages(),
  ];
  const server = createServer((request, response) => {
    const [, kind, name = '', version] = decodeURIComponent(request.url ?? '').split(
      /^\/(?:(-tarball)\/)?(.+?)(?:@([^@/]+))?$/,
    );
    const found = releases.filter(({ manifest }) => manifest.name === name);
    if (kind !== undefined) return void found.find(({ manifest }) => manifest.version === version)?.send(response);
    if (found.length === 0) return void response.writeHead(404).end('{}');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(toPackument(found, url)));
  }).listen(0, '127.0.0.1');
  onCleanup(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has one
  return url;
}

/** Scripts are left out: what they would build is in the folders already. */
function toPackument(releases: readonly Release[], url: string) {
  const versions = releases.map(({ manifest: { scripts: _scripts, ...manifest } }) => {
    const dist = { tarball: `${url}/-tarball/${encodeURIComponent(`${manifest.name}@${manifest.version}`)}` };
    return [manifest.version, { ...manifest, dist }] as const;
  });
  const latest = releases.at(-1)?.manifest.version;
  return { name: releases[0]?.manifest.name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) };
}

function installedPackages(): readonly Release[] {
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
  return Object.entries<{ readonly link?: boolean }>(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path]) => join(repository, path))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({
      manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
      send: (response) => sendFolder(folder, response),
    }));
}

function sendFile(file: string, response: ServerResponse): void {
  createReadStream(file).pipe(response);
}

/**
 * npm takes tarballs that are not compressed, and drops the first part of every path, under any name. A file that a
 * native build has linked from its `obj.target` is in the archive as a file only without that folder; npm leaves links
 * out.
 */
function sendFolder(folder: string, response: ServerResponse): void {
  const without = ['node_modules', 'obj.target'].flatMap((name) => ['--exclude', name]);
  const tar = spawn('tar', ['-cf', '-', ...without, '-C', dirname(folder), basename(folder)]);
  tar.stdout.pipe(response);
}
