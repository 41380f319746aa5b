// Finds the npm package and version that a child process runs, from files alone: the package that npx has installed, or
// the package that contains the program. It starts no process and sends no request to a registry.
import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { isJsonObject, parseJson, type StdioServer } from '@portico/contracts';
import type { Environment } from './child-env.js';

/** `<name>@<version>`; undefined if it is not known. Never rejects. */
export async function installedPackage(server: StdioServer, env: Environment): Promise<string | undefined> {
  const folder = server.cwd ?? process.cwd();
  const spec = basename(server.command).replace(/\.(?:cmd|exe)$/i, '') === 'npx' ? npxSpec(server.args) : undefined;
  if (spec !== undefined) return packageOfSpec(spec, folder, { ...env, ...server.env });
  const script = server.args.find((word) => !word.startsWith('-'));
  const programs = [
    script === undefined ? [] : [resolve(folder, script)],
    placesOf(server.command, folder, env),
  ].flat();
  for (const program of programs) {
    const found = await packageAround(program);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The package spec in the arguments of npx: the value of `--package`, or the first word that is no option. */
function npxSpec(args: readonly string[]): string | undefined {
  for (const [at, word] of args.entries()) {
    if (word === '-p' || word === '--package') return args[at + 1];
    if (word.startsWith('--package=')) return word.slice('--package='.length);
    if (!word.startsWith('-')) return word;
  }
  return undefined;
}

/** Follows the layout of npm 7 and later: a digest of the spec names the folder in the npx cache. */
async function packageOfSpec(spec: string, folder: string, env: Environment): Promise<string | undefined> {
  const name = spec.replace(/(?<=.)@[^/]*$/, '');
  const cache = env.npm_config_cache ?? join(env.HOME ?? env.USERPROFILE ?? folder, '.npm');
  const digest = createHash('sha512').update(spec).digest('hex').slice(0, 16);
  const places = [folder, join(cache, '_npx', digest)];
  for (const place of places) {
    const found = await packageIn(join(place, 'node_modules', name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function placesOf(command: string, folder: string, env: Environment): readonly string[] {
  if (isAbsolute(command)) return [command];
  if (/[/\\]/.test(command)) return [resolve(folder, command)];
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((each) => each !== '')
    .map((each) => join(each, command));
}

/** Returns the package of the nearest folder above a file that has a manifest with a name and a version. */
async function packageAround(file: string): Promise<string | undefined> {
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined) return undefined;
  for (let folder = dirname(real); folder !== dirname(folder); folder = dirname(folder)) {
    const found = await packageIn(folder);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function packageIn(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = parseJson(await readFile(join(folder, 'package.json'), 'utf8'));
    if (!isJsonObject(manifest) || typeof manifest.name !== 'string' || typeof manifest.version !== 'string')
      return undefined;
    return `${manifest.name}@${manifest.version}`;
  } catch {
    return undefined; // no manifest, or not readable as JSON
  }
}
