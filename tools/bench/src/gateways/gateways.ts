// The gateways that are compared, with their versions, and how each serves the fixture over HTTP.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutatingStdioPath } from '../../../fixtures/src/paths.js';
import { root } from '../portico.js';

/** Programs that are not part of the repository are installed here. */
export const installFolder = join(root, '.cache/gateways');

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Address of the MCP endpoint. */
  readonly url: string;
}

export interface Gateway {
  readonly name: string;
  readonly home: string;
  readonly source: { readonly kind: 'npm' | 'pypi'; readonly version: string } | { readonly kind: 'checkout' };
  readonly transport?: 'sse';
  /** @param folder empty, for files of the gateway */
  readonly command: (folder: string, port: number) => Command;
}

/** Its definitions change by its tool `control`; `victim` counts its calls. */
export const serverFile = mutatingStdioPath;
const server = { command: process.execPath, args: [serverFile] };
const serverWords = [server.command, ...server.args];

const bin = (name: string) => join(installFolder, 'node_modules/.bin', name);

export const gateways: readonly Gateway[] = [
  {
    name: 'portico',
    home: 'README.md',
    source: { kind: 'checkout' },
    command: (folder, port) => porticoCommand(folder, port, {}),
  },
  {
    name: 'mcp-proxy',
    home: 'https://www.npmjs.com/package/mcp-proxy',
    source: { kind: 'npm', version: '6.7.19' },
    command: (_folder, port) => ({
      program: bin('mcp-proxy'),
      args: ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream', '--', ...serverWords],
      url: `http://127.0.0.1:${port}/mcp`,
    }),
  },
  {
    name: 'supergateway',
    home: 'https://www.npmjs.com/package/supergateway',
    source: { kind: 'npm', version: '4.0.0' },
    command: (_folder, port) => ({
      program: bin('supergateway'),
      args: [
        ...['--stdio', serverWords.join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
        ...['--port', String(port), '--logLevel', 'none'],
      ],
      url: `http://127.0.0.1:${port}/mcp`,
    }),
  },
  {
    name: 'mcp-hub',
    home: 'https://www.npmjs.com/package/mcp-hub',
    source: { kind: 'npm', version: '4.2.1' },
    transport: 'sse',
    command: (folder, port) => ({
      program: bin('mcp-hub'),
      args: ['--port', String(port), '--config', writeConfig(folder, { mcpServers: { fixture: server } })],
      url: `http://127.0.0.1:${port}/mcp`,
    }),
  },
  {
    name: 'fastmcp',
    home: 'https://pypi.org/project/fastmcp/',
    source: { kind: 'pypi', version: '4.2.3' },
    command: (folder, port) => ({
      program: join(installFolder, 'py/bin/fastmcp'),
      args: [
        ...['run', writeConfig(folder, { mcpServers: { fixture: server } }), '--transport', 'http'],
        ...['--port', String(port), '--no-banner', '--log-level', 'ERROR'],
      ],
      url: `http://127.0.0.1:${port}/mcp`,
    }),
  },
];

/** A daemon with an audit log in a file, whose MCP clients see the tools of servers. */
export function porticoCommand(folder: string, port: number, extra: object): Command {
  const config = writeConfig(folder, {
    mcpServers: { fixture: server },
    mcpExposure: 'both',
    mcpHttpServer: { port },
    audit: { filePath: 'audit.jsonl' },
    ...extra,
  });
  const state = join(folder, 'state');
  return {
    program: process.execPath,
    args: [
      join(root, 'apps/daemon/dist/main.js'),
      ...['--config', config, '--port', '0', '--state-dir', state, '--log-level', 'error'],
    ],
    url: `http://127.0.0.1:${port}/mcp`,
  };
}

export function versionOf({ source }: Gateway): string {
  if (source.kind !== 'checkout') return source.version;
  return JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8')).version;
}

function writeConfig(folder: string, config: object): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'mcp_servers.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}
