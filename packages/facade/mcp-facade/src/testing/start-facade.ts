// The facade over servers that live in the test, without a socket. For tests only.
import { type JsonObject, resolveConfig } from '@portico/contracts';
import {
  type ControlPlane,
  createAuthenticator,
  createControlPlane,
  createMemoryJwtVerifier,
  createMemoryStores,
  operator,
} from '@portico/control-plane';
import { createManualClock, createMemoryConnector, type MemoryServer } from '@portico/upstream-pool';
import { createMcpFacade } from '../facade.js';
import type { McpHttpOptions } from '../http/options.js';

export const modern = '2026-07-28';
export const legacy = '2025-11-25';

const defaults: McpHttpOptions = {
  bind: '127.0.0.1',
  authenticate: async () => ({ kind: 'known', identity: operator }),
  jwt: () => null,
  profile: null,
  allowedHosts: [],
  allowedOrigins: [],
  sseKeepAliveMs: null,
  jsonResponse: true,
};

export interface FacadeInput {
  readonly servers?: Readonly<Record<string, MemoryServer>>;
  /** Fields of the configuration file. */
  readonly file?: object;
  readonly http?: Partial<McpHttpOptions> & { readonly authToken?: string | null };
  /** Claims by JSON Web Token. */
  readonly jwts?: Readonly<Record<string, JsonObject>>;
  /** Replaces what the plane does, to see what the facade makes of it. */
  readonly plane?: (plane: ControlPlane) => Partial<ControlPlane>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body of a JSON answer, else the messages of a stream. */
  readonly body: unknown;
}

/** Every server is connected before this resolves. */
export async function startFacade({
  servers = {},
  file = {},
  http: { authToken = null, ...options } = {},
  jwts = {},
  plane: replace,
}: FacadeInput = {}) {
  const clock = createManualClock();
  const connector = createMemoryConnector(servers);
  const log: unknown[] = [];
  let count = 0;
  const randomHex = (characters: number) => {
    count += 1;
    return count.toString(16).padStart(characters, '0');
  };
  const real = createControlPlane(
    { connector, clock, randomHex, log: () => {}, ...createMemoryStores(clock), notifyApproval: () => {} },
    configOf(Object.keys(servers), file),
  );
  real.start();
  await clock.advance(0);
  const plane = { ...real, ...replace?.(real) };
  const facade = createMcpFacade({ plane, version: '1.2.3', randomHex, log: (...line) => log.push(line) });
  const authenticate = createAuthenticator({
    rbac: () => plane.state().config.rbac,
    authToken: () => authToken,
    env: () => undefined,
    verifyJwt: createMemoryJwtVerifier(jwts),
  });
  const jwt = () => plane.state().config.rbac?.jwt ?? null;
  const http = facade.createHttp({ ...defaults, authenticate, jwt, ...options });

  const request = (init: RequestInit & { readonly path?: string } = {}) => {
    const { path = '/mcp', ...rest } = init;
    const headers = new Headers(init.headers);
    if (!headers.has('Host')) headers.set('Host', '127.0.0.1:9191');
    return http.fetch(new Request(`http://127.0.0.1:9191${path}`, { ...rest, headers }));
  };
  const send = async (init: RequestInit & { readonly path?: string } = {}) => toAnswer(await request(init));
  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}, path = '/mcp') =>
    send({
      path,
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    });

  /** One request of 2026-07-28, with the headers that go with it. */
  const ask = (method: string, params: JsonObject = {}, more: ModernOptions = {}) => {
    const { body, headers } = modernRequest(method, params, more);
    return post(body, headers, more.path);
  };
  /** A session of 2025-11-25, and how to ask in it. */
  const openSession = async (capabilities: object = {}) => {
    const hello = { protocolVersion: legacy, capabilities, clientInfo: { name: 'test', version: '1' } };
    const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello });
    const headers = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '', 'MCP-Protocol-Version': legacy };
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    return {
      opened,
      headers,
      ask: (method: string, params: JsonObject = {}, id = 1) => post({ jsonrpc: '2.0', id, method, params }, headers),
    };
  };
  return { facade, http, plane, clock, log, server: connector.server, request, send, post, ask, openSession };
}

export interface ModernOptions {
  readonly id?: number;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: JsonObject;
  readonly meta?: JsonObject;
}

export function modernRequest(
  method: string,
  params: JsonObject,
  { id = 1, capabilities = {}, meta = {}, headers = {} }: ModernOptions,
) {
  const name = params.name ?? params.uri ?? params.taskId;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modern,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    ...meta,
  };
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
    headers: {
      'MCP-Protocol-Version': modern,
      'Mcp-Method': method,
      ...(/^(tools\/call|prompts\/get|resources\/read|tasks\/\w+)$/.test(method) && typeof name === 'string'
        ? { 'Mcp-Name': name }
        : {}),
      ...headers,
    },
  };
}

function configOf(servers: readonly string[], file: object) {
  const mcpServers = Object.fromEntries(servers.map((id) => [id, { command: 'node' }]));
  const config = resolveConfig({ mcpServers, ...file });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  return config.value;
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  return { status: response.status, headers: response.headers, text, body: isStream ? eventsIn(text) : parse(text) };
}

/** The messages of a stream, in order. */
export function eventsIn(text: string): readonly unknown[] {
  return [...text.matchAll(/(?<=^|\n)data: ([^\n]+)/g)].map(([, data]) => JSON.parse(data ?? ''));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
