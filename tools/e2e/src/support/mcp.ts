// Starts what serves MCP as built, and drives what they serve: with the official clients, and with raw lines.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1StdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { onCleanup, tempFolder } from './cleanup.js';
import { parseLines, repository } from './daemon.js';
import { fastClock } from './daemon-process.js';
import { keepLog } from './evidence.js';
import { serveBuiltMcpHttp } from './serve-built.js';
import { eventually } from './wait.js';

export const mcpHttpMain = join(repository, 'apps/mcp-http/dist/main.js');
export const mcpStdioMain = join(repository, 'apps/mcp-stdio/dist/main.js');
export const cliMain = join(repository, 'apps/cli/dist/main.js');

export interface DaemonFiles {
  readonly configFile: string;
  readonly stateDir: string;
}

/** A configuration file and a state directory of its own. */
export function placeOf(config: object): DaemonFiles {
  const folder = tempFolder();
  const configFile = join(folder, 'config.json');
  writeFileSync(configFile, JSON.stringify(config));
  return { configFile, stateDir: join(folder, 'state') };
}

export const argsOf = ({ configFile, stateDir }: DaemonFiles) => ['--config', configFile, '--state-dir', stateDir];

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exited: Promise<number | null>;
  /** Waits for the line of stdout that holds this. */
  line(text: string): Promise<string>;
}

/** Any of the processes, ended with the test or the file. */
export function run(main: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {}); // it may be gone
  keepLog(`${basename(dirname(dirname(main)))} ${child.pid}`, () => stderr);
  const exited = once(child, 'close').then(([code]) => code as number | null);
  onCleanup(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    line: (text) =>
      eventually(() => {
        const found = stdout.split('\n').find((line) => line.includes(text));
        if (found === undefined) throw new Error(`no line with "${text}" on stdout: ${stdout}\n${stderr}`);
        return found;
      }),
  };
}

export interface McpHttp {
  /** Address of the endpoint. */
  readonly url: string;
}

export interface McpHttpOptions {
  readonly bind?: string;
  /** Any free one by default; null for that of the configuration. */
  readonly port?: number | null;
}

/** The built MCP HTTP listener inside the process of the test. Stopped with the test or the file. */
export async function startMcpHttp(config: object, { bind, port = 0 }: McpHttpOptions = {}): Promise<McpHttp> {
  if (process.env.PORTICO_E2E_DAEMONS === 'process') {
    const args = [...(bind === undefined ? [] : ['--bind', bind]), ...(port === null ? [] : ['--port', String(port)])];
    return startMcpHttpProcess(config, args);
  }
  const { ready, logText, stop } = await serveBuiltMcpHttp(repository, {
    ...placeOf(config),
    ...(bind === undefined ? {} : { bind }),
    ...(port === null ? {} : { port }),
    logLevel: 'info',
    env: process.env,
  });
  onCleanup(stop);
  keepLog('mcp-http', logText);
  return { url: await ready };
}

/** The same as a process of its own. @param args beside `--config` and `--state-dir` */
export async function startMcpHttpProcess(
  config: object,
  args: readonly string[] = ['--port', '0'],
): Promise<McpHttp & Running> {
  const running = run(mcpHttpMain, [...argsOf(placeOf(config)), ...args]);
  const endedEarly = running.exited.then((code) => {
    throw new Error(`the listener ended with ${code} before it was ready: ${running.stderr()}`);
  });
  const line = await Promise.race([running.line('portico mcp listening on '), endedEarly]);
  return { ...running, url: line.replace('portico mcp listening on ', '') };
}

export interface StdioProcess {
  readonly main?: string;
  /** Makes its clocks and timers run this many times as fast as real time. */
  readonly clockFactor?: number;
}

/** A client of raw lines at the end of a stdio process. */
export function startMcpStdio(
  place: DaemonFiles,
  args: readonly string[] = [],
  { main = mcpStdioMain, clockFactor }: StdioProcess = {},
) {
  const options = `${process.env.NODE_OPTIONS ?? ''} --import ${pathToFileURL(fastClock)}`;
  const env = clockFactor === undefined ? {} : { NODE_OPTIONS: options, CLOCK_FACTOR: String(clockFactor) };
  const running = run(main, [...(main === cliMain ? ['mcp-stdio'] : []), ...argsOf(place), ...args], env);
  const received = () => parseLines(running.stdout());
  return {
    ...running,
    received,
    write: (message: object | string) =>
      running.child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    /** The answer to the request of this id. */
    answer: (id: number | string) =>
      eventually(() => {
        const found = received().find((message) => message.id === id && message.method === undefined);
        if (found === undefined) throw new Error(`no answer ${id}: ${running.stdout()}\n${running.stderr()}`);
        return found;
      }),
  };
}

export const hello = (id: number, capabilities = {}, clientInfo = { name: 'raw', version: '1' }) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo },
});
export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
export const callOf = (id: number, name: string, args = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

const modernVersion = '2026-07-28';

/** A request of 2026-07-28 and the headers that go with it over HTTP. */
export function modernRequest(
  id: number,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  capabilities = {},
) {
  const name = params.name ?? params.uri ?? params.taskId;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  };
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
    headers: {
      'MCP-Protocol-Version': modernVersion,
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
    },
  };
}

/** How an official client reaches the service. */
export type Route =
  | { readonly kind: 'http'; readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'stdio'; readonly args: readonly string[] };

/** Requests of the tests to either official client. */
export interface Driver {
  readonly version: string | undefined;
  request(method: string, params?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Watches a resource, and lists, as the client's era has it. */
  watch(uri: string): Promise<void>;
  readonly listChanges: () => number;
  readonly updates: () => readonly string[];
  close(): Promise<void>;
}

export type Mode = 'v1' | 'auto' | 'legacy' | 'modern';

export async function connectClient(mode: Mode, route: Route, info = ownInfo): Promise<Driver> {
  const driver = mode === 'v1' ? await connectV1(route, info) : await connectV2(mode, route, info);
  onCleanup(() => driver.close());
  return driver;
}

const ownInfo = { name: 'e2e', version: '1.0.0' };
const command = (args: readonly string[]) => ({
  command: process.execPath,
  args: [...args],
  stderr: 'ignore' as const,
});

/** The stream of a session, which a client opens without waiting for it: notifications before that are lost. */
function watchStream() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const watched = async (url: string | URL, init?: RequestInit) => {
    const response = await fetch(url, init);
    if (init?.method === 'GET' && response.ok) open();
    return response;
  };
  return { opened, fetch: watched };
}

async function connectV1(route: Route, info: typeof ownInfo): Promise<Driver> {
  const client = new V1Client(info, { capabilities: {} });
  const updates: string[] = [];
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes += 1;
  });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updates.push(params.uri));
  const { opened, fetch } = watchStream();
  const transport =
    route.kind === 'stdio'
      ? new V1StdioTransport(command(route.args))
      : new V1HttpTransport(new URL(route.url), { fetch, requestInit: { headers: { ...route.headers } } });
  await client.connect(transport as Parameters<V1Client['connect']>[0]); // its own type is not exact about optional members
  if (route.kind === 'http') await opened;
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
  return {
    version: transport instanceof V1HttpTransport ? transport.protocolVersion : '2025-11-25',
    request: (method, params = {}) => client.request({ method, params } as never, ResultSchema),
    watch: async (uri) => void (await client.subscribeResource({ uri })),
    listChanges: () => changes,
    updates: () => updates,
    close: () => client.close(),
  };
}

async function connectV2(mode: Exclude<Mode, 'v1'>, route: Route, info: typeof ownInfo): Promise<Driver> {
  const client = new Client(info, {
    capabilities: {},
    versionNegotiation: { mode: mode === 'modern' ? { pin: modernVersion } : mode },
  });
  const updates: string[] = [];
  let changes = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    changes += 1;
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
  const { opened, fetch } = watchStream();
  const transport =
    route.kind === 'stdio'
      ? new StdioClientTransport(command(route.args))
      : new StreamableHTTPClientTransport(new URL(route.url), {
          fetch,
          requestInit: { headers: { ...route.headers } },
        });
  await client.connect(transport);
  if (route.kind === 'http' && client.getProtocolEra() === 'legacy') await opened;
  return {
    version: client.getNegotiatedProtocolVersion(),
    request: async (method, params = {}) => ({ ...(await client.request({ method, params } as never)) }) as never,
    async watch(uri) {
      if (client.getProtocolEra() === 'legacy') await client.subscribeResource({ uri });
      else await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    },
    listChanges: () => changes,
    updates: () => updates,
    close: () => client.close(),
  };
}
