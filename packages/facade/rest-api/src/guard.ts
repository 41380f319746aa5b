// The checks every request passes before a route sees it, as one middleware. A refused request touches nothing.
import type { Correlation } from '@portico/contracts';
import type { RefusedRequest } from '@portico/control-plane';
import { hasToken, isOwnHost, isOwnOrigin } from '@portico/policy-engine';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { AccessRules } from './access.js';
import { type Refusal, sendRefusal } from './answer.js';
import { maxBodyBytes } from './body.js';
import { headerCorrelation } from './correlation.js';
import { routesAt } from './route-table.js';

/** @param onAccessRefused records who was kept out; what it rejects with changes nothing for them */
export function guard(
  rules: AccessRules,
  randomHex: (characters: number) => string,
  onAccessRefused: (request: RefusedRequest) => Promise<void>,
): MiddlewareHandler {
  return async (c, next) => {
    const refusal = refuse(rules, c.req.method, c.req.path, (name) => c.req.header(name));
    if (refusal === undefined) return next();
    const correlation = headerCorrelation(c, randomHex);
    if (refusal.code === 'POLICY_DENIED')
      await onAccessRefused(toRefusedRequest(c, correlation, refusal)).catch(() => {});
    return sendRefusal(c, correlation, refusal);
  };
}

function toRefusedRequest(c: Context, correlation: Correlation, { status = 403, message }: Refusal): RefusedRequest {
  const { method, path } = c.req;
  return { correlation, method, path, httpStatus: status, reason: message };
}

/** Counts a body that does not say its length. One that does was judged by it, and HTTP holds it to its word. */
export function limitStreamedBody(refuse: (c: Context) => Response): MiddlewareHandler {
  const limit = bodyLimit({ maxSize: maxBodyBytes, onError: refuse });
  return (c, next) =>
    c.req.header('Content-Length') === undefined && c.req.method === 'POST' ? limit(c, next) : next();
}

type Header = (name: string) => string | undefined;

function refuse(rules: AccessRules, method: string, path: string, header: Header): Refusal | undefined {
  const host = header('Host');
  if (!isOwnHost(host, rules.bind)) {
    return { code: 'POLICY_DENIED', status: 403, message: 'the Host header does not name this service' };
  }
  if (!isOwnOrigin(header('Origin'), host, rules.bind)) {
    return { code: 'POLICY_DENIED', status: 403, message: 'requests from other origins are not accepted' };
  }
  if (rules.authToken !== null && path !== '/healthz' && !hasToken(header('Authorization'), rules.authToken)) {
    return {
      code: 'POLICY_DENIED',
      status: 401,
      message: 'send the configured authToken as a bearer token',
      headers: { 'WWW-Authenticate': 'Bearer realm="portico"' },
    };
  }
  if (method !== 'POST') return undefined;
  // A web page elsewhere cannot hide behind a write without a body: its request says where it comes from.
  if (header('Content-Type') === undefined && takesNoBody(path) && hasNone(header)) return undefined;
  return refuseBody(header);
}

function hasNone(header: Header): boolean {
  return (header('Content-Length') ?? '0') === '0' && header('Transfer-Encoding') === undefined;
}

function takesNoBody(path: string): boolean {
  return routesAt(path).some(({ method, body }) => method === 'post' && body === undefined);
}

function refuseBody(header: Header): Refusal | undefined {
  if (Number(header('Content-Length') ?? 0) > maxBodyBytes) return bodyTooLarge;
  const [type, ...parameters] = (header('Content-Type') ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') return unsupported('send the body as Content-Type: application/json');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replaceAll('"', '');
  if (!['charset=utf-8', 'charset=utf8', undefined].includes(charset)) return unsupported('send the body in UTF-8');
  const encoding = header('Content-Encoding')?.trim().toLowerCase() ?? 'identity';
  return encoding === 'identity' ? undefined : unsupported('send the body without Content-Encoding');
}

const unsupported = (message: string): Refusal => ({ code: 'INVALID_ARGS', status: 415, message });

export const bodyTooLarge: Refusal = {
  code: 'INVALID_ARGS',
  status: 413,
  message: `the body is larger than ${maxBodyBytes} bytes`,
};
