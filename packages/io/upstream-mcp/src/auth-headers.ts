// The headers every request to one HTTP upstream carries: the configured ones and the static authorization.
import type { HttpServer, UpstreamAuth } from '@portico/contracts';
import type { Environment } from './child-env.js';
import { unreachable } from './failures.js';

/**
 * Header names in lower case, to values.
 * @throws UpstreamFailure when a variable that should hold a secret is not set.
 */
export function requestHeaders(server: HttpServer, env: Environment): Record<string, string> {
  const headers: Record<string, string> = {};
  const { username, password } = new URL(server.url);
  if (username !== '' || password !== '') {
    headers.authorization = basic(decodeURIComponent(username), decodeURIComponent(password));
  }
  for (const [name, value] of Object.entries(server.headers)) headers[name.toLowerCase()] = value;
  if (server.auth !== null) headers.authorization = authorization(server.auth, env);
  return headers;
}

function authorization(auth: UpstreamAuth, env: Environment): string {
  switch (auth.type) {
    case 'bearer':
      return `Bearer ${secret(auth.token, auth.tokenEnv, 'auth.tokenEnv', env)}`;
    case 'basic':
      return basic(auth.username, secret(auth.password, auth.passwordEnv, 'auth.passwordEnv', env));
  }
}

function secret(literal: string | undefined, name: string | undefined, field: string, env: Environment): string {
  const value = literal ?? (name === undefined ? undefined : env[name]);
  if (value !== undefined) return value;
  throw unreachable(`environment variable ${name} (${field}) is not set`, false);
}

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
