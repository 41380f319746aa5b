// "Did you mean": ids that are close to one that there is not.
import type { ErrorCode } from '@portico/contracts';
import { nearestOf, nearOnes } from '@portico/contracts';
import { Misnamed } from './failures.js';
import { type IdKind, type IdSource, idsOf } from './id-kinds.js';

/** An id on a command line, with its kind. */
export type NamedId = readonly [kind: IdKind, id: string];

const limitMs = 1000;
const notFound: readonly ErrorCode[] = ['TOOL_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'PROMPT_NOT_FOUND'];

/**
 * The service's own hint counts where it has one.
 * @returns the same error, or a `Misnamed` with ids to try, where the service knows none of the name
 */
export async function explainNotFound(error: unknown, client: IdSource, named: readonly NamedId[]): Promise<unknown> {
  const { ApiError } = await import('@portico/client');
  if (!(error instanceof ApiError) || !notFound.includes(error.code)) return error;
  if (error.envelope.error.hint !== undefined) return error;
  const found = await Promise.all(
    named.map(async ([kind, id]) => {
      const known = await idsOf(kind, client, limitMs);
      return known.includes(id) ? [] : nearIds(id, known);
    }),
  );
  const near = found.flat();
  return near.length === 0 ? error : new Misnamed(error, near);
}

/** Up to three. The halves of `server.name` are compared one by one: a long server id does not make two names alike. */
export function nearIds(id: string, known: readonly string[]): readonly string[] {
  const [server, name] = halvesOf(id);
  const parts = known.map(halvesOf);
  if (server === undefined) {
    const named = known.filter((_, index) => parts[index]?.[1] === id);
    return named.length > 0 ? named.slice(0, 3) : nearOnes(id, known);
  }
  const servers = [...new Set(parts.flatMap(([each]) => each ?? []))];
  const meant = servers.includes(server) ? server : nearestOf(server, servers);
  if (meant === undefined)
    return nearOnes(
      id,
      known.filter((_, index) => parts[index]?.[0] === undefined),
    );
  const names = parts.filter(([each]) => each === meant).map(([, each]) => each);
  return nearOnes(name, names).map((each) => `${meant}.${each}`);
}

function halvesOf(id: string): readonly [server: string | undefined, name: string] {
  const dot = id.indexOf('.');
  return dot <= 0 ? [undefined, id] : [id.slice(0, dot), id.slice(dot + 1)];
}
