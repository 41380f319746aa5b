// Changes of clients' files, one after another: a copy first, then the whole new file at once. Nothing where nothing changes.
import { createMutex } from '@portico/async';
import { AiClientError, type ClientChange, type ClientPreview } from '@portico/control-plane';
import { encodeText, FileProblem, isFolder } from '../whole-file.js';
import type { Backups } from './backups.js';
import type { ClientKind, ServeCommand, UserEnvironment } from './client.js';
import { createClientFiles } from './client-files.js';
import { FormatProblem } from './formats/file-format.js';
import type { LocatedFile } from './locate-file.js';
import { type Entry, switchOff } from './moves/switch-off.js';
import { type FileText, planAttach, planDetach } from './plan-change.js';

/** All throw AiClientError. */
export interface ClientChanges {
  attach(kind: ClientKind): Promise<ClientChange>;
  /** Puts back what was moved, too. */
  detach(kind: ClientKind): Promise<ClientChange>;
  undo(kind: ClientKind): Promise<ClientChange>;
  /** Has the client leave out these servers of its file, and remembers them. */
  switchOff(kind: ClientKind, entries: readonly Entry[]): Promise<ClientChange>;
  preview(kind: ClientKind, action: 'attach' | 'detach'): Promise<ClientPreview>;
}

interface Deps {
  readonly user: UserEnvironment;
  readonly serve: ServeCommand;
  readonly backups: Backups;
}

const allCopies = Number.POSITIVE_INFINITY;

export function createClientChanges({ user, serve, backups }: Deps): ClientChanges {
  const files = createClientFiles(user, backups);
  const mutex = createMutex();
  const inTurn = <T>(kind: ClientKind, work: () => Promise<T>): Promise<T> =>
    mutex.run(() => work().catch((error: unknown) => refuse(kind, user, error)));

  const attach = async (kind: ClientKind): Promise<ClientChange> => {
    const located = await files.locate(kind);
    const { path, file, text } = located;
    const after = planAttach(kind, text, serve);
    if (after === text) return unchanged(kind, path);
    if (file === null && !(await isFolder(kind.folder(user)))) {
      throw new FileProblem(`its folder ${kind.folder(user)} is not there; start ${kind.name} once`);
    }
    return files.write(kind, located, toBytes(after, located));
  };

  const detach = async (kind: ClientKind): Promise<ClientChange> => {
    const located = await files.locate(kind);
    const { path } = located;
    const { moves } = await files.moves(kind, path);
    const whole = await files.withServers(kind, located, moves);
    const after = planDetach(kind, whole.text, await files.copies(kind, path, moves.length > 0 ? allCopies : 1));
    if (after === located.text) return unchanged(kind, path);
    const done = await files.write(kind, located, toBytes(after, located));
    if (moves.length > 0) await files.recordMoves(kind, done, { now: [], before: moves });
    return done;
  };

  /** The copy is put back whole, but where servers were moved last, other changes of the file since then stay. */
  const undo = async (kind: ClientKind): Promise<ClientChange> => {
    const located = await files.locate(kind);
    const { path } = located;
    const copy = await files.lastCopy(kind, path);
    if (copy === undefined) throw new FileProblem('there is no copy of it from before a change');
    const { moves, before } = await files.moves(kind, path);
    const last = moves.at(-1);
    if (last?.backup === copy.name) {
      const { text } = await files.withServers(kind, located, [last]);
      // Recorded, and not written before the process ended; or undone by hand.
      const isUndone = text === located.text;
      const done = isUndone ? unchanged(kind, path) : await files.write(kind, located, toBytes(text, located));
      await files.recordMoves(kind, done, { now: moves.slice(0, -1), before: moves });
      return done;
    }
    if (located.file !== null && copy.bytes.equals(located.file.bytes)) return unchanged(kind, path);
    const done = await files.write(kind, located, copy.bytes);
    if (before?.backup === copy.name) await files.recordMoves(kind, done, { now: before.moves, before: moves });
    return done;
  };

  const off = async (kind: ClientKind, entries: readonly Entry[]): Promise<ClientChange> => {
    const located = await files.locate(kind);
    if (located.text === null) throw new FileProblem('it is not there any more');
    const { text, switchedOff } = switchOff(kind, located.text, entries);
    return files.writeMoved(kind, located, text, switchedOff);
  };

  const preview = async (kind: ClientKind, action: 'attach' | 'detach'): Promise<ClientPreview> => {
    const { path, text: before } = await files.locate(kind);
    if (action === 'attach') return { path, before, after: planAttach(kind, before, serve), restores: [] };
    const { moves } = await files.moves(kind, path);
    const restores = moves.flatMap(({ entries }) => entries.map(({ name }) => name));
    return { path, before, after: planDetach(kind, before, await files.copies(kind, path, 1)), restores };
  };

  return {
    attach: (kind) => inTurn(kind, () => attach(kind)),
    detach: (kind) => inTurn(kind, () => detach(kind)),
    undo: (kind) => inTurn(kind, () => undo(kind)),
    switchOff: (kind, entries) => inTurn(kind, () => off(kind, entries)),
    preview: (kind, action) => inTurn(kind, () => preview(kind, action)),
  };
}

function unchanged({ id }: ClientKind, path: string): ClientChange {
  return { client: id, path, changed: false, backupPath: null };
}

function toBytes(text: FileText, { file }: LocatedFile): Buffer | null {
  return text === null ? null : encodeText(text, file?.bytes);
}

/** @throws AiClientError for what is wrong with the file, anything else as it is */
function refuse(kind: ClientKind, user: UserEnvironment, error: unknown): never {
  if (!(error instanceof FileProblem || error instanceof FormatProblem)) throw error;
  const path = kind.files(user)[0];
  throw new AiClientError('unusable', `the configuration of ${kind.name}, ${path}, is left as it is: ${error.message}`);
}
