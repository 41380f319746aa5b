// The headers every request to one HTTP upstream carries: the configured ones and the static authorization.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { HttpServer, OAuth2Auth, StdioServer, UpstreamAuth } from '@portico/contracts';
import type { Environment } from './child-env.js';
import { unreachable } from './failures.js';

/**
 * Header names in lower case, to values.
 * @throws UpstreamFailure when a variable that should hold a secret is not set, or a header cannot carry a value.
 */
export function requestHeaders(server: HttpServer, env: Environment): Record<string, string> {
  const headers: Record<string, string> = {};
  const { username, password } = new URL(server.url);
  if (username !== '' || password !== '') {
    headers.authorization = basic(decodeURIComponent(username), decodeURIComponent(password));
  }
  for (const [name, value] of Object.entries(server.headers)) {
    if (!isAccepted(() => validateHeaderName(name))) {
      throw unreachable(`headers: ${JSON.stringify(name)} cannot be the name of a header`, false);
    }
    headers[name.toLowerCase()] = carried(value, `headers.${name}`);
  }
  if (server.auth !== null && server.auth.type !== 'oauth2') headers.authorization = authorization(server.auth, env);
  return headers;
}

/** Headers that the HTTP client sets itself. */
const ofTheClient = new Set(['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** The headers as the HTTP client takes them: a character for each byte of UTF-8, and none that it writes itself. */
export function headersToSend(headers: Readonly<Record<string, string>>): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!ofTheClient.has(name)) sent[name] = Buffer.from(value, 'utf8').toString('latin1');
  }
  return sent;
}

/** Credentials in `Authorization` that must not appear in output. @throws UpstreamFailure */
export function credentialsOf(server: HttpServer | StdioServer, env: Environment): readonly string[] {
  if (server.kind === 'stdio') return [];
  const [, credentials] = requestHeaders(server, env).authorization?.split(' ', 2) ?? [];
  return credentials === undefined ? [] : [credentials];
}

function authorization(auth: Exclude<UpstreamAuth, OAuth2Auth>, env: Environment): string {
  switch (auth.type) {
    case 'bearer':
      return `Bearer ${carried(secret(auth.token, auth.tokenEnv, 'auth.tokenEnv', env), tokenField(auth))}`;
    case 'basic':
      return basic(auth.username, secret(auth.password, auth.passwordEnv, 'auth.passwordEnv', env));
  }
}

function secret(literal: string | undefined, name: string | undefined, field: string, env: Environment): string {
  const value = literal ?? (name === undefined ? undefined : env[name]);
  if (value !== undefined) return value;
  throw unreachable(`environment variable ${name} (${field}) is not set`, false);
}

const tokenField = ({ tokenEnv }: { readonly tokenEnv?: string | undefined }) =>
  tokenEnv === undefined ? 'auth.token' : `environment variable ${tokenEnv} (auth.tokenEnv)`;

/** The value as it is: what looks like a stray line break may be half of a secret. Messages never hold it. */
function carried(value: string, field: string): string {
  if (isAccepted(() => validateHeaderValue('authorization', value))) return value;
  throw unreachable(`${field} holds a character that a header cannot carry, such as a line break`, false);
}

function isAccepted(validate: () => void): boolean {
  try {
    validate();
    return true;
  } catch {
    return false;
  }
}

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
