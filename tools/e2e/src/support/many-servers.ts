// A large installation: forty servers, most of them connected, some cold, crashed or unreachable, and ten thousand tools. The
// connected ones are addresses of one listener in the process of the test.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onCleanup } from './cleanup.js';
import { dead, fixture } from './upstreams.js';

/** The lists of a connected server by method, such as `tools/list`. */
export type Listed = Readonly<Record<string, object>>;

const names =
  'asana azure bigquery calendar cloudflare confluence datadog discord docker elastic figma files github gitlab gmail grafana jira kubernetes linear memory notes notion pagerduty payments postgres puppeteer redis search sentry shop slack';
/** Servers that are connected: all that are not named below. */
export const connectedNames = names.split(' ');

const crashing = (line: string) => ({
  command: process.execPath,
  args: ['-e', `process.stderr.write(${JSON.stringify(`${line}\n`)}); process.exit(1)`],
  resilience: { maxRestarts: 1 },
});

/** Entries of `mcpServers` that are not connected, by their state. */
const others = {
  'archive-cold': { ...fixture(), lifecycle: 'lazy', idleStopSecs: 1 },
  'reports-cold': { ...fixture(), lifecycle: 'lazy', idleStopSecs: 1 },
  crm: crashing('CRM_TOKEN is not set'),
  'billing-legacy': crashing('Error: listen EADDRINUSE: address already in use 127.0.0.1:5432'),
  broken: dead,
  'old-wiki': dead,
  'staging-cold': { ...fixture(), lifecycle: 'lazy', idleStopSecs: 1 },
  trello: { url: 'http://127.0.0.1:9/mcp' },
} as const;

export const crashedNames = ['billing-legacy', 'crm'] as const;

/** @param listedBy what a connected server lists, by its name @returns `mcpServers` */
export async function manyServers(listedBy: (name: string) => Listed): Promise<Readonly<Record<string, object>>> {
  const origin = await listen((name, method) => listedBy(name)[method]);
  const connected = connectedNames.map((name) => [name, { url: `${origin}/${name}`, allowStateless: true }] as const);
  return { ...Object.fromEntries(connected), ...others };
}

async function listen(resultOf: (name: string, method: string) => object | undefined): Promise<string> {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request));
    if (id === undefined) return void response.writeHead(202).end();
    const name = request.url?.slice(1) ?? '';
    const result = known(name)[method] ?? resultOf(name, method);
    const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers that all servers have in common. */
function known(name: string): Listed {
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  return {
    initialize: { protocolVersion: '2025-03-26', capabilities, serverInfo: { name, version: '1.0.0' } },
    ping: {},
    'tools/call': { content: [{ type: 'text', text: 'done' }] },
  };
}
