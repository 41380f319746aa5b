// Changes of clients' files, one after another: a copy first, then the whole new file at once. Nothing where nothing changes.
import { createMutex } from '@portico/async';
import { AiClientError, type ClientChange, type ClientPreview } from '@portico/control-plane';
import { decodeText, encodeText, FileProblem, isFolder, replaceWholeFile } from '../whole-file.js';
import type { Backups } from './backups.js';
import type { ClientKind, Place, ServeCommand } from './client.js';
import { FormatProblem } from './formats/file-format.js';
import { type LocatedFile, locateFile } from './locate-file.js';
import { type FileText, planAttach, planDetach } from './plan-change.js';

/** All throw AiClientError. */
export interface ClientChanges {
  attach(kind: ClientKind): Promise<ClientChange>;
  detach(kind: ClientKind): Promise<ClientChange>;
  undo(kind: ClientKind): Promise<ClientChange>;
  preview(kind: ClientKind, action: 'attach' | 'detach'): Promise<ClientPreview>;
}

interface Deps {
  readonly place: Place;
  readonly serve: ServeCommand;
  readonly backups: Backups;
}

export function createClientChanges({ place, serve, backups }: Deps): ClientChanges {
  const mutex = createMutex();
  const inTurn = <T>(kind: ClientKind, work: () => Promise<T>): Promise<T> =>
    mutex.run(() => work().catch((error: unknown) => refuse(kind, place, error)));

  const locate = async (kind: ClientKind): Promise<LocatedFile> => {
    const located = await locateFile(kind, place);
    if ('problem' in located) throw located.problem;
    return located;
  };

  const plan = async (kind: ClientKind, { path, text }: LocatedFile, action: 'attach' | 'detach') => {
    if (action === 'attach') return planAttach(kind, text, serve);
    return planDetach(kind, text, textOf(await backups.last(kind.id, path)));
  };

  const write = async (kind: ClientKind, { path, file }: LocatedFile, bytes: Buffer | null): Promise<ClientChange> => {
    const backupPath = file === null ? null : await backups.add(kind.id, path, file.bytes);
    await replaceWholeFile(path, file, bytes);
    return { client: kind.id, path, changed: true, backupPath };
  };

  const change = async (kind: ClientKind, action: 'attach' | 'detach'): Promise<ClientChange> => {
    const located = await locate(kind);
    const { path, file, text } = located;
    const after = await plan(kind, located, action);
    if (after === text) return { client: kind.id, path, changed: false, backupPath: null };
    if (file === null && !(await isFolder(kind.folder(place)))) {
      throw new FileProblem(`its folder ${kind.folder(place)} is not there; start ${kind.name} once`);
    }
    return write(kind, located, after === null ? null : encodeText(after, file?.bytes));
  };

  return {
    attach: (kind) => inTurn(kind, () => change(kind, 'attach')),
    detach: (kind) => inTurn(kind, () => change(kind, 'detach')),
    undo: (kind) =>
      inTurn(kind, async () => {
        const located = await locate(kind);
        const backup = await backups.last(kind.id, located.path);
        if (backup === undefined) throw new FileProblem('there is no copy of it from before a change');
        return write(kind, located, backup);
      }),
    preview: (kind, action) =>
      inTurn(kind, async () => {
        const located = await locate(kind);
        return { path: located.path, before: located.text, after: await plan(kind, located, action) };
      }),
  };
}

/** A copy that is no text was never made by attaching. */
function textOf(bytes: Buffer | undefined): FileText {
  if (bytes === undefined) return null;
  try {
    return decodeText(bytes);
  } catch {
    return null;
  }
}

/** @throws AiClientError for what is wrong with the file, anything else as it is */
function refuse(kind: ClientKind, place: Place, error: unknown): never {
  if (!(error instanceof FileProblem || error instanceof FormatProblem)) throw error;
  const path = kind.files(place)[0];
  throw new AiClientError('unusable', `the configuration of ${kind.name}, ${path}, is left as it is: ${error.message}`);
}
