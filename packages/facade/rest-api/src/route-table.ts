// Paths of the route table as patterns. Every request asks for its own several times, so most are looked up.
import { type Route, routes } from '@portico/contracts';

const patterns = routes.map((route) => ({ route, pattern: toPattern(route.path) }));
const templates = patterns.filter(({ route }) => route.path.includes('{'));
/** Routes at literal paths of the table; a template may match them too. */
const literal = new Map(routes.map(({ path }) => [path, routesMatching(patterns, path)]));

/** The routes that have a path, for every method. */
export function routesAt(path: string): readonly Route[] {
  return literal.get(path) ?? routesMatching(templates, path);
}

function routesMatching(among: typeof patterns, path: string): readonly Route[] {
  return among.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route);
}

/** Ids of the catalog, keys and request ids hold slashes and line ends; ids of our own hold no slashes. Below /ui is all. */
function toPattern(path: string): RegExp {
  const escaped = path
    .replaceAll('.', '\\.')
    .replace(/(?<=\/(?:capabilities|records|operations|traces)\/)\{\w+\}/, '[^]+')
    .replace(/(?<=^\/ui\/)\{\w+\}/, '[^]*');
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}$`);
}
