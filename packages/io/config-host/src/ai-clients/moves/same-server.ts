// Whether a definition of a client and one of Portico's configuration mean the same server.
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, secretScheme } from '@portico/contracts';
import type { ConfiguredServers } from '@portico/control-plane';
import { isRecord } from '../formats/file-format.js';

/** The server that runs the same command with the same arguments, or is at the same address; null if there is none. */
export function behindAs(definition: JsonObject, configured: ConfiguredServers, preferredId: string): string | null {
  return findId(configured, preferredId, (other) => reachesSame(definition, other));
}

/**
 * As `behindAs`, where the folder, the variables, the headers and the credentials are the same too: with others it is
 * another account or another installation, which the agent would lose.
 */
export function sameAs(definition: JsonObject, configured: ConfiguredServers, preferredId: string): string | null {
  return findId(
    configured,
    preferredId,
    (other) => reachesSame(definition, other) && hasSameSetting(definition, other),
  );
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

function hasSameSetting(a: JsonObject, b: JsonObject): boolean {
  const areEqual = (['cwd', 'envFile', 'auth'] as const).every((field) => isSame(a[field], b[field]));
  return areEqual && hasSameValues(mapOf(a.env), mapOf(b.env)) && hasSameValues(headersOf(a), headersOf(b));
}

/** Compares values of the same names. A secret that Portico looks up elsewhere may be the plain one of the client. */
function hasSameValues(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) => Object.hasOwn(b, name) && (a[name] === b[name] || (isReference(b[name]) && !isReference(a[name]))),
    )
  );
}

/** Their names have no case. */
function headersOf({ headers }: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(mapOf(headers)).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Parsers make objects of different prototypes; copies have one. */
function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(structuredClone(a ?? null), structuredClone(b ?? null));
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
