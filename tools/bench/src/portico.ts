// A built daemon to measure, in a folder of its own, with its servers connected.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Running, startServer } from './processes.js';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

export async function startPortico(folder: string, config: object): Promise<Running> {
  mkdirSync(folder, { recursive: true });
  const configFile = join(folder, 'mcp_servers.json');
  writeFileSync(configFile, JSON.stringify(config));
  const daemon = await startServer([
    join(root, 'apps/daemon/dist/main.js'),
    ...['--config', configFile, '--port', '0', '--state-dir', join(folder, 'state'), '--log-level', 'error'],
  ]);
  await untilConnected(daemon.port);
  return daemon;
}

async function untilConnected(port: number): Promise<void> {
  const signal = AbortSignal.timeout(20_000);
  for (;;) {
    const { servers } = (await (await fetch(`http://127.0.0.1:${port}/readyz`, { signal })).json()) as {
      servers: Record<string, string>;
    };
    if (Object.values(servers).every((status) => status === 'connected')) return;
  }
}
