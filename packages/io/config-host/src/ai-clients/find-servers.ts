// The servers in the text of a client's file, each as Portico would have it, or with the reason why it cannot.
import type { JsonObject } from '@portico/contracts';
import type { ClientKind } from './client.js';
import type { Definition } from './definitions/definition.js';
import { isOwnEntry, ownName } from './definitions/own-entry.js';
import { FormatProblem, isRecord, type Path, valueAt } from './formats/file-format.js';

export interface ServerInFile {
  readonly name: string;
  /** The object that it is an entry of. */
  readonly path: Path;
  /** As the file has it. */
  readonly raw: unknown;
  /** Whether it is Portico itself. */
  readonly isOwn: boolean;
  readonly read: Definition;
}

/** @throws FormatProblem */
export function findServers(kind: ClientKind, text: string): readonly ServerInFile[] {
  const root = kind.format.parse(text);
  return kind.servers(root).flatMap((path) =>
    Object.entries(mapAt(root, path)).map(([name, raw]) => ({
      name,
      path,
      raw,
      isOwn: isOwnEntry(raw),
      read: kind.readDefinition(raw),
    })),
  );
}

/** The definition under Portico's name, written by any program. @throws FormatProblem */
export function entryOf(kind: ClientKind, root: JsonObject): unknown {
  const map = mapAt(root, kind.home(root));
  return Object.hasOwn(map, ownName) ? map[ownName] : undefined;
}

function mapAt(root: JsonObject, path: Path): JsonObject {
  const map = valueAt(root, path);
  if (map === undefined || map === null) return {};
  if (!isRecord(map)) throw new FormatProblem(`${path.join('.')} is not an object`);
  return map;
}
