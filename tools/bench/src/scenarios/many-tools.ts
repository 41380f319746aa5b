// A catalog of many tools with real wording, over several servers.
import { fileURLToPath } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A stdio server that lists `count` tools, numbered from `first` on. */
export function manyToolsServer(
  count: number,
  first = 0,
): { readonly command: string; readonly args: readonly string[] } {
  const samples = here('../../../eval-search/data/tools-527.json');
  return {
    command: process.execPath,
    args: [here('../upstreams/many-tools.mjs'), samples, String(count), String(first)],
  };
}

/** Servers with `each` tools, all of them different. */
export function manyToolsServers(servers: number, each: number): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Array.from({ length: servers }, (_, n) => [`server${n}`, manyToolsServer(each, n * each)] as const),
  );
}
