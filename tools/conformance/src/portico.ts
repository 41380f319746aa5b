// A built Portico daemon on a configuration of its own, with state that is removed again. It never imports the product.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from './suite-folder.js';

const main = join(repository, 'apps/daemon/dist/main.js');
const lineMs = 15_000;
const stopMs = 10_000;

export interface Portico {
  /** Origin of `/v1`. */
  readonly url: string;
  /** Endpoint of the MCP listener, which a configuration with an `mcpHttpServer` block starts. @throws when it does not */
  mcpUrl(): Promise<string>;
  readonly stderr: () => string;
  stop(): Promise<void>;
}

export async function startPortico(config: object): Promise<Portico> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-conformance-'));
  const file = join(folder, 'mcp_servers.json');
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(process.execPath, [main, '--config', file, '--state-dir', join(folder, 'state'), '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const endedEarly = exited.then(([code]) => {
    throw new Error(`the daemon ended with ${code}: ${stderr()}`);
  });
  endedEarly.catch(() => {}); // told to whoever waits for a line; an end that `stop` asked for is no failure
  const line = async (pattern: RegExp): Promise<string> => {
    const signal = AbortSignal.timeout(lineMs);
    for (;;) {
      const found = pattern.exec(stdout())?.[1];
      if (found !== undefined) return found;
      if (signal.aborted)
        throw new Error(`the daemon printed no line like ${pattern}, but ${JSON.stringify(stdout())}`);
      await Promise.race([once(child.stdout, 'data', { signal }).catch(() => {}), endedEarly]);
    }
  };
  const stop = async () => {
    child.kill();
    const force = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await exited;
    clearTimeout(force);
    rmSync(folder, { recursive: true, force: true });
  };
  const ready = line(/^portico listening on (\S+)\n/m).catch(async (error) => {
    await stop();
    throw error;
  });
  return { url: await ready, mcpUrl: () => line(/^portico mcp listening on (\S+)\n/m), stderr, stop };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}
