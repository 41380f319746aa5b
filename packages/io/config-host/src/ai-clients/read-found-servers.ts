// Reads what an import could take: the files of all known clients, or the one that is named.
import { isAbsolute } from 'node:path';
import type { ImportProblem, SkippedServer } from '@portico/control-plane';
import type { ClientKind, UserEnvironment } from './client.js';
import { clientKinds } from './clients.js';
import { findServers } from './find-servers.js';
import { FormatProblem } from './formats/file-format.js';
import { type LocatedFile, locateFile, readLocated, type UnreadableFile } from './locate-file.js';
import type { FoundServer, FoundServers } from './plan-import.js';
import { recogniseFile } from './recognise.js';

/** @param sourcePath absolute; null for all known clients, where one without a file is no error */
export async function readFoundServers(user: UserEnvironment, sourcePath: string | null): Promise<FoundServers> {
  if (sourcePath !== null) return readNamed(sourcePath);
  const all = await Promise.all(
    clientKinds.map(async (kind) => readText(await locateFile(kind, user), () => kind, false)),
  );
  return {
    found: all.flatMap(({ found }) => found),
    skipped: all.flatMap(({ skipped }) => skipped),
    errors: all.flatMap(({ errors }) => errors),
  };
}

async function readNamed(path: string): Promise<FoundServers> {
  if (!isAbsolute(path)) return failed({ path, message: 'source_path must be an absolute path' });
  return readText(await readLocated(path), (text) => recogniseFile(path, text), true);
}

function readText(
  located: LocatedFile | UnreadableFile,
  kindOf: (text: string) => ClientKind,
  mustExist: boolean,
): FoundServers {
  const { path } = located;
  if ('problem' in located) return failed({ path, message: located.problem.message });
  if (located.text === null) {
    return mustExist ? failed({ path, message: 'there is no such file' }) : { found: [], skipped: [], errors: [] };
  }
  try {
    return sortServers(kindOf(located.text), path, located.text);
  } catch (error) {
    if (error instanceof FormatProblem) return failed({ path, message: error.message });
    throw error;
  }
}

function sortServers(kind: ClientKind, path: string, text: string): FoundServers {
  const found: FoundServer[] = [];
  const skipped: SkippedServer[] = [];
  const skip = (name: string, reason: string) => skipped.push({ server_id: name, client: kind.id, reason });
  for (const { name, isOwn, read } of findServers(kind, text)) {
    if (isOwn) skip(name, 'is Portico itself');
    else if (read.kind === 'unusable') skip(name, read.reason);
    else found.push({ client: kind.id, path, name, definition: read.definition });
  }
  return { found, skipped, errors: [] };
}

function failed(problem: ImportProblem): FoundServers {
  return { found: [], skipped: [], errors: [problem] };
}
