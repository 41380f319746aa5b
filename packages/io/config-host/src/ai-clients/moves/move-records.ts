// Records the entries that were moved out of clients' files, so that they can be put back: beside the copies of the
// files, readable for the owner only.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonValue, parseJson } from '@portico/contracts';
import { FileProblem, readWholeFile, replaceWholeFile } from '../../whole-file.js';
import { isRecord } from '../formats/file-format.js';
import type { SwitchedOff } from './switch-off.js';

export interface Move {
  /** Name of the copy of the file as it was before the move. */
  readonly backup: string;
  /** SHA-256 of the file as the move left it, hexadecimal. */
  readonly after: string;
  readonly entries: readonly SwitchedOff[];
}

export interface MoveRecords {
  /** Moves that are in force, oldest first. */
  readonly moves: readonly Move[];
  /** Moves that were in force before the last of them were put back, with the copy that undoing puts back. */
  readonly before: { readonly backup: string; readonly moves: readonly Move[] } | null;
}

export const noMoves: MoveRecords = { moves: [], before: null };

const fileName = 'moves.json';

/** @param folder of the copies of a client's file. @throws FileProblem */
export async function readMoves(folder: string): Promise<MoveRecords> {
  const path = join(folder, fileName);
  const file = await readWholeFile(path);
  return file === null ? noMoves : parseMoves(path, file.bytes.toString('utf8'));
}

/** Written whole or not at all. @throws FileProblem */
export async function writeMoves(folder: string, records: MoveRecords): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, fileName);
  const file = await readWholeFile(path);
  await replaceWholeFile(path, file, Buffer.from(JSON.stringify({ version: 1, ...records })));
}

/** @throws FileProblem */
function parseMoves(path: string, text: string): MoveRecords {
  try {
    const value = parseJson(text);
    if (isRecord(value) && value.version === 1 && isMoves(value.moves)) {
      const { moves, before } = value;
      if (!isRecord(before) || typeof before.backup !== 'string' || !isMoves(before.moves))
        return { moves, before: null };
      return { moves, before: { backup: before.backup, moves: before.moves } };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new FileProblem(`the record of its moved servers, ${path}, cannot be read; the copies beside it hold them`);
}

function isMoves(value: unknown): value is Move[] & JsonValue {
  return Array.isArray(value) && value.every(isMove);
}

function isMove(value: unknown): boolean {
  if (!isRecord(value) || typeof value.backup !== 'string' || typeof value.after !== 'string') return false;
  return Array.isArray(value.entries) && value.entries.every(isEntry);
}

function isEntry(value: unknown): boolean {
  if (!isRecord(value) || typeof value.name !== 'string' || !Array.isArray(value.path)) return false;
  if (!value.path.every((key) => typeof key === 'string')) return false;
  if (value.how === 'removed') return typeof value.text === 'string';
  const isFlag = value.how === 'flag' && typeof value.field === 'string' && typeof value.value === 'boolean';
  return isFlag && (value.was === null || typeof value.was === 'boolean');
}
