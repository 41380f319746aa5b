// Published packages work in an empty folder: every package is packed, and npm installs the tarballs into an empty
// folder, where the guide for beginners is followed. npm does it for real, from a registry of this process that has the
// tarballs and a copy of each third-party package of the workspace. So a file that `files` leaves out, a bin that is
// not there and a dependency that no manifest declares fail here, while no cache has to be filled and no network is
// asked.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { send } from './support/client.js';
import { expectAnswer, requestsOf } from './support/guided-requests.js';
import { type Manifest, type PackedPackage, startRegistry } from './support/local-registry.js';
import { fencedBlocks } from './support/markdown.js';
import { parsePrometheus } from './support/prometheus.js';
import { repository } from './support/repository.js';
import { eventually } from './support/wait.js';
import type { ServerInfo } from './support/wire.js';

const runFile = promisify(execFile);
const guide = fencedBlocks(readFileSync(join(repository, 'docs/getting-started.md'), 'utf8'));
const [install = '', askVersion = '', startDaemon = '', listClients = '', ...more] = guide
  .filter(({ language, text }) => language === 'sh' && !text.startsWith('curl '))
  .map(({ text }) => text.trim());
/** npm leaves better-sqlite3 out of such a Node. */
const hasOwnSqlite = Number.parseInt(process.versions.node, 10) >= 24;
const published = publishedPackages();

let registry = '';
let npmHome = '';
let home = '';

beforeAll(async () => {
  npmHome = tempFolder();
  registry = await startRegistry(await packAll());
  home = emptyFolder();
  await shell(install, home);
  writeFileSync(join(home, 'mcp_servers.json'), guide.find(({ language }) => language === 'jsonc')?.text ?? '');
}, 180_000);

describe('the packed packages', () => {
  it('bring a command that is executable and says its version', async () => {
    expect(install).toMatch(/^npm install @portico\/cli /);
    const { version } = JSON.parse(readFileSync(join(home, 'node_modules/@portico/cli/package.json'), 'utf8'));
    expect((await shell(askVersion, home)).stdout).toBe(`${version}\n`);
    const bin = join(home, 'node_modules/.bin/portico');
    expect(statSync(bin).mode & 0o111).toBe(0o111 & ~process.umask()); // npm gives what the umask leaves
    expect((await runFile(bin, ['--version'], { cwd: home })).stdout).toBe(`${version}\n`);
  });

  it('serve what the guide says, and end with everything that they started', { timeout: 90_000 }, async () => {
    const daemon = await startFrom(startDaemon, home);
    await eventually(async () => expect(await statuses(daemon.url)).toEqual(['connected']));
    const asked = requestsOf(guide);
    expect(asked).toHaveLength(4);
    for (const { method, url, headers, body, expected } of asked) {
      const target = `${daemon.url}${url.pathname}${url.search}`;
      expectAnswer(await send(target, { method, headers, ...(body === undefined ? {} : { body }) }), expected);
    }
    expect(listClients).toMatch(/^npx --no-install portico clients list /);
    expect((await shell(`${listClients} --state-dir state`, home)).stdout).toContain('cursor');
    await daemon.pressCtrlC();
    await expect(send(`${daemon.url}/v1/capabilities`)).rejects.toThrow();
  });

  it('end with 0 when a service manager ends the command itself', { timeout: 90_000 }, async () => {
    const daemon = await startFrom('node_modules/.bin/portico daemon --config mcp_servers.json', home);
    expect((await send(`${daemon.url}/v1/capabilities`)).status).toBe(200);
    expect(await daemon.terminate()).toBe(0);
  });

  it('search by meaning, and by words when the file of the model is damaged', { timeout: 180_000 }, async () => {
    const command = 'node_modules/.bin/portico daemon --config mcp_servers.json';
    const search = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"read a file"}' };
    /** Whether there are vectors, and failures, after a search. */
    const searched = async () => {
      const { url, terminate } = await startFrom(command, home);
      await eventually(async () => expect(await statuses(url)).toEqual(['connected']));
      expect((await send(`${url}/v1/capabilities/search`, search)).status).toBe(200);
      const samples = parsePrometheus((await send(`${url}/metrics`)).text);
      await terminate();
      const metric = (name: string) => samples.get(name)?.samples[0]?.value ?? Number.NaN;
      return [metric('portico_search_vectors_ready') > 0, metric('portico_embedder_failures_total')];
    };
    expect(await searched()).toEqual([true, 0]);
    writeFileSync(join(home, 'node_modules/@portico/embeddings-en/model/en.bin'), 'no model');
    expect(await searched()).toEqual([false, 1]);
    const doctor = 'npx --no-install portico doctor --config mcp_servers.json --state-dir state --offline';
    expect((await shell(`${doctor} || true`, home)).stdout).toContain('embeddings-en/model/en.bin: it does not begin');
  });

  it('offer the command for clients that the guide names', async () => {
    expect(more).toEqual([expect.stringMatching(/^npx --no-install portico mcp-stdio --config /)]);
    const help = await shell('npx --no-install portico mcp-stdio --help', home);
    expect(help.stdout).toContain('--config');
  });

  it('can each be imported where they are installed', { timeout: 180_000 }, async () => {
    const missing = names(published).filter((name) => !existsSync(join(home, 'node_modules', name)));
    if (missing.length > 0) await shell(`npm install ${missing.join(' ')}`, home);
    const importable = names(published.filter(({ manifest }) => manifest.exports !== undefined));
    expect(importable.length).toBeGreaterThan(20);
    const script = importable.map((name) => `await import('${name}');`).join('\n');
    await runFile(process.execPath, ['--input-type=module', '-e', script], { cwd: home });
  });
});

interface Published {
  readonly folder: string;
  readonly manifest: Manifest;
}

function names(packages: readonly Published[]): readonly string[] {
  return packages.map(({ manifest }) => manifest.name);
}

function publishedPackages(): readonly Published[] {
  return ['packages', 'apps']
    .flatMap((top) =>
      readdirSync(join(repository, top), { recursive: true, encoding: 'utf8' })
        .filter((path) => /(^|\/)package\.json$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path))
        .map((path) => join(repository, top, path, '..')),
    )
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .filter(
      ({ manifest }) => manifest.private !== true && !(hasOwnSqlite && manifest.name === '@portico/better-sqlite3'),
    );
}

async function packAll(): Promise<readonly PackedPackage[]> {
  const destination = tempFolder();
  const folders = published.map(({ folder }) => folder);
  const flags = ['pack', '--silent', '--ignore-scripts', '--pack-destination', destination];
  await runFile('npm', [...flags, ...folders], { cwd: repository, env: npmEnvironment() });
  return published.map(({ manifest }) => ({
    manifest,
    tarball: join(destination, `${manifest.name.replace(/^@/, '').replace('/', '-')}-${manifest.version}.tgz`),
  }));
}

function emptyFolder(): string {
  const folder = tempFolder();
  writeFileSync(join(folder, 'package.json'), '{ "private": true }'); // else npm looks for a project further up
  return folder;
}

function npmEnvironment() {
  const flags = { registry, cache: join(npmHome, '.npm'), audit: 'false', fund: 'false', ignore_scripts: 'true' };
  const settings = Object.entries(flags).map(([name, value]) => [`npm_config_${name}`, value]);
  return { ...process.env, NO_COLOR: '1', HOME: npmHome, ...Object.fromEntries(settings) };
}

function shell(command: string, cwd: string) {
  return runFile('/bin/sh', ['-c', command], { cwd, env: npmEnvironment() });
}

/** As the guide has it, on a free port and with its state in the folder. */
async function startFrom(command: string, cwd: string) {
  const [program = '', ...args] = `${command} --port 0 --state-dir state`.split(' ');
  const child = spawn(program, args, { cwd, env: npmEnvironment(), stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const closed = once(child, 'close').then(([code]) => code); // when its pipes are closed at all ends
  const toGroup = (signal: NodeJS.Signals) => child.pid !== undefined && process.kill(-child.pid, signal);
  onCleanup(() => child.exitCode ?? child.signalCode ?? toGroup('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = closed.then((code) => Promise.reject(new Error(`it ended with ${code}: ${stderr}`)));
  const url = await Promise.race([firstUrl(child), ended]);
  ended.catch(() => {}); // it is expected to end from now on
  return {
    url,
    /** A terminal sends it to all of its foreground group: npx, its shell and the daemon. npx hands no signal on. */
    pressCtrlC() {
      toGroup('SIGINT');
      return closed;
    },
    terminate() {
      child.kill('SIGTERM');
      return closed;
    },
  };
}

function firstUrl({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const [, url] = /listening on (http:\S+)\n/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}

async function statuses(url: string): Promise<readonly string[]> {
  const { body } = await send<{ readonly servers: readonly ServerInfo[] }>(`${url}/v1/servers`, {});
  return body.servers.map(({ status }) => status);
}
