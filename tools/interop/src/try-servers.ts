// Runs every server twice, for itself and behind one Portico, and compares what it lists and answers.
import { type Check, compareServer, type Difference, type Found } from './compare-server.js';
import { type Environment, failureOf, installNpm, makeEnvironment } from './install.js';
import { type Portico, startPortico } from './portico.js';
import { openRawSession } from './raw-session.js';
import { repository } from './repository.js';
import { programOf, type Server, serversFolder } from './servers.js';
import { type Scene, setScene } from './surroundings.js';

export type { Check, Difference, Found };

export interface ServerRun {
  readonly found: readonly Found[];
  /** Drifts from a lock of the first start, where nothing had changed. */
  readonly alarms: readonly string[];
  readonly leftOut: readonly { readonly server: Server; readonly reason: string }[];
}

export async function tryServers(servers: readonly Server[]): Promise<ServerRun> {
  const installed = servers.map((server) => ({ server, environment: install(server) }));
  const ready = installed.flatMap(({ server, environment }) =>
    environment.kind === 'ready' ? [{ server, folder: environment.folder }] : [],
  );
  const leftOut = installed.flatMap(({ server, environment }) =>
    environment.kind === 'left-out' ? [{ server, reason: environment.reason }] : [],
  );
  const scene = await setScene();
  try {
    return { ...(await compareAll(ready, scene)), leftOut };
  } finally {
    await scene.close();
  }
}

interface Installed {
  readonly server: Server;
  readonly folder: string;
}

async function compareAll(ready: readonly Installed[], scene: Scene): Promise<Pick<ServerRun, 'found' | 'alarms'>> {
  const behind = ready.map(({ server, folder }) => {
    const where = scene.surroundings(`${server.id}-behind`);
    return [server.id, { ...programOf(server, folder, where), env: server.env?.(where) ?? {} }] as const;
  });
  const portico = await startPortico(Object.fromEntries(behind), { lock: { mode: 'warn' } });
  try {
    const init = await portico.lock('init');
    if (init.code !== 0) throw new Error(`the lock could not be written: ${init.text}`);
    const { stdio } = portico.targets;
    if (stdio.kind !== 'stdio') throw new Error('Portico is not reached over stdio');
    const session = await openRawSession(stdio);
    const revisions = await portico.revisions();
    const found: Found[] = [];
    for (const { server, folder } of ready) {
      const where = scene.surroundings(`${server.id}-direct`);
      const direct = await openRawSession(programOf(server, folder, where), {
        env: server.env?.(where) ?? {},
        revision: revisions.get(server.id) ?? '', // the one that Portico speaks with it: servers write each in another way
      });
      const calls = server.calls?.(where) ?? [];
      found.push(await compareServer(server, calls, { direct, portico: session, url: portico.url }));
      await direct.close();
    }
    await session.close();
    return { found, alarms: await alarmsOf(portico) };
  } finally {
    await portico.stop();
  }
}

/** Drifts that are found in servers which are the same as at the first start, after two more starts. */
async function alarmsOf(portico: Portico): Promise<readonly string[]> {
  const alarms: string[] = [];
  for (let start = 2; start <= 3; start += 1) {
    await portico.restart();
    alarms.push(...(await portico.drifts()).map((drift) => `start ${start}: ${drift}`));
  }
  return alarms;
}

const environments = new Map<string, Environment>();

function install({ source, requirements = '', needs }: Server): Environment {
  if (needs !== undefined && failureOf(needs, ['--version']) !== undefined) {
    return { kind: 'left-out', reason: `${needs} was not found` };
  }
  if (source === 'workspace') return { kind: 'ready', folder: repository };
  const key = `${source} ${requirements}`;
  const known = environments.get(key);
  if (known !== undefined) return known;
  const made =
    source === 'npm'
      ? installNpm('servers-npm', `${serversFolder}npm`)
      : makeEnvironment(`servers-${requirements}`, `${serversFolder}python/${requirements}`);
  environments.set(key, made);
  return made;
}
