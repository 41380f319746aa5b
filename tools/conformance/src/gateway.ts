// Portico with the conformance upstream behind it, and every name as the suite calls it: aliases without a prefix.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Portico, startPortico } from './portico.js';
import type { Revision } from './requirements.js';
import { listNames } from './upstream.js';

/** The entry of `mcpServers`; aliases point at `conf.<name>`. Resources are reached by their own URIs. */
const server = 'conf';
/** More than the minute after which Portico itself gives an attempt up: reached only where it hangs. */
const hangMs = 70_000;

/** Listens for MCP hosts and passes on to the upstream at `url`, with which it speaks `revision`. @param listener settings */
export async function startGateway(url: string, revision: Revision, listener: object = {}): Promise<Portico> {
  const [tools, prompts] = await Promise.all([listNames(url, 'tools'), listNames(url, 'prompts')]);
  const portico = await startPortico({
    mcpServers: { [server]: { url, protocolVersion: revision } },
    mcpHttpServer: { port: 0, ...listener },
    capabilityAliases: Object.fromEntries(
      tools.map((name) => [name, { target: `${server}.${name}`, passthrough: true }]),
    ),
    promptAliases: Object.fromEntries(prompts.map((name) => [name, { target: `${server}.${name}` }])),
  });
  try {
    await connected(portico);
    return portico;
  } catch (error) {
    await portico.stop();
    throw error;
  }
}

/** A host that comes earlier finds lists that are still empty. */
async function connected(portico: Portico): Promise<void> {
  let seen = '';
  for (const until = Date.now() + hangMs; Date.now() < until; await sleep(25)) {
    seen = await (await fetch(`${portico.url}/v1/servers`)).text();
    if (JSON.parse(seen).servers[0].status === 'connected') return;
  }
  throw new Error(`the upstream did not connect: ${seen}`);
}
