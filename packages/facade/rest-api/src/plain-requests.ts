// Recognizes requests of node:http in the plainest form: their target is a path as it is, with nothing to decode, their
// Host has no other reading, and no header is there twice. No rule of HTTP is needed to read those.
import type { IncomingMessage } from 'node:http';
import { maxKnownHosts } from '@portico/policy-engine';
import type { ExchangeRoute } from './exchange.js';

export interface Found {
  readonly route: ExchangeRoute;
  /** The parameter in the path; empty without one. */
  readonly id: string;
}

/** Finds the route of a request; undefined for one without a route, and for one that is not plain. */
export function createFinder(routes: readonly ExchangeRoute[]): (incoming: IncomingMessage) => Found | undefined {
  const literal = { GET: new Map<string, Found>(), POST: new Map<string, Found>() };
  const templates: Template[] = [];
  for (const route of routes) {
    if (route.path.includes('{')) templates.push({ route, pattern: toPlainPattern(route.path) });
    else literal[route.method].set(route.path, { route, id: '' });
  }
  const plainHosts = new Set<string>();
  return ({ method, url = '', headers, rawHeaders }) => {
    if (method !== 'GET' && method !== 'POST') return undefined;
    const found = literal[method].get(url) ?? findTemplate(templates, method, url);
    const { host } = headers;
    if (found === undefined || host === undefined) return undefined;
    if (!plainHosts.has(host)) {
      if (!isPlainHost(host)) return undefined;
      if (plainHosts.size < maxKnownHosts) plainHosts.add(host);
    }
    // Node joins some headers that are repeated and drops others, not all as the Fetch standard does.
    let names = 0;
    for (const _name in headers) names += 1;
    return names * 2 === rawHeaders.length ? found : undefined;
  };
}

interface Template {
  readonly route: ExchangeRoute;
  readonly pattern: RegExp;
}

function findTemplate(templates: readonly Template[], method: string, target: string): Found | undefined {
  for (const { route, pattern } of templates) {
    const id = route.method === method ? pattern.exec(target)?.[1] : undefined;
    if (id !== undefined) return { route, id };
  }
  return undefined;
}

/** Matches an id in which nothing is encoded, and which is no dot segment. */
function toPlainPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/, '([\\w-][\\w.-]*)')}$`);
}

/** Whether a Host is written as the URL standard writes it: then no other reading of it exists. */
function isPlainHost(host: string): boolean {
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`) && new URL(`http://${host}`).host === host;
}
