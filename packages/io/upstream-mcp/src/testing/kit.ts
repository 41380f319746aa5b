// Shared helpers of this package's tests: start and end fixtures, record a session's events, describe servers.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defaultResilience, eager, type HttpServer, type JsonObject, type ServerConfig } from '@portico/contracts';
import { createEgress, type UpstreamGuard } from '@portico/egress';
import { requestOf, type ServerRequest, type UpstreamEvents, type UpstreamSession } from '@portico/upstream-pool';
import { createMcpConnector, type McpConnector } from '../connector.js';

export const { execPath: node } = process;

export const clientInfo = { name: 'portico', version: '0.1.0' };

// Fixtures are programs to start, never modules to import.
const fixturePath = (name: string) =>
  fileURLToPath(new URL(`../../../../../tools/fixtures/src/${name}`, import.meta.url));

export const nullStdioPath = fixturePath('null-stdio.mjs');
export const httpUpstreamPath = fixturePath('http-upstream.mjs');
export const sdkModernServerPath = fixturePath('sdk-modern-server.mjs');

const cleanups: (() => unknown)[] = [];

/** Ends what a test opened; every test file gives this to `afterEach`. */
export async function cleanUp(): Promise<void> {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()));
}

/** Runs after the test, also when it fails. */
export function onCleanup(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** A connector that is closed after the test. */
export function openConnector(env: Readonly<Record<string, string | undefined>> = process.env): McpConnector & {
  readonly logged: string[];
} {
  const logged: string[] = [];
  const connector = createMcpConnector({ clientInfo, env, log: (_level, message) => logged.push(message) });
  onCleanup(connector.close);
  return { ...connector, logged };
}

/** The guard of a server on this machine. */
export const loopbackGuard = (): UpstreamGuard =>
  createEgress().upstream(new URL('http://127.0.0.1/'), { allowPrivateMetadata: false, allowedAddressClasses: [] });

export const patience = () => AbortSignal.timeout(45_000);
/** The signal of a caller that only the answer can end. */
export const forEver = new AbortController().signal;

export interface RecordedEvents extends UpstreamEvents {
  readonly closed: Promise<string>;
  readonly logs: string[];
  readonly updated: string[];
  /** Log messages that belong to no call. */
  readonly messages: JsonObject[];
  /** Questions that belong to no call; each is answered with `{}`. */
  readonly questions: ServerRequest[];
  listChanges(): number;
}

export function recordEvents(): RecordedEvents {
  const logs: string[] = [];
  const updated: string[] = [];
  const messages: JsonObject[] = [];
  const questions: ServerRequest[] = [];
  let changes = 0;
  let resolveClosed: (reason: string) => void = () => {};
  const closed = new Promise<string>((resolve) => {
    resolveClosed = resolve;
  });
  return {
    closed,
    logs,
    updated,
    messages,
    questions,
    listChanges: () => changes,
    onClosed: (reason) => resolveClosed(reason),
    onListChanged: () => {
      changes += 1;
    },
    onLog: (line) => logs.push(line),
    onResourceUpdated: (uri) => updated.push(uri),
    onLogMessage: (message) => messages.push(message),
    async onServerRequest(question) {
      questions.push(question);
      return {};
    },
  };
}

export function stdioServer(
  command: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ServerConfig {
  return { transport: { kind: 'stdio', command, args, env }, lifecycle: eager, resilience: defaultResilience };
}

/** The raw stdio fixture with these flags. */
export const fixture = (...flags: string[]): ServerConfig => stdioServer(node, [nullStdioPath, ...flags]);

export function httpServer(url: string, settings: Partial<HttpServer> = {}): ServerConfig {
  const transport: HttpServer = {
    kind: 'http',
    url,
    protocolVersion: '2026-07-28',
    allowStateless: false,
    allowPrivateMetadata: false,
    allowedAddressClasses: [],
    headers: {},
    auth: null,
    ...settings,
  };
  return { transport, lifecycle: eager, resilience: defaultResilience };
}

export interface HttpFixture {
  readonly url: string;
  readonly origin: string;
  readonly process: ChildProcess;
}

/** The raw HTTP fixture with these flags, ended after the test. */
export async function startHttpFixture(...flags: string[]): Promise<HttpFixture> {
  const child = spawn(node, [httpUpstreamPath, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  onCleanup(() => child.kill('SIGKILL'));
  const line = await firstMatch(child.stdout, /listening on (\d+)/);
  const origin = `http://127.0.0.1:${line[1]}`;
  return { url: `${origin}/mcp`, origin, process: child };
}

/** The first match in what a stream says; the rest of it is read and dropped. */
export function firstMatch(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match !== null) resolve(match);
    });
    stream.on('end', () => reject(new Error(`ended without ${pattern}: ${text}`)));
  });
}

/** Connects with a new connector and recorded events. */
export async function connect(
  server: ServerConfig,
  connector: McpConnector = openConnector(),
): Promise<{ readonly session: UpstreamSession; readonly events: RecordedEvents }> {
  const events = recordEvents();
  const session = await connector.connect('upstream', server, events, patience());
  onCleanup(session.close);
  return { session, events };
}

export const call = (session: UpstreamSession, name: string, args: Record<string, unknown> = {}, signal = patience()) =>
  // Arguments of tests are plain JSON.
  requestOf(session, { method: 'tools/call', params: { name, arguments: args as never } }, signal);

/** The `structuredContent` of a tool's result. */
export async function ask<T>(session: UpstreamSession, name: string, args: Record<string, unknown> = {}): Promise<T> {
  return (await call(session, name, args)).structuredContent as T;
}

/** Waits for a condition that no event reports. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 45_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`gave up waiting until ${what}`);
    await sleep(10);
  }
}

/** Whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    if (process.platform === 'linux') return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
