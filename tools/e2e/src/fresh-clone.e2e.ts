// The commands of a clone that is installed and not built: they are there, say what to do, and no registry is asked for
// a package of their name.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { startRegistry } from './support/local-registry.js';
import { repository } from './support/repository.js';

interface Command {
  readonly app: string;
  readonly name: string;
  /** In the folder of the app. */
  readonly file: string;
}

const commands: readonly Command[] = readdirSync(join(repository, 'apps')).flatMap((app) => {
  const { bin = {} } = JSON.parse(readFileSync(join(repository, 'apps', app, 'package.json'), 'utf8'));
  return Object.entries<string>(bin).map(([name, file]) => ({ app, name, file }));
});

describe('a clone that is installed and not built', () => {
  it('has a command for each app', () => {
    expect(commands.map(({ name }) => name)).toEqual([
      'portico',
      'portico-daemon',
      'portico-mcp-http',
      'portico-mcp-stdio',
    ]);
  });

  it.each(commands)('has $name say what to do, with exit code 2', async ({ name }) => {
    const clone = freshClone();
    const ended = await run(join(clone, 'node_modules/.bin', name), ['--version'], clone);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toBe(`${name}: not built yet; run "npm start" or "npm run build" in ${clone}/ first\n`);
  });

  it('runs its own command by ./portico and by npx, and asks no registry', async () => {
    const clone = freshClone();
    const asked: string[] = [];
    const registry = await countingRegistry(asked);
    for (const [program, ...args] of [['./portico'], ['npx', 'portico'], ['npx', '--no-install', 'portico']] as const) {
      const ended = await run(program, [...args, '--version'], clone, { npm_config_registry: registry });
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain('portico: not built yet; run "npm start"');
    }
    expect(asked).toEqual([]);
  });
});

describe('a folder without Portico', () => {
  it('has the documented npx run no package of a registry that has its name', async () => {
    const home = tempFolder();
    writeFileSync(join(home, 'package.json'), '{ "private": true }');
    const registry = await startRegistry([await foreignPackage()]);
    const env = { npm_config_registry: registry, npm_config_cache: join(home, 'cache') };
    const ended = await run('npx', ['--no-install', 'portico', home], home, env);
    expect(ended.code).not.toBe(0);
    expect(existsSync(join(home, 'was-run'))).toBe(false);
    await run('npx', ['--yes', 'portico', home], home, env); // it would have worked
    expect(existsSync(join(home, 'was-run'))).toBe(true);
  });
});

/** The committed files of each app, and the links that npm makes of their manifests. */
function freshClone(): string {
  const clone = tempFolder();
  mkdirSync(join(clone, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(clone, 'package.json'), '{ "private": true, "type": "module" }');
  cpSync(join(repository, 'portico'), join(clone, 'portico'));
  for (const { app, name, file } of commands) {
    cpSync(join(repository, 'apps', app, file), join(clone, 'apps', app, file));
    cpSync(join(repository, 'apps', app, 'package.json'), join(clone, 'apps', app, 'package.json'));
    symlinkSync(join('../../apps', app, file), join(clone, 'node_modules/.bin', name));
  }
  return clone;
}

async function countingRegistry(asked: string[]): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  onCleanup(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has one
}

/** A package of the name `portico` that leaves a file where it is run. */
async function foreignPackage() {
  const folder = tempFolder();
  const manifest = { name: 'portico', version: '1.0.0', bin: { portico: 'run.cjs' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const script = "#!/usr/bin/env node\nrequire('node:fs').writeFileSync(`${process.argv[2]}/was-run`, '');\n";
  writeFileSync(join(folder, 'run.cjs'), script, { mode: 0o755 });
  const { code, stderr } = await run('npm', ['pack', '--silent', '--pack-destination', folder], folder);
  expect([code, stderr]).toEqual([0, '']);
  return { manifest, tarball: join(folder, 'portico-1.0.0.tgz') };
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const settings = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env: { ...process.env, ...settings, ...env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}
