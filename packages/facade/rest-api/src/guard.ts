// The checks every request passes before a route sees it, as one middleware. A refused request touches nothing.
import type { Correlation } from '@portico/contracts';
import type { Identity, RefusedRequest } from '@portico/control-plane';
import { isOwnHost, isOwnOrigin } from '@portico/policy-engine';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { AccessRules } from './access.js';
import { admit, asksWho, isOpen } from './admit.js';
import { type Refusal, sendRefusal } from './answer.js';
import { endedEarly, maxBodyBytes } from './body.js';
import { setIdentity } from './caller.js';
import { headerCorrelation } from './correlation.js';
import { routesAt } from './route-table.js';

export interface GuardDeps {
  readonly rules: AccessRules;
  readonly randomHex: (characters: number) => string;
  /** Tells of a role that exists. */
  readonly isAdmin: (role: string | null) => boolean;
  /** Records who was kept out; what it rejects with changes nothing for them. */
  readonly onAccessRefused: (request: RefusedRequest) => Promise<void>;
}

export function guard({ rules, randomHex, isAdmin, onAccessRefused }: GuardDeps): MiddlewareHandler {
  const refuse = async (c: Context, refusal: Refusal, identity?: Identity) => {
    const correlation = headerCorrelation(c, randomHex);
    if (refusal.code === 'POLICY_DENIED')
      await onAccessRefused(toRefusedRequest(c, correlation, refusal, identity)).catch(() => {});
    return sendRefusal(correlation, refusal);
  };

  return async (c, next) => {
    const { method, path } = c.req;
    const header = (name: string) => c.req.header(name);
    const misplaced = refusePlace(rules.bind, header);
    if (misplaced !== undefined) return refuse(c, misplaced);
    if (asksWho(method, path)) {
      const authorization = header('Authorization');
      const admission = admit(await rules.authenticate(authorization), isAdmin, method, path);
      if (admission.kind === 'admitted') setIdentity(c, admission.identity);
      else if (!isOpen(method, path) || authorization !== undefined)
        return refuse(c, admission.refusal, admission.identity);
    }
    const unreadable = method === 'POST' ? refusePost(path, header) : undefined;
    return unreadable === undefined ? next() : refuse(c, unreadable);
  };
}

function toRefusedRequest(
  c: Context,
  correlation: Correlation,
  { status = 403, message }: Refusal,
  identity: Identity | undefined,
): RefusedRequest {
  const { method, path } = c.req;
  const caller = identity === undefined ? {} : { caller: identity };
  return { correlation, method, path, httpStatus: status, reason: message, ...caller };
}

/** Counts a body that does not say its length. One that does was judged by it, and HTTP holds it to its word. */
export function limitStreamedBody(refuse: (c: Context) => Response): MiddlewareHandler {
  const limit = bodyLimit({ maxSize: maxBodyBytes, onError: refuse });
  return async (c, next) => {
    if (c.req.header('Content-Length') !== undefined || c.req.method !== 'POST') return next();
    try {
      return await limit(c, next);
    } catch (error) {
      throw endedEarly(error); // what fails behind `next` has been answered there
    }
  };
}

type Header = (name: string) => string | undefined;

/** Where a request goes and comes from, whoever sends it. */
function refusePlace(bind: string, header: Header): Refusal | undefined {
  const host = header('Host');
  if (!isOwnHost(host, bind)) {
    return { code: 'POLICY_DENIED', status: 403, message: 'the Host header does not name this service' };
  }
  if (!isOwnOrigin(header('Origin'), host, bind)) {
    return { code: 'POLICY_DENIED', status: 403, message: 'requests from other origins are not accepted' };
  }
  return undefined;
}

function refusePost(path: string, header: Header): Refusal | undefined {
  // What is not there, or takes no POST, is told so, whatever is sent there: no body would help.
  if (postRoutesAt(path).length === 0) return undefined;
  // A web page elsewhere cannot hide behind a write without a body: its request says where it comes from.
  if (header('Content-Type') === undefined && takesNoBody(path) && hasNone(header)) return undefined;
  return refuseBody(header);
}

function hasNone(header: Header): boolean {
  return (header('Content-Length') ?? '0') === '0' && header('Transfer-Encoding') === undefined;
}

function takesNoBody(path: string): boolean {
  return postRoutesAt(path).some(({ body }) => body === undefined);
}

const postRoutesAt = (path: string) => routesAt(path).filter(({ method }) => method === 'post');

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
