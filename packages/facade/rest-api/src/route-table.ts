// Paths of the route table as patterns.
import { type Route, routes } from '@portico/contracts';

const patterns = routes.map((route) => ({ route, pattern: toPattern(route.path) }));

/** The routes that have a path, whatever their method. */
export function routesAt(path: string): readonly Route[] {
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route);
}

/** A parameter at the end of a path takes slashes, since ids have them; a request id does anywhere. */
function toPattern(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.').replace(/\{\w+\}$|(?<=\/operations\/)\{id\}/, '.+');
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}$`);
}
