// The MCP HTTP listener of a configuration, ready to be put on a socket.
import { ConfigError } from '@portico/config-host';
import { type Config, defaultMcpHttpServer } from '@portico/contracts';
import { AnswerHeads } from '@portico/rest-api';
import { type Credentials, unauthenticatedBindIssues } from '../access.js';
import type { Endpoint } from '../listening/listen.js';
import { secure } from '../listening/secure.js';
import type { McpFaces } from './mcp-faces.js';

export interface McpListenerOverrides {
  readonly port?: number;
  readonly bind?: string;
  readonly profile?: string;
}

export interface McpListener extends Endpoint {
  readonly bind: string;
  readonly port: number;
}

const refusedCode = -32000;

/** @throws ConfigError for an address beyond loopback without rbac or an authToken, and for a profile that does not exist */
export async function openMcpListener(
  faces: McpFaces,
  configName: string,
  config: Config,
  overrides: McpListenerOverrides,
  { onConnection, onListening, ...credentials }: Credentials & Required<Pick<Endpoint, 'onConnection' | 'onListening'>>,
): Promise<McpListener> {
  const settings = { ...defaultMcpHttpServer, ...config.mcpHttpServer, ...overrides };
  const { bind, profile, port } = settings;
  const setting = overrides.bind === undefined ? 'mcpHttpServer.bind' : '--bind';
  const issues = unauthenticatedBindIssues(config, bind, setting);
  if (issues.length > 0) throw new ConfigError(configName, issues);
  if (profile !== null && !config.profiles.has(profile)) {
    throw new ConfigError(configName, [{ path: 'profiles', message: `no profile "${profile}"` }]);
  }
  const heads = new AnswerHeads();
  const { fetch, serveNode, heldFor } = await faces.createHttp({
    ...settings,
    writeHead: (outgoing, status, headers, length) => heads.write(outgoing, status, headers, length),
    authenticate: credentials.ofMcp(bind),
    jwt: credentials.jwt,
  });
  const secured: Endpoint['fetch'] = async (request, env) => secure(await fetch(request, env));
  return { bind, port, fetch: secured, serveNode, heldFor, onConnection, onListening, malformedRequestBody };
}

function malformedRequestBody(message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: refusedCode, message } });
}
