// The one configuration file of a client that counts on a machine, with what is in it.
import { decodeText, FileProblem, type ReadFile, readWholeFile } from '../whole-file.js';
import type { ClientKind, UserEnvironment } from './client.js';

export interface LocatedFile {
  readonly path: string;
  /** Null if there is none. */
  readonly file: ReadFile | null;
  /** Null if there is none. */
  readonly text: string | null;
}

/** A file that is there and cannot be read. */
export interface UnreadableFile {
  readonly path: string;
  readonly problem: FileProblem;
}

/** The first of the client's files that is there, else the first one. */
export async function locateFile(kind: ClientKind, user: UserEnvironment): Promise<LocatedFile | UnreadableFile> {
  const files = kind.files(user);
  for (const path of files) {
    const found = await readLocated(path);
    if ('problem' in found || found.file !== null) return found;
  }
  return { path: files[0], file: null, text: null };
}

export async function readLocated(path: string): Promise<LocatedFile | UnreadableFile> {
  try {
    const file = await readWholeFile(path);
    return { path, file, text: file === null ? null : decodeText(file.bytes) };
  } catch (error) {
    if (error instanceof FileProblem) return { path, problem: error };
    throw error;
  }
}
