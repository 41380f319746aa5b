// Changes of the items of `rbac.tokens`. Each looks for its token in the list that it is given, which is the one in the file
// at the moment of the write: it may be another than the one that was read before.
import type { JsonObject } from '@portico/contracts';
import { UsageFailure } from '../failures.js';

type Items = readonly JsonObject[];

export interface NamedItem {
  /** `actorId`; null if it has none. */
  readonly name: string | null;
  readonly role: string;
}

/** @throws UsageFailure if the name is taken */
export function withToken(items: Items, name: string, role: string, tokenSha256: string): Items {
  if (items.some((item) => item.actorId === name)) {
    throw new UsageFailure(`there is a token "${name}"; replace it with "portico token rotate ${name}"`);
  }
  return [...items, { role, actorId: name, tokenSha256 }];
}

/** @throws UsageFailure unless the name is that of one token */
export function withNewDigest(items: Items, name: string, tokenSha256: string): Items {
  const found = findItem(items, name);
  return items.map((item) => {
    if (item !== found) return item;
    const { token: _token, tokenEnv: _env, tokenSha256: _old, ...kept } = item;
    return { ...kept, tokenSha256 };
  });
}

/** @throws UsageFailure unless the name is that of one token */
export function withoutToken(items: Items, name: string): Items {
  const found = findItem(items, name);
  return items.filter((item) => item !== found);
}

/** @throws UsageFailure unless the name is that of one token */
export function describeItem(items: Items, name: string): NamedItem {
  const { actorId, role } = findItem(items, name);
  return { name: typeof actorId === 'string' ? actorId : null, role: String(role) };
}

/** By `actorId`, or by at least 8 digits that its digest begins with. */
function findItem(items: Items, name: string): JsonObject {
  const isDigest = /^[0-9a-f]{8,64}$/.test(name);
  const found = items.filter(
    ({ actorId, tokenSha256 }) =>
      actorId === name || (isDigest && typeof tokenSha256 === 'string' && tokenSha256.toLowerCase().startsWith(name)),
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const problem = found.length === 0 ? `there is no token "${name}"` : `"${name}" names ${found.length} tokens`;
  throw new UsageFailure(`${problem}; "portico token list" shows names and digests`);
}
