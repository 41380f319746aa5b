// The file of a client with what is kept of it: its copies, and the record of the servers that were moved out of it.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { ClientChange } from '@portico/control-plane';
import { decodeText, encodeText, replaceWholeFile } from '../whole-file.js';
import type { Backup, Backups } from './backups.js';
import type { ClientKind, UserEnvironment } from './client.js';
import { type LocatedFile, locateFile } from './locate-file.js';
import { type Move, type MoveRecords, readMoves, writeMoves } from './moves/move-records.js';
import { type SwitchedOff, switchOn } from './moves/switch-off.js';
import type { FileText } from './plan-change.js';

/** All throw FileProblem, and FormatProblem where a text is read. */
export interface ClientFiles {
  locate(kind: ClientKind): Promise<LocatedFile>;
  lastCopy(kind: ClientKind, path: string): Promise<Backup | undefined>;
  /** Texts of the newest copies, the newest first; null for one that is no text. */
  copies(kind: ClientKind, path: string, limit: number): Promise<readonly FileText[]>;
  moves(kind: ClientKind, path: string): Promise<MoveRecords>;
  /** Writes a file after a copy of it was made. */
  write(kind: ClientKind, located: LocatedFile, bytes: Buffer | null): Promise<ClientChange>;
  /** As `write`, where that takes servers out, which are recorded first: a record too many loses nothing. */
  writeMoved(
    kind: ClientKind,
    located: LocatedFile,
    text: string,
    entries: readonly SwitchedOff[],
  ): Promise<ClientChange>;
  /** Records which moves are in force after a change that has put some back or taken them out again. */
  recordMoves(
    kind: ClientKind,
    change: ClientChange,
    moves: { readonly now: readonly Move[]; readonly before: readonly Move[] },
  ): Promise<void>;
  /** A file with moved servers in it again: its copy where nothing else has changed since, byte for byte. */
  withServers(kind: ClientKind, located: LocatedFile, moves: readonly Move[]): Promise<LocatedFile>;
}

export function createClientFiles(user: UserEnvironment, backups: Backups): ClientFiles {
  const folderOf = (kind: ClientKind, path: string) => backups.folderOf(kind.id, path);

  const find = async (kind: ClientKind, path: string, name: string): Promise<Backup | undefined> => {
    for await (const backup of backups.all(kind.id, path)) if (backup.name === name) return backup;
    return undefined;
  };

  return {
    async locate(kind) {
      const located = await locateFile(kind, user);
      if ('problem' in located) throw located.problem;
      return located;
    },
    lastCopy: (kind, path) => backups.last(kind.id, path),
    async copies(kind, path, limit) {
      const texts: FileText[] = [];
      for await (const { bytes } of backups.all(kind.id, path)) {
        texts.push(textOf(bytes));
        if (texts.length >= limit) break;
      }
      return texts;
    },
    moves: (kind, path) => readMoves(folderOf(kind, path)),
    async write(kind, { path, file }, bytes) {
      const backupPath = file === null ? null : await backups.add(kind.id, path, file.bytes);
      await replaceWholeFile(path, file, bytes);
      return { client: kind.id, path, changed: true, backupPath };
    },
    async writeMoved(kind, { path, file }, text, entries) {
      const folder = folderOf(kind, path);
      const records = await readMoves(folder);
      const bytes = encodeText(text, file?.bytes);
      const backupPath = await backups.add(kind.id, path, file?.bytes ?? Buffer.alloc(0));
      const move = { backup: basename(backupPath), after: sha256(bytes), entries };
      await writeMoves(folder, { moves: [...records.moves, move], before: null });
      try {
        await replaceWholeFile(path, file, bytes);
      } catch (error) {
        await writeMoves(folder, records);
        throw error;
      }
      return { client: kind.id, path, changed: true, backupPath };
    },
    async recordMoves(kind, { path, backupPath }, { now, before }) {
      const known = backupPath === null ? null : { backup: basename(backupPath), moves: before };
      await writeMoves(folderOf(kind, path), { moves: now, before: known });
    },
    async withServers(kind, located, moves) {
      let text = located.text;
      for (const { backup, after, entries } of [...moves].reverse()) {
        if (text === null) break;
        const isAsLeft = sha256(encodeText(text, located.file?.bytes)) === after;
        const copy = isAsLeft ? await find(kind, located.path, backup) : undefined;
        text = copy === undefined ? switchOn(kind, text, entries) : decodeText(copy.bytes);
      }
      return { ...located, text };
    },
  };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A copy that is no text was never made by attaching. */
function textOf(bytes: Buffer): FileText {
  try {
    return decodeText(bytes);
  } catch {
    return null;
  }
}
