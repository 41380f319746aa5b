// Verification of a log as it stands in its file: from the first byte to the last, in memory that does not grow.
// It needs no daemon, no lock and no database, and it changes nothing.

import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AbortSignalLike } from '@portico/async';
import {
  createLogVerifier,
  createVerifier,
  type LogVerifier,
  type NotedHead,
  type VerificationReport,
  type Witness,
} from '@portico/audit-chain';
import { codeOf, messageOf } from '../files.js';
import { AuditFileError } from './audit-file-error.js';
import { checkSignatures } from './checkpoints/check-signatures.js';
import type { PublicKey } from './checkpoints/public-keys.js';
import { readSidecar, sidecarOf } from './checkpoints/sidecar.js';
import { readLines } from './read-lines.js';
import { endOfSegments, listSegments, logOfSegment, type Segment } from './segments.js';

export interface VerifyProgress {
  readonly records: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface VerifyFileOptions {
  /** Hash of the record that must be the last. */
  readonly expectedHead?: string | undefined;
  /** Called about every 2 seconds. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  readonly signal?: AbortSignalLike | undefined;
  /** Holds the log against signed checkpoints, by the keys that are trusted. */
  readonly checkpoints?: TrustedCheckpoints | undefined;
}

export interface TrustedCheckpoints {
  readonly keys: readonly PublicKey[];
  /** The file that they are in; the one beside the log by default. */
  readonly file?: string | undefined;
}

/**
 * Verifies a file that may be in use, with the sealed segments beside it, of one chain or, as an export, of several: what is
 * appended after the start is not looked at. A last line without line feed is wrong: it is what a crash has left, or a write that is under way.
 * @throws AuditFileError if the file cannot be read, and the signal's reason when it aborts
 */
export async function verifyFile(
  named: string,
  { expectedHead, onProgress, signal, checkpoints }: VerifyFileOptions = {},
): Promise<VerificationReport> {
  const fail = (error: unknown): never => {
    throw unreadable(named, error);
  };
  const path = await realpath(named).catch(fail); // segments lie beside the file itself
  await refuseSegment(path);
  const found = await stat(path).catch(fail); // to open a pipe would wait for its writer
  if (!found.isFile()) throw new AuditFileError(`audit file ${named} cannot be read: it is no regular file`);
  return againWherePruned(path, async () => {
    // Before the log: no checkpoint that is signed while it is read names a record that is not looked at.
    const signatures = checkpoints && (await readSignatures(path, checkpoints));
    const file = await open(path, 'r').catch(fail);
    try {
      const log = await partsOf(path, file);
      const verifier = createLogVerifier({ expectedHash: expectedHead, witness: signatures?.witness });
      const report = await verifyLines(log, verifier, { onProgress, signal });
      return signatures?.complete(report) ?? report;
    } finally {
      await file.close();
    }
  });
}

/** A removal goes on while the first attempt ends; another one is an hour away. */
const maxAttempts = 3;

/**
 * Starts over if a log is not found valid and its oldest segments were removed during the read: the bytes read may be
 * neither the log before the removal nor the one after it.
 */
export async function againWherePruned(
  path: string,
  verify: () => Promise<VerificationReport>,
): Promise<VerificationReport> {
  const oldest = async () => (await listSegments(path))[0]?.path;
  for (let attempt = 1; ; attempt++) {
    const first = await oldest();
    const isMoved = async () => attempt < maxAttempts && (await oldest()) !== first;
    try {
      const report = await verify();
      if (report.is_valid || !(await isMoved())) return report;
    } catch (error) {
      if (!(error instanceof AuditFileError) || !(await isMoved())) throw error;
    }
  }
}

/** A segment alone begins and ends in the middle of its log. */
async function refuseSegment(path: string): Promise<void> {
  const log = logOfSegment(path);
  const isThere = log !== undefined && (await stat(log).catch(() => undefined)) !== undefined;
  if (isThere) throw new AuditFileError(`${path} is a segment of ${log}: verify that, which reads all of its segments`);
}

/** Without any checkpoint a log is not what was asked for: nothing of it is signed. */
async function readSignatures(path: string, { keys, file = sidecarOf(path) }: TrustedCheckpoints) {
  const sidecar = await readSidecar(file).catch((error: unknown) => {
    throw new AuditFileError(`the checkpoints in ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const signatures = checkSignatures(sidecar, keys);
  return {
    witness: signatures.witness,
    complete(report: VerificationReport): VerificationReport {
      const { checkpoints, ...rest } = signatures.complete(report);
      const isSigned = checkpoints !== undefined && checkpoints.last_seq !== null;
      return { ...rest, is_valid: rest.is_valid && isSigned, checkpoints };
    },
  };
}

export interface VerifyRange extends Omit<VerifyFileOptions, 'expectedHead' | 'checkpoints'> {
  readonly witness?: Witness | undefined;
}

/** The files of a log as they were at a moment. */
export interface LogParts {
  readonly segments: readonly Segment[];
  /** The file that grows, and how much of it is looked at, in bytes; undefined if there is none. */
  readonly growing: { readonly file: FileHandle; readonly size: number } | undefined;
}

/**
 * @param file the growing one, open: if it is sealed during the read, it is not read twice, and its successor is left
 * out
 */
export async function partsOf(path: string, file: FileHandle | undefined, size?: number): Promise<LogParts> {
  const segments = await listSegments(path);
  const state = await file?.stat(); // after the list: the record that says that segments were removed is in what is read
  if (file === undefined || state === undefined) return { segments, growing: undefined };
  const own = segments.findIndex(({ identity }) => identity === `${state.dev}:${state.ino}`);
  return { segments: own < 0 ? segments : segments.slice(0, own), growing: { file, size: size ?? state.size } };
}

const progressMs = 2000;

/** For a log that is one chain. */
export function verifyChain(parts: LogParts, expectedHead: NotedHead, range: VerifyRange): Promise<VerificationReport> {
  return verifyLines(parts, createVerifier({ expectedHead, witness: range.witness, mayBePruned: true }), range);
}

async function verifyLines(
  { segments, growing }: LogParts,
  verifier: LogVerifier,
  { onProgress, signal }: Omit<VerifyRange, 'witness'>,
): Promise<VerificationReport> {
  const totalBytes = segments.reduce((sum, { size }) => sum + size, growing?.size ?? 0);
  let records = 0;
  let before = 0; // bytes of the files that were read
  let reportedAt = performance.now();
  const read = async (file: FileHandle, end: number) => {
    for await (const lines of readLines(file, { start: 0, end })) {
      signal?.throwIfAborted();
      for (const { text, problem } of lines) verifier.push(text, problem);
      records += lines.length;
      if (performance.now() - reportedAt < progressMs) continue;
      reportedAt = performance.now();
      onProgress?.({ records, bytes: before + (lines.at(-1)?.end ?? 0), totalBytes });
    }
    before += end;
  };
  for (const { path, size } of segments) {
    const file = await open(path, 'r').catch((error: unknown) => {
      throw unreadable(path, error);
    });
    await read(file, size).finally(() => file.close());
  }
  if (growing !== undefined) await read(growing.file, growing.size);
  const report = verifier.end();
  const hole = holeIn(segments);
  return report.is_valid || hole === undefined ? report : { ...report, details: `${report.details}; ${hole}` };
}

/** The gap between segments according to their names. */
function holeIn(segments: readonly Segment[]): string | undefined {
  const at = segments.findIndex(({ start }, i) => i > 0 && start !== endOfSegments(segments.slice(0, i)));
  const [before, after] = [segments[at - 1], segments[at]];
  if (before === undefined || after === undefined) return undefined;
  return `between ${basename(before.path)} and ${basename(after.path)} a segment is missing, or one of them has another length`;
}

function unreadable(path: string, error: unknown): AuditFileError {
  const reason = codeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
  return new AuditFileError(`audit file ${path} cannot be read: ${reason}`, { cause: error });
}
