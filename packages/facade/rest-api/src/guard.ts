// The checks every request passes before a route sees it. A refused request touches nothing.
import type { Correlation } from '@portico/contracts';
import type { Authentication, Identity, RefusedRequest } from '@portico/control-plane';
import { isOwnHost, isOwnOrigin } from '@portico/policy-engine';
import type { AccessRules } from './access.js';
import { admit } from './admit.js';
import { answerRefusal, type Refusal } from './answer.js';
import { maxBodyBytes } from './body.js';
import { headerCorrelation } from './correlation.js';
import type { Answer, Exchange } from './exchange.js';
import { type RouteRules, rulesAt } from './route-rules.js';

export interface GuardDeps {
  readonly rules: AccessRules;
  readonly randomHex: (characters: number) => string;
  /** Tells of a role that exists. */
  readonly isAdmin: (role: string | null) => boolean;
  /** Records who was kept out; what it rejects with changes nothing for them. */
  readonly onAccessRefused: (request: RefusedRequest) => Promise<void>;
}

/** Answers a request that may not go on; one that may knows from then on who asks. */
export type Guard = (x: Exchange) => Answer | undefined | Promise<Answer | undefined>;

export function createGuard({ rules, randomHex, isAdmin, onAccessRefused }: GuardDeps): Guard {
  const isOwn = createHostCheck(rules.bind);

  const refuse = async (x: Exchange, refusal: Refusal, identity?: Identity) => {
    const correlation = headerCorrelation(x, randomHex);
    if (refusal.code === 'POLICY_DENIED')
      await onAccessRefused(toRefusedRequest(x, correlation, refusal, identity)).catch(() => {});
    return answerRefusal(correlation, refusal);
  };

  /** Where a request goes and comes from. */
  const refusePlace = (x: Exchange): Refusal | undefined => {
    const host = x.header('host');
    if (!isOwn(host)) return notOwnHost;
    const origin = x.header('origin');
    return origin === undefined || isOwnOrigin(origin, host, rules.bind) ? undefined : notOwnOrigin;
  };

  const enter = (x: Exchange, route: RouteRules, authentication: Authentication) => {
    const admission = admit(authentication, isAdmin, route, x);
    if (admission.kind === 'admitted') x.identity = admission.identity;
    else if (!route.isOpen || x.header('authorization') !== undefined)
      return refuse(x, admission.refusal, admission.identity);
    return refuseUnreadable(x, route);
  };

  const refuseUnreadable = (x: Exchange, route: RouteRules) => {
    const unreadable = x.method === 'POST' ? refusePost(x, route) : undefined;
    return unreadable === undefined ? undefined : refuse(x, unreadable);
  };

  return (x) => {
    const misplaced = refusePlace(x);
    if (misplaced !== undefined) return refuse(x, misplaced);
    const route = rulesAt(x.method, x.path);
    if (!route.asksWho) return refuseUnreadable(x, route);
    const asked = rules.authenticate(x.header('authorization'), x.connection);
    return asked instanceof Promise
      ? asked.then((authentication) => enter(x, route, authentication))
      : enter(x, route, asked);
  };
}

/** Clients name the service in few ways; what others send is not to fill the memory. */
const maxKnownHosts = 100;

function createHostCheck(bind: string): (host: string | undefined) => boolean {
  const known = new Set<string>();
  return (host) => {
    if (host === undefined) return false;
    if (known.has(host)) return true;
    const isOwn = isOwnHost(host, bind);
    if (isOwn && known.size < maxKnownHosts) known.add(host);
    return isOwn;
  };
}

const notOwnHost: Refusal = {
  code: 'POLICY_DENIED',
  status: 403,
  message: 'the Host header does not name this service',
};

const notOwnOrigin: Refusal = {
  code: 'POLICY_DENIED',
  status: 403,
  message: 'requests from other origins are not accepted',
};

function toRefusedRequest(
  { method, path }: Exchange,
  correlation: Correlation,
  { status = 403, message }: Refusal,
  identity: Identity | undefined,
): RefusedRequest {
  const caller = identity === undefined ? {} : { caller: identity };
  return { correlation, method, path, httpStatus: status, reason: message, ...caller };
}

function refusePost(x: Exchange, { takesPost, takesNoBody }: RouteRules): Refusal | undefined {
  // What is not there, or takes no POST, is told so, whatever is sent there: no body would help.
  if (!takesPost) return undefined;
  // A web page elsewhere cannot hide behind a write without a body: its request says where it comes from.
  if (takesNoBody && x.header('content-type') === undefined && hasNone(x)) return undefined;
  return refuseBody(x);
}

function hasNone(x: Exchange): boolean {
  return (x.header('content-length') ?? '0') === '0' && x.header('transfer-encoding') === undefined;
}

const jsonType = 'application/json';

function refuseBody(x: Exchange): Refusal | undefined {
  if (Number(x.header('content-length') ?? 0) > maxBodyBytes) return bodyTooLarge;
  const contentType = x.header('content-type') ?? '';
  return (contentType === jsonType ? undefined : refuseType(contentType)) ?? refuseEncoding(x);
}

function refuseType(contentType: string): Refusal | undefined {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== jsonType) return unsupported('send the body as Content-Type: application/json');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replaceAll('"', '');
  return ['charset=utf-8', 'charset=utf8', undefined].includes(charset)
    ? undefined
    : unsupported('send the body in UTF-8');
}

function refuseEncoding(x: Exchange): Refusal | undefined {
  const encoding = x.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  return encoding === 'identity' ? undefined : unsupported('send the body without Content-Encoding');
}

const unsupported = (message: string): Refusal => ({ code: 'INVALID_ARGS', status: 415, message });

const bodyTooLarge: Refusal = {
  code: 'INVALID_ARGS',
  status: 413,
  message: `the body is larger than ${maxBodyBytes} bytes`,
};
