// The text of the lock file: sorted, in lines, one definition a block, so that a difference of two versions is a
// difference of what was accepted.
import { canonicalize } from '@portico/canonical-json';
import { type JsonObject, type JsonValue, parseJson } from '@portico/contracts';
import { type LockedServer, listNames, lockedKinds, lockVersion, type ToolsLock } from './lock-file.js';

/** Equal locks have equal texts, and the text ends with a line end. */
export function serializeLock(lock: ToolsLock): string {
  const servers = Object.fromEntries([...lock].map(([id, server]) => [id, toJson(server)]));
  // The canonical form sorts, and reading it back keeps the order.
  return `${JSON.stringify(parseJson(canonicalize({ lockVersion, servers })), null, 2)}\n`;
}

function toJson({ identity, digest, accepted, lists }: LockedServer): JsonObject {
  const named = lockedKinds.map((kind): [string, JsonObject] => [listNames[kind], toObject(lists[kind])]);
  const filled = named.filter(([, definitions]) => Object.keys(definitions).length > 0);
  return { accepted: { ...accepted }, digest, server: { ...identity } as JsonObject, ...Object.fromEntries(filled) };
}

function toObject(definitions: LockedServer['lists']['tool']): JsonObject {
  const entries = [...definitions].map(([name, { digest, definition, accepted }]): [string, JsonValue] => [
    name,
    { accepted: { ...accepted }, definition, digest },
  ]);
  return Object.fromEntries(entries);
}
