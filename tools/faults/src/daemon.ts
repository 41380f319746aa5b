// Starts the built daemon and ends it, mildly or not. It imports nothing of the product.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Reply, type RequestOptions, send } from '../../e2e/src/support/client.js';
import { childrenOf, endProcesses, leftOf, type Process } from './processes.js';
import type { Scope } from './scope.js';

const main = fileURLToPath(new URL('../../../apps/daemon/dist/main.js', import.meta.url));
export const countingUpstreamPath = fileURLToPath(new URL('./counting-upstream.mjs', import.meta.url));

/** How long the children of a killed daemon may take to end. */
const orphanMs = 5_000;

/** The daemon was killed before it had answered. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export interface Daemon {
  readonly pid: number;
  /** Undefined while it runs. */
  readonly exitCode: () => number | null | undefined;
  readonly isKilled: () => boolean;
  /** @throws ConnectionLost when it is killed first; any other failure is the product's */
  ask<T>(path: string, options?: RequestOptions): Promise<Reply<T>>;
  post<T>(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Reply<T>>;
  /** Resolves when every server is connected. @throws ConnectionLost */
  connected(...ids: readonly string[]): Promise<void>;
  /** SIGKILL. Resolves with the children it had then, once it has ended itself. */
  kill(): Promise<readonly Process[]>;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
}

export interface Home {
  readonly folder: string;
  readonly configFile: string;
}

export function writeConfig(folder: string, config: object): Home {
  const configFile = join(folder, 'config.json');
  writeFileSync(configFile, JSON.stringify(config));
  return { folder, configFile };
}

/** Starts a daemon on the state directory of a folder, and waits for nothing. Its end is the scope's at the latest. */
export function launchDaemon(scope: Scope, { folder, configFile }: Home): Daemon {
  scope.throwIfStopped();
  const args = ['--config', configFile, '--state-dir', join(folder, 'state'), '--port', '0', '--log-level', 'warn'];
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let isKilled = false;
  let exitCode: number | null | undefined;
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-4000);
  });
  const exited = once(child, 'close').then(([code]: (number | null)[]) => {
    exitCode = code ?? null;
  });
  const lost = () =>
    isKilled ? new ConnectionLost('the daemon was killed') : new Error(`the daemon ended: ${stderr}`);

  const ready = new Promise<string>((resolve, reject) => {
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      const url = /listening on (http:\/\/\S+)\n/.exec(stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
    exited.then(() => reject(lost()));
  });
  ready.catch(() => {}); // the caller of `ask` reports it

  const ask = async <T>(path: string, options?: RequestOptions): Promise<Reply<T>> => {
    const url = await ready;
    try {
      return await send<T>(`${url}${path}`, options);
    } catch (error) {
      if (isKilled) throw new ConnectionLost('the daemon was killed');
      throw new Error(`${path}: no answer from a daemon that was not killed (${error}): ${stderr}`);
    }
  };
  const signal = async (name: NodeJS.Signals) => {
    child.kill(name); // nothing happens to one that has ended
    await exited;
  };
  const orphans: Process[] = [];
  let killedAt = 0;
  scope.onClose(async () => {
    const force = setTimeout(() => child.kill('SIGKILL'), 8_000);
    await signal('SIGTERM');
    clearTimeout(force);
    // The checks report a product that leaves them; the tool ends them either way.
    endProcesses(await leftOf(orphans, killedAt + orphanMs - performance.now()));
  });

  return {
    pid: child.pid ?? 0,
    exitCode: () => exitCode,
    isKilled: () => isKilled,
    ask,
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async connected(...ids) {
      const deadline = performance.now() + 30_000;
      for (;;) {
        const { servers } = (await ask<{ readonly servers: Readonly<Record<string, string>> }>('/readyz')).body;
        if (ids.every((id) => servers[id] === 'connected')) return;
        if (performance.now() > deadline) throw new Error(`not connected in 30 s: ${JSON.stringify(servers)}`);
        await sleep(10);
      }
    },
    async kill() {
      isKilled = true;
      killedAt = performance.now();
      orphans.push(...childrenOf(child.pid ?? 0));
      await signal('SIGKILL');
      return orphans;
    },
    async stop() {
      await signal('SIGTERM');
      return exitCode ?? null;
    },
  };
}
