// The checks every request passes before a route sees it. A refused request touches nothing.
import type { Correlation } from '@portico/contracts';
import {
  type Authentication,
  type CallSource,
  type Identity,
  type RefusedRequest,
  sourceOfHeader,
} from '@portico/control-plane';
import { isOwnHost, isOwnOrigin, maxKnownHosts } from '@portico/policy-engine';
import type { AccessRules } from './access.js';
import { answerRefusal, type Refusal } from './answer.js';
import type { Answer, Exchange } from './exchange.js';
import { refuseEntry } from './refuse-entry.js';
import { headerCorrelation, maxBodyBytes } from './request.js';
import { literalRules, makeRules, type RouteRules } from './route-rules.js';

export interface GuardDeps {
  readonly rules: AccessRules;
  readonly randomHex: (characters: number) => string;
  /** Called with a role that exists. */
  readonly isAdmin: (role: string | null) => boolean;
  /** Records who was kept out; what it rejects with changes nothing for them. */
  readonly onAccessRefused: (request: RefusedRequest) => Promise<void>;
}

/** Answers a request that may not go on; one that may knows from then on who asks. */
export type Guard = (x: Exchange) => Answer | undefined | Promise<Answer | undefined>;

export function createGuard({ rules, randomHex, isAdmin, onAccessRefused }: GuardDeps): Guard {
  const { bind } = rules;
  const ownHosts = new Set<string>();
  const sources = new Map<string, CallSource>();

  /** Programs name themselves the same with every request. */
  const noteSource = (named: string): CallSource => {
    const source = sourceOfHeader(named);
    if (sources.size < maxKnownSources && named.length <= maxKnownSourceLength) sources.set(named, source);
    return source;
  };

  const refuse = async (x: Exchange, refusal: Refusal, identity?: Identity) => {
    const correlation = headerCorrelation(x, randomHex);
    if (refusal.code === 'POLICY_DENIED')
      await onAccessRefused(toRefusedRequest(x, correlation, refusal, identity)).catch(() => {});
    return answerRefusal(correlation, refusal);
  };

  /** @param authentication undefined if it makes no difference who asks */
  const enter = (x: Exchange, route: RouteRules, authentication: Authentication | undefined) => {
    if (authentication?.kind === 'known' && (!route.needsAdmin || isAdmin(authentication.identity.role)))
      x.identity = authentication.identity;
    else if (authentication !== undefined && !(route.isOpen && x.headers.authorization === undefined)) {
      const { refusal, identity } = refuseEntry(authentication, x);
      return refuse(x, refusal, identity);
    }
    // A path that is not there, or takes no POST, answers so before the body is looked at: no body would help.
    const unreadable = x.method === 'POST' && route.takesPost ? refusePost(x, route) : undefined;
    return unreadable === undefined ? undefined : refuse(x, unreadable);
  };

  return (x) => {
    const { host, origin, authorization } = x.headers;
    const named = x.headers['x-service-client'] || (x.headers['user-agent'] ?? '');
    x.source = sources.get(named) ?? noteSource(named);
    if (host === undefined || !(ownHosts.has(host) || isOwnHost(host, bind))) return refuse(x, notOwnHost);
    if (ownHosts.size < maxKnownHosts) ownHosts.add(host);
    if (origin !== undefined && !isOwnOrigin(origin, host, bind)) return refuse(x, notOwnOrigin);
    const route = literalRules.get(x.method)?.get(x.path) ?? makeRules(x.method, x.path);
    const asked = route.asksWho ? rules.authenticate(authorization, x.connection) : undefined;
    return asked instanceof Promise
      ? asked.then((authentication) => enter(x, route, authentication))
      : enter(x, route, asked);
  };
}

const maxKnownSources = 256;
/** Characters of a header. */
const maxKnownSourceLength = 1024;

const notOwnHost: Refusal = {
  code: 'POLICY_DENIED',
  status: 403,
  message: 'the Host header does not name this service; no setting adds names: use the address that it is bound to',
};

const notOwnOrigin: Refusal = {
  code: 'POLICY_DENIED',
  status: 403,
  message: 'requests from other origins are not accepted; no setting admits them',
};

function toRefusedRequest(
  { method, path, source }: Exchange,
  correlation: Correlation,
  { status = 403, message }: Refusal,
  identity: Identity | undefined,
): RefusedRequest {
  const caller = { ...(identity ?? unproved), source };
  return { correlation, method, path, httpStatus: status, reason: message, caller };
}

const unproved = Object.freeze({ role: null, actor: null });

const jsonType = 'application/json';

/** The reason to refuse a POST at a path that takes it. */
function refusePost({ headers }: Exchange, { takesNoBody }: RouteRules): Refusal | undefined {
  const type = headers['content-type'];
  const length = headers['content-length'];
  const isEmpty = (length === undefined || length === '0') && headers['transfer-encoding'] === undefined;
  // A web page elsewhere cannot hide behind a write without a body: its request says where it comes from.
  if (takesNoBody && type === undefined && isEmpty) return undefined;
  if (length !== undefined && Number(length) > maxBodyBytes) return bodyTooLarge;
  const encoding = headers['content-encoding'];
  return (
    (type === jsonType ? undefined : refuseType(type ?? '')) ??
    (encoding === undefined || encoding.trim().toLowerCase() === 'identity' ? undefined : encoded)
  );
}

function refuseType(contentType: string): Refusal | undefined {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== jsonType) return unsupported('send the body as Content-Type: application/json');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replaceAll('"', '');
  return ['charset=utf-8', 'charset=utf8', undefined].includes(charset)
    ? undefined
    : unsupported('send the body in UTF-8');
}

const unsupported = (message: string): Refusal => ({ code: 'INVALID_ARGS', status: 415, message });

const encoded = unsupported('send the body without Content-Encoding');

const bodyTooLarge: Refusal = {
  code: 'INVALID_ARGS',
  status: 413,
  message: `the body is larger than ${maxBodyBytes} bytes (a fixed limit)`,
};
