// Recognizes the format of a file that a user names for an import: by its extension, then by where it keeps its
// servers.
import { basename, extname } from 'node:path';
import type { ClientKind } from './client.js';
import { clientKinds } from './clients.js';
import { FormatProblem, valueAt } from './formats/file-format.js';

/** @throws FormatProblem if no known client keeps servers like that */
export function recogniseFile(path: string, text: string): ClientKind {
  const named = clientKinds.filter((kind) => fileNamesOf(kind).includes(basename(path)));
  const sameFormat = clientKinds.filter((kind) => (extname(path) === '.toml') === (kind.id === 'codex'));
  const found = [...named, ...sameFormat].find((kind) => holdsServers(kind, text));
  if (found !== undefined) return found;
  for (const kind of named.length > 0 ? named : sameFormat.slice(-1)) kind.format.parse(text); // says what is wrong
  throw new FormatProblem('it holds no servers in a format that is known');
}

function fileNamesOf(kind: ClientKind): readonly string[] {
  return kind.files({ platform: 'linux', home: '/', env: {} }).map((file) => basename(file));
}

function holdsServers(kind: ClientKind, text: string): boolean {
  try {
    const root = kind.format.parse(text);
    return kind.servers(root).some((path) => valueAt(root, path) !== undefined);
  } catch {
    return false;
  }
}
