// An MCP server that wants tokens of an authorization server, small and real.
import type { ServerResponse } from 'node:http';
import type { AuthServer } from './auth-server.js';
import { json, listen, readBody } from './http-kit.js';

export interface ProtectedServer {
  readonly url: string;
  authServer: AuthServer;
  /** Over the defaults of the protected resource metadata. */
  metadata: Readonly<Record<string, unknown>>;
  /** In the challenge of a 401. */
  scope: string | null;
  /** Tool calls need this scope; undefined while they need none. */
  callScope: string | null;
  /** The challenge names the metadata; else it has to be found. */
  namesMetadata: boolean;
  /** The authorization header of every request of the protocol. */
  readonly authorizations: (string | undefined)[];
  readonly paths: string[];
  /** Scopes by access token, where they matter. */
  readonly scopes: Map<string, string>;
}

/** An MCP server of 2025-11-25, without sessions, that wants a token with every request. */
export async function startProtectedServer(authServer: AuthServer): Promise<ProtectedServer> {
  const origin = await listen(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin);
    if (pathname !== '/mcp') {
      server.paths.push(pathname);
      const isMetadata = pathname === '/.well-known/oauth-protected-resource/mcp';
      const metadata = { resource: server.url, authorization_servers: [server.authServer.issuer], ...server.metadata };
      return isMetadata ? json(response, 200, metadata) : json(response, 404, {});
    }
    const { authorization } = request.headers;
    const token = authorization?.replace('Bearer ', '') ?? '';
    server.authorizations.push(authorization);
    const body = await readBody(request);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (!server.authServer.good.has(token)) return challenge(response, 401, server.scope, server, 'invalid_token');
    const message = JSON.parse(body);
    const has = (server.scopes.get(token) ?? '').split(' ');
    if (message.method === 'tools/call' && server.callScope !== null && !has.includes(server.callScope)) {
      return challenge(response, 403, server.callScope, server, 'insufficient_scope');
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    json(response, 200, { jsonrpc: '2.0', id: message.id, result: resultOf(message.method) });
  });
  const server: ProtectedServer = {
    url: `${origin}/mcp`,
    authServer,
    metadata: {},
    scope: null,
    callScope: null,
    namesMetadata: true,
    authorizations: [],
    paths: [],
    scopes: new Map(),
  };
  return server;
}

function resultOf(method: string): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'protected', version: '1' };
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
  }
  return method === 'tools/list'
    ? { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }
    : { content: [{ type: 'text', text: 'done' }] };
}

function challenge(
  response: ServerResponse,
  status: number,
  scope: string | null,
  { url, namesMetadata }: ProtectedServer,
  error: string,
): void {
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', url).href;
  const parts = [
    `error="${error}"`,
    ...(scope === null ? [] : [`scope="${scope}"`]),
    ...(namesMetadata ? [`resource_metadata="${metadata}"`] : []),
  ];
  response.writeHead(status, { 'www-authenticate': `Bearer ${parts.join(', ')}` }).end();
}
