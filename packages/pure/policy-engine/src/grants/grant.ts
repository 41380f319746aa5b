// Standing grants: the approval of one call, which answers later calls within its values. A grant answers only a rule that
// requires an approval; each check that refuses a call refuses it with a grant as well. Data in, data out: keeps no uses.
import { exactTextOf, isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

/** An argument that must be as it was in the approved call. */
export interface GrantCondition {
  /** JSON pointer (RFC 6901) to a value of the approved call. */
  readonly path: string;
  readonly value: JsonValue;
  /** Its number as it was sent, where JavaScript would write another text. */
  readonly exact?: string;
}

/** The parts of a call that a grant is bound to. */
export interface GrantBinding {
  readonly kind: string;
  /** Canonical id. */
  readonly capabilityId: string;
  /** Over the definition, the name at its server, and the program of that server. */
  readonly definitionDigest: string;
  /** Over all rules in force. */
  readonly policyDigest: string;
  readonly principal: string;
  readonly actor: string | null;
  readonly role: string | null;
  readonly profile: string | null;
}

export interface Grant extends GrantBinding {
  readonly id: string;
  readonly conditions: readonly GrantCondition[];
  /** Names of the arguments of the approved call: it covers no other. */
  readonly names: readonly string[];
  /** Uses that are left. */
  readonly usesLeft: number;
  /** Milliseconds since the Unix epoch, as all times. A clock that shows an earlier time was set back. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Null if it was not revoked. */
  readonly revokedAtMs: number | null;
  /** Null before the first use. */
  readonly lastUsedAtMs: number | null;
}

export type GrantLife = Pick<Grant, 'usesLeft' | 'createdAtMs' | 'expiresAtMs' | 'revokedAtMs' | 'lastUsedAtMs'>;

export interface GrantedCall extends GrantBinding {
  /** As they will be sent. */
  readonly args: JsonObject;
}

/** Why a grant does not answer a call. */
export type GrantMiss = 'revoked' | 'used_up' | 'expired' | 'other_call' | 'changed' | 'other_arguments';

/** How far clocks of daemons that share a grant may differ. One that is further back makes a grant expired. */
export const clockTolerance = 1000;

export type Scope =
  | {
      readonly ok: true;
      readonly conditions: readonly GrantCondition[];
      readonly names: readonly string[];
    }
  /** The pointer that the approved call has no value for. */
  | { readonly ok: false; readonly path: string };

/**
 * The scope of a grant: the values of the approved call that later calls must have.
 * @param args of the approved call, as they are sent
 * @param keep JSON pointers to values that must stay; undefined keeps every argument
 */
export function scopeOf(args: JsonObject, keep?: readonly string[]): Scope {
  const names = Object.keys(args);
  const conditions: GrantCondition[] = [];
  for (const path of new Set(keep ?? names.map(pointerTo))) {
    const found = valueAt(args, path);
    if (found === undefined) return { ok: false, path };
    conditions.push({ path, ...found });
  }
  return { ok: true, conditions, names };
}

/** Undefined if the grant answers the call; else why not. @param nowMs since the Unix epoch */
export function missOf(grant: Grant, call: GrantedCall, nowMs: number): GrantMiss | undefined {
  const ended = endOf(grant, nowMs);
  if (ended !== undefined) return ended;
  if (!isSame(grant, call, ['kind', 'capabilityId', 'principal', 'actor', 'role', 'profile'])) return 'other_call';
  if (!isSame(grant, call, ['definitionDigest', 'policyDigest'])) return 'changed';
  return hasValues(grant, call.args) ? undefined : 'other_arguments';
}

/** Why a grant answers no call at all; undefined if it may. @param nowMs since the Unix epoch */
export function endOf(
  { revokedAtMs, usesLeft, createdAtMs, expiresAtMs, lastUsedAtMs }: GrantLife,
  nowMs: number,
): 'revoked' | 'used_up' | 'expired' | undefined {
  if (revokedAtMs !== null) return 'revoked';
  if (usesLeft < 1) return 'used_up';
  const knownMs = Math.max(createdAtMs, lastUsedAtMs ?? createdAtMs);
  return nowMs + clockTolerance < knownMs || nowMs >= expiresAtMs ? 'expired' : undefined;
}

/** The arguments of the approved call that later calls may have with other values, as JSON pointers. */
export function freeOf({ names, conditions }: Pick<Grant, 'names' | 'conditions'>): readonly string[] {
  const kept = new Set(conditions.map(({ path }) => path));
  return names.map(pointerTo).filter((path) => !kept.has(path));
}

function isSame(grant: GrantBinding, call: GrantBinding, parts: readonly (keyof GrantBinding)[]): boolean {
  return parts.every((part) => grant[part] === call[part]);
}

function hasValues({ conditions, names }: Grant, args: JsonObject): boolean {
  if (!Object.keys(args).every((name) => names.includes(name))) return false;
  return conditions.every(({ path, value, exact }) => {
    const found = valueAt(args, path);
    return found !== undefined && found.exact === exact && areSame(found.value, value);
  });
}

type Found = Pick<GrantCondition, 'value' | 'exact'>;

/** Undefined for a pointer to nothing. */
function valueAt(args: JsonObject, path: string): Found | undefined {
  if (!path.startsWith('/')) return undefined;
  let at: JsonValue = args;
  let found: Found | undefined;
  for (const key of namesOfPointer(path)) {
    const isIndex = Array.isArray(at) && /^(?:0|[1-9]\d{0,8})$/.test(key);
    if (!(isIndex || isJsonObject(at)) || !Object.hasOwn(at as object, key)) return undefined;
    const container: object = at as object; // a list or an object
    const value: JsonValue = (at as JsonObject)[key] ?? null; // an index of a list is a key as well
    const exact = typeof value === 'number' ? exactTextOf(container, isIndex ? Number(key) : key, value) : undefined;
    found = exact === undefined ? { value } : { value, exact };
    at = value;
  }
  return found;
}

/** The JSON pointer to an argument. */
export function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The names of members and the indexes of entries on the way of a JSON pointer. */
export function namesOfPointer(path: string): readonly string[] {
  const [, ...parts] = path.split('/');
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Equal at every depth, to the character: what only looks the same, or means the same to a server, differs. */
function areSame(a: JsonValue, b: JsonValue): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((_, at) => sameMembers(a, b, at));
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameMembers(a, b, key));
}

function sameMembers(a: object, b: object, key: string | number): boolean {
  const [own, other] = [(a as JsonObject)[key] ?? null, (b as JsonObject)[key] ?? null]; // members of both
  const textOf = (container: object, value: JsonValue) =>
    typeof value === 'number' ? exactTextOf(container, key, value) : undefined;
  return textOf(a, own) === textOf(b, other) && areSame(own, other);
}
