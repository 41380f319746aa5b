// The built Portico before the fixture, with an HTTP API, an MCP listener and a state directory that processes over stdio
// join. It keeps its ports and its state when it is restarted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../packages/io/stores/src/testing/free-port.js';
import { type Serving, serveBuilt } from '../../e2e/src/support/serve-built.js';
import type { Target } from './clients.js';
import { repository } from './repository.js';

/** Reached only where it hangs. */
const hangMs = 60_000;

export interface Portico {
  /** Origin of `/v1`. */
  readonly url: string;
  readonly targets: Readonly<Record<Target['kind'], Target>>;
  /** The revision of MCP that each server speaks with it. */
  revisions(): Promise<ReadonlyMap<string, string>>;
  /** Stops it and starts it again. @throws when it does not start */
  restart(): Promise<void>;
  /** Differences from the lock, as `<class> <id>: <fields>`. */
  drifts(): Promise<readonly string[]>;
  /** Runs `portico lock` with these words. */
  lock(...words: readonly string[]): Promise<{ readonly code: number; readonly text: string }>;
  stop(): Promise<void>;
}

/**
 * Resolves when every server is connected.
 * @param servers the `mcpServers` of its configuration
 * @param more the rest of it
 */
export async function startPortico(servers: object, more: object = {}): Promise<Portico> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-interop-'));
  const configFile = join(folder, 'mcp_servers.json');
  const stateDir = join(folder, 'state');
  const [api, mcp] = [await freePort(), await freePort()];
  const config = { mcpServers: servers, mcpExposure: 'both', mcpHttpServer: { port: mcp }, ...more };
  writeFileSync(configFile, JSON.stringify(config));
  const url = `http://127.0.0.1:${api}`;
  let serving: Serving<unknown> | undefined;

  const start = async () => {
    serving = await serveBuilt(repository, { configFile, stateDir, port: api, env: { ...process.env, HOME: folder } });
    await serving.ready;
    await connected(url);
  };
  const stop = async () => {
    await serving?.stop();
    serving = undefined;
  };
  const end = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  try {
    await start();
  } catch (error) {
    await end();
    throw error;
  }
  const main = join(repository, 'apps/mcp-stdio/dist/main.js');
  return {
    url,
    targets: {
      stdio: {
        kind: 'stdio',
        command: process.execPath,
        args: [main, '--config', configFile, '--state-dir', stateDir],
      },
      http: { kind: 'http', url: `http://127.0.0.1:${mcp}/mcp` },
    },
    async revisions() {
      const { servers: listed }: Listed = JSON.parse(await (await fetch(`${url}/v1/servers`)).text());
      return new Map(listed.map(({ id, protocol_version }) => [id, protocol_version ?? '']));
    },
    async restart() {
      await stop();
      await start();
    },
    async drifts() {
      const answer = await (await fetch(`${url}/v1/lock/drift`)).text();
      const { drifts }: LockDrift = JSON.parse(answer);
      return drifts.map(
        ({ id, class: found, changes }) => `${found} ${id}: ${changes.map(({ field }) => field).join()}`,
      );
    },
    async lock(...words) {
      const cli = join(repository, 'apps/cli/dist/main.js');
      const child = spawn(process.execPath, [cli, '--url', url, 'lock', ...words], {
        env: { ...process.env, HOME: folder },
      });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
      }
      const [code] = await once(child, 'close');
      return { code: Number(code), text };
    },
    stop: end,
  };
}

interface LockDrift {
  readonly drifts: readonly {
    readonly id: string;
    readonly class: string;
    readonly changes: readonly { readonly field: string }[];
  }[];
}

interface Listed {
  readonly servers: readonly {
    readonly id: string;
    readonly status: string;
    readonly protocol_version: string | null;
  }[];
}

async function connected(url: string): Promise<void> {
  let seen = '';
  for (const until = Date.now() + hangMs; Date.now() < until; await sleep(25)) {
    seen = await (await fetch(`${url}/v1/servers`)).text();
    const { servers }: Listed = JSON.parse(seen);
    if (servers.every(({ status }) => status === 'connected')) return;
  }
  throw new Error(`a server did not connect: ${seen}`);
}
