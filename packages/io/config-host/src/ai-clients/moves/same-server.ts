// Whether a definition of a client and one of Portico's configuration mean the same server.
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, secretScheme } from '@portico/contracts';
import type { ConfiguredServers } from '@portico/control-plane';
import { isRecord } from '../formats/file-format.js';

/** The server that runs the same command with the same arguments, or is at the same address; null where none is. */
export function behindAs(definition: JsonObject, configured: ConfiguredServers, preferredId: string): string | null {
  return findId(configured, preferredId, (other) => reachesSame(definition, other));
}

/** As `behindAs`, where variables, headers and credentials of the client's definition are in the other one too. */
export function sameAs(definition: JsonObject, configured: ConfiguredServers, preferredId: string): string | null {
  return findId(configured, preferredId, (other) => reachesSame(definition, other) && holdsSecrets(definition, other));
}

function findId(
  configured: ConfiguredServers,
  preferredId: string,
  isSame: (other: JsonObject) => boolean,
): string | null {
  const own = Object.hasOwn(configured, preferredId) ? configured[preferredId] : undefined;
  if (own !== undefined && isSame(own)) return preferredId;
  return Object.entries(configured).find(([, other]) => isSame(other))?.[0] ?? null;
}

function reachesSame(a: JsonObject, b: JsonObject): boolean {
  if (typeof a.command === 'string') {
    const isSamePlace = a.cwd === undefined || b.cwd === undefined || a.cwd === b.cwd;
    return a.command === b.command && isDeepStrictEqual(listOf(a.args), listOf(b.args)) && isSamePlace;
  }
  return addressOf(a.url) !== undefined && addressOf(a.url) === addressOf(b.url);
}

/** A secret that Portico looks up elsewhere may be the same one; two texts are compared. */
function holdsSecrets(a: JsonObject, b: JsonObject): boolean {
  const isThere = (field: 'env' | 'headers') =>
    Object.entries(mapOf(a[field])).every(([name, value]) => {
      const other = mapOf(b[field])[name];
      return other === value || (isReference(other) && !isReference(value));
    });
  return isThere('env') && isThere('headers') && (a.auth == null || b.auth != null);
}

function isReference(value: unknown): boolean {
  return typeof value === 'string' && secretScheme(value) !== undefined;
}

function mapOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function addressOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).href : undefined;
}
