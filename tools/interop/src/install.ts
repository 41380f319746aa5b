// Makes the programs of each language ready to run, in the repository's cache folder. A missing program or a failed
// download is a reason to leave a language out, and never an error.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, clientsFolder, type Language } from './clients.js';
import { cacheFolder } from './repository.js';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

export type Prepared =
  | { readonly kind: 'ready'; programOf(client: Client): Program }
  | { readonly kind: 'left-out'; readonly reason: string };

export function prepare(language: Language, wanted: readonly Client[]): Prepared {
  switch (language) {
    case 'npm':
      return { kind: 'ready', programOf: ({ program }) => nodeProgram(program) };
    case 'python':
      return preparePython([...new Set(wanted.map(({ requirements }) => requirements ?? ''))]);
    case 'go':
      return prepareGo();
  }
}

const nodeProgram = (program: string): Program => ({
  command: process.execPath,
  args: [join(clientsFolder, 'typescript', program)],
});

/** An environment for each file of requirements, made again when the file changes. */
function preparePython(files: readonly string[]): Prepared {
  const environments = new Map<string, string>();
  for (const file of files) {
    const made = makeEnvironment(`clients-${file}`, join(clientsFolder, 'python/requirements', file));
    if (made.kind === 'left-out') return made;
    environments.set(file, made.folder);
  }
  return {
    kind: 'ready',
    programOf: ({ program, requirements = '' }) => ({
      command: binOf(environments.get(requirements) ?? '', 'python'),
      args: [join(clientsFolder, 'python', program)],
    }),
  };
}

export type Environment =
  | { readonly kind: 'ready'; readonly folder: string }
  | { readonly kind: 'left-out'; readonly reason: string };

/** A virtual environment with the packages of a file of requirements. */
export function makeEnvironment(name: string, requirements: string): Environment {
  const python = findPython();
  if (python === undefined) return leftOut('Python 3.10 or later with venv was not found as python3 or python');
  const folder = join(cacheFolder, 'python', name);
  const stamp = join(folder, 'portico-sha256');
  const wanted = digestOf(python.version, readFileSync(requirements));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return { kind: 'ready', folder };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const problem =
    failureOf(python.command, ['-m', 'venv', folder]) ??
    failureOf(binOf(folder, 'python'), [
      ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
      ...['--requirement', requirements],
    ]);
  if (problem !== undefined) return leftOut(`pip did not install ${name}: ${problem}`);
  writeFileSync(stamp, wanted);
  return { kind: 'ready', folder };
}

/** A program of a virtual environment. */
export function binOf(environment: string, program: string): string {
  return process.platform === 'win32'
    ? join(environment, 'Scripts', `${program}.exe`)
    : join(environment, 'bin', program);
}

function findPython(): { readonly command: string; readonly version: string } | undefined {
  for (const command of ['python3', 'python']) {
    const script = 'import sys, venv; print("%d.%d" % sys.version_info[:2])';
    const { status, stdout } = spawnSync(command, ['-c', script], { encoding: 'utf8' });
    const version = stdout?.trim() ?? '';
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (status === 0 && major === 3 && minor >= 10) return { command, version };
  }
  return undefined;
}

const minGo = 25;

function prepareGo(): Prepared {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', env: localGo() });
  const [, minor = '0'] = /^go1\.(\d+)/.exec(stdout ?? '') ?? [];
  if (status !== 0 || Number(minor) < minGo) return leftOut(`Go 1.${minGo} or later was not found`);
  const folder = join(cacheFolder, 'go');
  mkdirSync(folder, { recursive: true });
  const built = join(folder, process.platform === 'win32' ? 'interop-client.exe' : 'interop-client');
  const problem = failureOf('go', ['build', '-o', built, '.'], { cwd: join(clientsFolder, 'go'), env: localGo() });
  if (problem !== undefined) return leftOut(`go did not build the client: ${problem}`);
  return { kind: 'ready', programOf: () => ({ command: built, args: [] }) };
}

/** The Go that is there, not one that it would download. */
const localGo = () => ({ ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' });

/** The packages of a manifest and its lock file, in a folder of their own. */
export function installNpm(name: string, from: string): Environment {
  const folder = join(cacheFolder, name);
  const stamp = join(folder, 'portico-sha256');
  const lock = readFileSync(join(from, 'package-lock.json'));
  const wanted = digestOf(process.version, lock);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return { kind: 'ready', folder };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(from, file), join(folder, file));
  const args = ['ci', '--workspaces=false', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const problem = failureOf(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { cwd: folder });
  if (problem !== undefined) return leftOut(`npm did not install ${name}: ${problem}`);
  writeFileSync(stamp, wanted);
  return { kind: 'ready', folder };
}

const leftOut = (reason: string) => ({ kind: 'left-out', reason }) as const;

/** The last line of what the program said; undefined if it succeeded. */
export function failureOf(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): string | undefined {
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...options, encoding: 'utf8' });
  if (status === 0) return undefined;
  return `${stdout ?? ''}\n${stderr ?? ''}\n${error?.message ?? ''}`.trim().split('\n').at(-1) ?? `exit code ${status}`;
}

function digestOf(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\n');
  return hash.digest('hex');
}
