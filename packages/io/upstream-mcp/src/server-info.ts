// Makes a canonical form of MCP `serverInfo`: digests are made of it, and no other check looks at it.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

/** MCP `Implementation` has a list of icons in it, which is three levels. */
const maxLevels = 16;
/** Icons may be data in a URI. */
const maxCharacters = 256 * 1024;

/** Lone surrogates have no canonical form, which a digest needs. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd');
}

/**
 * MCP `serverInfo` with well-formed texts. Empty for what is no object, and for one that is nested deeper than 16 levels
 * or longer than 262,144 characters.
 */
export function serverInfoOf(value: JsonValue | undefined): JsonObject {
  const room = { characters: maxCharacters };
  const info = cleaned(value, maxLevels, room);
  return isJsonObject(info) ? info : {};
}

/** Undefined for what is beyond the limits, or has no canonical form. */
function cleaned(value: JsonValue | undefined, levels: number, room: { characters: number }): JsonValue | undefined {
  room.characters -= typeof value === 'string' ? value.length : 1;
  if (levels < 0 || room.characters < 0) return undefined;
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value) {
      const kept = cleaned(item, levels - 1, room);
      if (kept === undefined) return undefined;
      items.push(kept);
    }
    return items;
  }
  const entries: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    room.characters -= name.length;
    const kept = cleaned(member, levels - 1, room);
    if (kept === undefined) return undefined;
    entries.push([wellFormed(name), kept]);
  }
  return Object.fromEntries(entries);
}
