// The upstream servers of the tests, as entries of `mcpServers` and, where they are HTTP, as processes of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { httpUpstreamPath, nullStdioPath } from '@portico-tools/fixtures/paths';
import { onCleanup, tempFolder } from './cleanup.js';
import { parseLines } from './daemon.js';
import { missingFolder } from './missing.js';

const askingPath = fileURLToPath(new URL('./asking-upstream.mjs', import.meta.url));
const scriptedPath = fileURLToPath(new URL('./scripted-upstream.mjs', import.meta.url));

/** The raw stdio fixture with these flags. */
export const fixture = (...flags: readonly string[]) => ({
  command: process.execPath,
  args: [nullStdioPath, ...flags],
});

/** A command that does not exist. */
export const dead = { command: `${missingFolder}/mcp-server` };

export interface Definitions {
  readonly tools?: readonly object[];
  readonly resources?: readonly object[];
  readonly resourceTemplates?: readonly object[];
  readonly prompts?: readonly object[];
  readonly pageSize?: number;
  readonly stderrLines?: number;
  /** It does not finish its handshake while this is set. */
  readonly isHeld?: boolean;
  /** Duration of its handshake, milliseconds. */
  readonly startMs?: number;
  /** The default text of its `line` and of the result of its task `job`; it can run tasks then. */
  readonly line?: string;
}

/** A message that a scripted server received. */
export interface Received {
  readonly method: string;
  readonly id?: number;
  readonly params: Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, string>> };
  readonly pid: number;
  /** Tool calls it was working on then, this one included. */
  readonly inFlight: number;
}

export interface Scripted {
  /** The entry of `mcpServers`. */
  readonly server: { readonly command: string; readonly args: readonly string[] };
  /** Replaces the definitions; they count from the next listing on. */
  define(definitions: Definitions): void;
  /** Has it answer the calls of its tool `held` with this in their arguments, those to come as well. */
  release(by?: string): void;
  /** Messages received so far, of one method if given. */
  received(method?: string): readonly Received[];
  /** All lines that it received, unchanged. */
  lines(): string;
}

/** A server that lists what the test says and writes down what it receives. */
export function scripted(definitions: Definitions): Scripted {
  const folder = tempFolder();
  const define = (next: Definitions) => {
    writeFileSync(join(folder, 'next.json'), JSON.stringify(next));
    renameSync(join(folder, 'next.json'), join(folder, 'definitions.json')); // never half of it, whenever it is read
  };
  define(definitions);
  return {
    server: { command: process.execPath, args: [scriptedPath, folder] },
    define,
    release: (by = '') => writeFileSync(join(folder, `released-${by}`), ''),
    received: (method) => readJournal(folder, method),
    lines: () => readFileSync(join(folder, 'lines'), 'utf8'),
  };
}

export interface Asking extends Pick<Scripted, 'server' | 'received'> {
  /** Has it answer the calls of its tool `hold` with this in their arguments, those to come as well. */
  release(by: string): void;
  /** From now on no further process of it can be started. */
  keepAlone(): void;
}

/** A server that asks before it answers; see asking-upstream.mjs. */
export function asking(era: 'legacy' | 'modern'): Asking {
  const folder = tempFolder();
  const args = [askingPath, folder, ...(era === 'modern' ? ['--modern'] : [])];
  return {
    server: { command: process.execPath, args },
    received: (method) => readJournal(folder, method),
    release: (by) => writeFileSync(join(folder, `released-${by}`), ''),
    keepAlone: () => writeFileSync(join(folder, 'alone'), ''),
  };
}

/** The same server behind an address. */
export async function askingOverHttp(era: 'legacy' | 'modern'): Promise<{ readonly url: string }> {
  const { command, args } = asking(era).server;
  const child = spawn(command, [...args, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onCleanup(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${/listening on (\d+)/.exec(String(line))?.[1]}/mcp` };
}

function readJournal(folder: string, method: string | undefined): readonly Received[] {
  const journal = join(folder, 'journal.jsonl');
  if (!existsSync(journal)) return [];
  const all = parseLines(readFileSync(journal, 'utf8')) as unknown as readonly Received[]; // the script writes that
  return method === undefined ? all : all.filter((message) => message.method === method);
}

/** A tool definition with an argument schema that takes anything, unless it says otherwise. */
export const tool = (name: string, rest: object = {}) => ({ name, inputSchema: { type: 'object' }, ...rest });

export interface HttpFixture {
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  /** Ends it at once. */
  kill(): Promise<void>;
}

/** The raw HTTP fixture with these flags. */
export async function startHttpFixture(...flags: readonly string[]): Promise<HttpFixture> {
  const child = spawn(process.execPath, [httpUpstreamPath, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onCleanup(kill);
  const [line] = await once(child.stdout, 'data');
  const port = Number(/listening on (\d+)/.exec(String(line))?.[1]);
  const origin = `http://127.0.0.1:${port}`;
  return { url: `${origin}/mcp`, origin, port, kill };
}

export interface Exchange {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON-RPC method, where the body has one. */
  readonly rpcMethod?: string;
}

export interface Recorder {
  readonly url: string;
  readonly requests: Exchange[];
}

/** Stands before an HTTP server, passes everything on and writes the requests down. */
export async function recordRequests(target: HttpFixture): Promise<Recorder> {
  const requests: Exchange[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = '', headers, url = '' } = incoming;
      const rpcMethod = body.length === 0 ? undefined : JSON.parse(body.toString()).method;
      requests.push({ method, headers, rpcMethod });
      const onward = httpRequest(`${target.origin}${url}`, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy()).end(body);
      outgoing.on('close', () => onward.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests };
}
