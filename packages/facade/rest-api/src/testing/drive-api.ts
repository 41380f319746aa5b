// Drives the REST facade over a plane without a socket. For tests only.
import { type Config, type JsonObject, resolveConfig, securityHeaders } from '@portico/contracts';
import {
  type Authenticate,
  type ControlPlane,
  createAuthenticator,
  createMemoryConfigSource,
  createMemoryJwtVerifier,
  InvalidConfig,
  type MemoryConfigSource,
} from '@portico/control-plane';
import { createRestApi } from '../app.js';

/** The trace id of a request that brings none. */
export const freshTraceId = 'c3'.repeat(16);

export const randomHex = (characters: number) => 'c3'.repeat(characters / 2);

/** A configuration with these servers, each a child process, and these fields on top. */
export function configOf(servers: readonly string[], file: object = {}): Config {
  const mcpServers = Object.fromEntries(servers.map((id) => [id, { command: 'node' }]));
  const config = resolveConfig({ mcpServers, ...file });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  return config.value;
}

/** As `configOf`, in a file that can be changed. */
export function memorySource(servers: readonly string[], file: object = {}): MemoryConfigSource {
  const mcpServers = Object.fromEntries(servers.map((id) => [id, { command: 'node' }]));
  return createMemoryConfigSource({ mcpServers, ...file }, (next) => {
    const config = resolveConfig(next);
    if (!config.ok) throw new InvalidConfig(config.issues);
    return config.value;
  });
}

export interface DrivenAccess {
  readonly bind?: string;
  readonly authToken?: string | null;
  /** Claims by token. */
  readonly jwts?: Readonly<Record<string, JsonObject>>;
  /** In place of all of it. */
  readonly authenticate?: Authenticate;
}

/** Requests name the service itself as Host by default. */
export function driveApi(
  plane: ControlPlane,
  { bind = '127.0.0.1', authToken = null, jwts = {}, authenticate }: DrivenAccess = {},
  checkState = async () => {},
) {
  const log: unknown[] = [];
  const app = createRestApi({
    plane,
    access: {
      bind,
      authenticate:
        authenticate ??
        createAuthenticator({
          rbac: () => plane.state().config.rbac,
          authToken: () => authToken,
          env: () => undefined,
          verifyJwt: createMemoryJwtVerifier(jwts),
        }),
      consoleSessions: {
        issueCode: () => ({ code: 'good', expiresAtMs: 0 }),
        openSession: async (code) => (code === 'good' ? { token: 'session', expiresAtMs: 0 } : undefined),
      },
    },
    version: '1.2.3',
    randomHex,
    log: (...line) => log.push(line),
    checkState,
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'up 1\n' }),
    webConsole: async () => ({ status: 200, headers: { 'Content-Type': 'text/html', ETag: '"e"' }, body: null }),
  });

  const send = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('Host')) headers.set('Host', '127.0.0.1:9090');
    const response = await app.request(path, { ...init, headers });
    const missing = Object.keys(securityHeaders).filter((name) => !response.headers.has(name));
    if (missing.length > 0) throw new Error(`${path} was answered without ${missing.join(', ')}`);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  };
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    send(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) => send(path, { headers });

  return { app, log, send, get, post };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The whole body of a refusal. */
export function refusal(code: string, message: unknown, more: object = {}) {
  return {
    ok: false,
    request_id: null,
    trace_id: freshTraceId,
    retry: { classification: 'safe', upstream_execution_state: 'not_started' },
    data: null,
    error: { code, message, retryable: false },
    ...more,
  };
}
