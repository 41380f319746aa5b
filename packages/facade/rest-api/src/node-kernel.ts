// Serves the exchange routes straight from node:http. It takes requests that are written in the plainest way only, and
// leaves every other to Hono, which has the same routes behind the same checks: no rule of HTTP is repeated here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '@portico/control-plane';
import { AnswerHeads } from './answer-heads.js';
import type { Answer, ExchangeRoute } from './exchange.js';
import { NodeExchange } from './node-exchange.js';
import type { Serve } from './serve.js';

/** Answers the request, or says by false that it has not touched it. */
export type ServeNode = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

export function createNodeKernel(routes: readonly ExchangeRoute[], serve: Serve, log: Log): ServeNode {
  const find = createFinder(routes);
  const isPlainHost = createPlainHostCheck();
  const heads = new AnswerHeads();

  const giveUp = (x: NodeExchange, error: unknown) => {
    log('error', 'an answer could not be written', { error });
    x.giveUp();
  };
  const write = (x: NodeExchange, answer: Answer) => {
    try {
      x.answer(answer, heads);
    } catch (error) {
      giveUp(x, error);
    }
  };

  const answer = (x: NodeExchange, { handle }: ExchangeRoute, id: string) => {
    try {
      const answered = serve(x, () => handle(x, id));
      if (answered instanceof Promise)
        answered.then(
          (later) => write(x, later),
          (error: unknown) => giveUp(x, error),
        );
      else write(x, answered);
    } catch (error) {
      giveUp(x, error);
    }
  };

  return (incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const found = find(method, url);
    if (found === undefined || !isPlainHost(incoming.headers.host) || hasRepeatedHeader(incoming)) return false;
    const x = new NodeExchange(incoming, outgoing, method, url);
    process.nextTick(answer, x, found.route, found.id); // a body that came with its head is there by then
    return true;
  };
}

interface Found {
  readonly route: ExchangeRoute;
  readonly id: string;
}

function createFinder(routes: readonly ExchangeRoute[]): (method: string, target: string) => Found | undefined {
  const literal = { GET: new Map<string, Found>(), POST: new Map<string, Found>() };
  const templates: { readonly route: ExchangeRoute; readonly pattern: RegExp }[] = [];
  for (const route of routes) {
    if (route.path.includes('{')) templates.push({ route, pattern: toPlainPattern(route.path) });
    else literal[route.method].set(route.path, { route, id: '' });
  }
  return (method, target) => {
    if (method !== 'GET' && method !== 'POST') return undefined;
    const known = literal[method].get(target);
    if (known !== undefined) return known;
    for (const { route, pattern } of templates) {
      const id = route.method === method ? pattern.exec(target)?.[1] : undefined;
      if (id !== undefined) return { route, id };
    }
    return undefined;
  };
}

/** Matches an id in which nothing is encoded, and which is no dot segment. */
function toPlainPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/, '([\\w-][\\w.-]*)')}$`);
}

/** Clients name the service in few ways; what others send is not to fill the memory. */
const maxKnownHosts = 100;

/** Whether a Host is written as the URL standard writes it: then no other reading of it exists. */
function createPlainHostCheck(): (host: string | undefined) => boolean {
  const known = new Set<string>();
  return (host) => {
    if (host === undefined) return false;
    if (known.has(host)) return true;
    const isPlain = isPlainHost(host);
    if (isPlain && known.size < maxKnownHosts) known.add(host);
    return isPlain;
  };
}

function isPlainHost(host: string): boolean {
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`) && new URL(`http://${host}`).host === host;
}

/** Node joins some of those and drops others, not all as the Fetch standard does. */
function hasRepeatedHeader({ headers, rawHeaders }: IncomingMessage): boolean {
  let names = 0;
  for (const _name in headers) names += 1;
  return names * 2 !== rawHeaders.length;
}
