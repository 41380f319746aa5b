// Looks a request up in the route table, by its method and path. Routes that need an admin say so in the table;
// administration paths always need one.
import { routes } from '@portico/contracts';
import { routesAt } from './route-table.js';

export interface RouteRules {
  /** Whether the route is answered without credentials. */
  readonly isOpen: boolean;
  /** Whether it makes a difference for the route who asks, be it open or not. */
  readonly asksWho: boolean;
  readonly needsAdmin: boolean;
  /** Whether the path takes a POST. */
  readonly takesPost: boolean;
  /** Whether a POST there may come without a body. */
  readonly takesNoBody: boolean;
}

const administration = /^\/v1\/(config|clients|audit)(\/|$)/;

/** Rules of the requests that the table has literally: the same for each of them. */
export const literalRules: ReadonlyMap<string, ReadonlyMap<string, RouteRules>> = new Map(
  ['GET', 'POST'].map((method) => [method, rulesOfPaths(method)]),
);

function rulesOfPaths(method: string): ReadonlyMap<string, RouteRules> {
  const paths = routes.map(({ path }) => path).filter((path) => !path.includes('{'));
  return new Map(paths.map((path) => [path, makeRules(method, path)]));
}

export function makeRules(method: string, path: string): RouteRules {
  const there = routesAt(path);
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const own = there.filter((route) => route.method === asked);
  const posts = there.filter((route) => route.method === 'post');
  const isOpen = own.some(({ access }) => access === 'open');
  return {
    isOpen,
    asksWho: !isOpen || own.some(({ hasCallerDetails }) => hasCallerDetails === true),
    needsAdmin: administration.test(path) || own.some(({ access }) => access === 'admin'),
    takesPost: posts.length > 0,
    takesNoBody: posts.some(({ body }) => body === undefined),
  };
}
