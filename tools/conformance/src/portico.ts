// The built Portico on a configuration of its own, inside this process, with state that is removed again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveBuilt } from '../../e2e/src/support/serve-built.js';
import { repository } from './suite-folder.js';

export interface Portico {
  /** Origin of `/v1`. */
  readonly url: string;
  /** Endpoint of the MCP listener, which a configuration with an `mcpHttpServer` block starts. @throws when there is none */
  readonly mcpUrl: () => string;
  readonly log: () => string;
  stop(): Promise<void>;
}

export async function startPortico(config: object): Promise<Portico> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-conformance-'));
  const configFile = join(folder, 'mcp_servers.json');
  writeFileSync(configFile, JSON.stringify(config));
  const { ready, logText, stop } = await serveBuilt(repository, {
    configFile,
    stateDir: join(folder, 'state'),
    port: 0,
    env: { ...process.env, HOME: folder },
  });
  const close = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const { api, mcp } = await ready.catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const mcpUrl = () => {
    if (mcp === undefined) throw new Error('its configuration has no mcpHttpServer block');
    return mcp;
  };
  return { url: api, mcpUrl, log: logText, stop: close };
}
