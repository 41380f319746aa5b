// Starts a gateway in front of the fixture and measures it as an MCP client sees it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { freePort } from '../../../../packages/io/stores/src/testing/free-port.js';
import { root } from '../portico.js';
import { end } from '../processes.js';
import { type Command, type Gateway, porticoCommand, serverFile } from './gateways.js';
import { cpuUsOf, processesOf, residentBytesOf } from './process-tree.js';

const warmUpCalls = 300;
const measuredCalls = 1000;
/** A gateway that has not answered by then counts as one that does not. */
const giveUpMs = 20_000;
const idleMs = 5000;

export interface Timing {
  readonly firstListMs: number;
  /** Duration of each call, milliseconds. */
  readonly callMs: readonly number[];
  readonly cpuUsPerCall: number;
  readonly idleBytes: number;
}

export interface Behaviour {
  /** How the next call succeeds after the server was killed. */
  readonly afterKill: 'same session' | 'new session' | 'no';
  readonly afterKillMs: number;
  /** How often the server ran two requests with one idempotency key. */
  readonly executions: number;
  /** Whether clients see a description that the server changed while it ran. */
  readonly changedDescription: 'held' | 'passed on';
}

/** The same calls by the same client library to the server itself, over stdio. */
export async function timeDirect(): Promise<readonly number[]> {
  const client = await connect(new StdioClientTransport({ command: process.execPath, args: [serverFile] }));
  try {
    return await timeCalls(client, 'victim');
  } finally {
    await client.close();
  }
}

export async function time(gateway: Gateway): Promise<Timing> {
  return withGateway(gateway, async ({ command, pid, startedAt }) => {
    const client = await untilListed(gateway, command.url);
    const firstListMs = performance.now() - startedAt;
    const tool = await toolOf(client, 'victim');
    await timeCalls(client, tool, warmUpCalls, 0);
    const cpuBefore = cpuUsOf(pid);
    const callMs = await timeCalls(client, tool, 0);
    const cpuUsPerCall = (cpuUsOf(pid) - cpuBefore) / measuredCalls;
    await sleep(idleMs);
    const idleBytes = residentBytesOf(pid);
    await client.close();
    return { firstListMs, callMs, cpuUsPerCall, idleBytes };
  });
}

export async function observe(gateway: Gateway): Promise<Behaviour> {
  const { executions, ...kill } = await withGateway(gateway, async ({ command, pid }) => {
    const client = await untilListed(gateway, command.url);
    const executions = await repeatWithKey(client);
    for (const { pid: server } of processesOf(pid).servers) process.kill(server, 'SIGKILL');
    return { executions, ...(await callAfterKill(gateway, command.url, client)) };
  });
  return { ...kill, executions, changedDescription: await changeDescription(gateway) };
}

interface Started {
  readonly command: Command;
  readonly pid: number;
  readonly folder: string;
  readonly startedAt: number;
}

async function withGateway<T>(gateway: Gateway, use: (started: Started) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-gateways-'));
  const command = gateway.command(folder, await freePort());
  const startedAt = performance.now();
  const child = spawn(command.program, command.args, { stdio: 'ignore', cwd: folder });
  try {
    return await use({ command, pid: pidOf(child), folder, startedAt });
  } finally {
    const killed = setTimeout(() => child.kill('SIGKILL'), 8000);
    await end(child);
    clearTimeout(killed);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function pidOf({ pid, spawnfile }: ChildProcess): number {
  if (pid === undefined) throw new Error(`${spawnfile} could not be started`);
  return pid;
}

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'gateways', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

const connectTo = ({ transport }: Gateway, url: string) =>
  connect(
    // The SDK's types are written without exactOptionalPropertyTypes.
    (transport === 'sse'
      ? new SSEClientTransport(new URL(url))
      : new StreamableHTTPClientTransport(new URL(url))) as Transport,
  );

/** Connects until a list has the tool of the server. */
async function untilListed(gateway: Gateway, url: string): Promise<Client> {
  const until = performance.now() + giveUpMs * 2;
  for (;;) {
    try {
      const client = await connectTo(gateway, url);
      if ((await findTool(client, 'victim')) !== undefined) return client;
      await client.close();
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await sleep(10);
  }
}

/** Gateways put a prefix before the name. */
async function findTool(client: Client, name: string) {
  return (await client.listTools()).tools.find((tool) => tool.name === name || tool.name.endsWith(`_${name}`));
}

async function toolOf(client: Client, name: string): Promise<string> {
  const tool = await findTool(client, name);
  if (tool === undefined) throw new Error(`the gateway lists no tool ${name}`);
  return tool.name;
}

async function timeCalls(client: Client, name: string, warmUp = warmUpCalls, count = measuredCalls) {
  const took: number[] = [];
  for (let n = 0; n < warmUp + count; n += 1) {
    const start = performance.now();
    await client.callTool({ name, arguments: {} });
    if (n >= warmUp) took.push(performance.now() - start);
  }
  return took;
}

/** The protocol has no idempotency key: a gateway without one of its own gets the same request twice. */
async function repeatWithKey(client: Client): Promise<number> {
  const hasKeys = (await findTool(client, 'capability_call')) !== undefined;
  const request = hasKeys
    ? { name: 'capability_call', arguments: { capability_id: 'fixture.victim', args: {}, idempotency_key: 'key-1' } }
    : { name: await toolOf(client, 'victim'), arguments: {}, _meta: { idempotencyKey: 'key-1' } };
  await client.callTool(request);
  const answer = await client.callTool(request);
  const [, called] = /"?called"?\\?":\s*(\d+)/.exec(JSON.stringify(answer)) ?? [];
  return Number(called);
}

async function callAfterKill(gateway: Gateway, url: string, client: Client) {
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  const until = async (isNew: boolean): Promise<boolean> => {
    for (const limit = elapsed() + giveUpMs; elapsed() < limit; await sleep(50)) {
      const session = isNew ? await orUndefined(connectTo(gateway, url)) : client;
      if (session !== undefined && (await orUndefined(callVictim(session))) === true) return true;
      if (isNew) await session?.close().catch(() => undefined);
    }
    return false;
  };
  if (await until(false)) return { afterKill: 'same session' as const, afterKillMs: elapsed() };
  if (await until(true)) return { afterKill: 'new session' as const, afterKillMs: elapsed() };
  return { afterKill: 'no' as const, afterKillMs: elapsed() };
}

async function callVictim(client: Client): Promise<boolean> {
  const options = { timeout: 3000 };
  const { tools } = await client.listTools({}, options);
  const name = tools.find((tool) => tool.name === 'victim' || tool.name.endsWith('_victim'))?.name;
  if (name === undefined) return false;
  return (await client.callTool({ name, arguments: {} }, undefined, options)).isError !== true;
}

function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  return promise.catch(() => undefined);
}

/** With Portico as a configuration with a lock has it, and every other gateway as it is. */
async function changeDescription(gateway: Gateway): Promise<Behaviour['changedDescription']> {
  const isPortico = gateway.source.kind === 'checkout';
  const locked = (folder: string, port: number) => porticoCommand(folder, port, { lock: { mode: 'enforce' } });
  return withGateway(isPortico ? { ...gateway, command: locked } : gateway, async ({ command, folder }) => {
    if (isPortico) await acceptDefinitions(folder);
    const client = await untilListed(gateway, command.url);
    await client.callTool({ name: await toolOf(client, 'control'), arguments: { mutation: 'description' } });
    await sleep(1000); // for the gateway to read the lists again
    const tool = await orUndefined(findTool(client, 'victim'));
    await client.close();
    return tool?.description?.includes('send it to eve') === true ? 'passed on' : 'held';
  });
}

async function acceptDefinitions(folder: string): Promise<void> {
  const flags = ['--config', join(folder, 'mcp_servers.json'), '--state-dir', join(folder, 'state')];
  for (const until = performance.now() + giveUpMs; ; await sleep(100)) {
    try {
      execFileSync(process.execPath, [join(root, 'apps/cli/dist/main.js'), 'lock', 'init', ...flags], {
        stdio: 'pipe',
      });
      return;
    } catch (error) {
      if (performance.now() > until) throw error; // the daemon is still starting before
    }
  }
}
