// Paths of the route table as patterns.
import { type Route, routes } from '@portico/contracts';

const patterns = routes.map((route) => ({ route, pattern: toPattern(route.path) }));

/** The routes that have a path, whatever their method. */
export function routesAt(path: string): readonly Route[] {
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route);
}

/** Ids of the catalog, keys, request ids and files hold slashes; ids of our own do not. */
function toPattern(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.').replace(/(?<=\/(?:capabilities|records|operations|ui)\/)\{\w+\}/, '.+');
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}$`);
}
