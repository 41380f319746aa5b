// Verification of a log as it stands in its file: from the first byte to the last, in memory that does not grow.
// It needs no daemon, no lock and no database, and it changes nothing.

import { type FileHandle, open, stat } from 'node:fs/promises';
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
 * Verifies a file that may be in use, of one chain or, as an export, of several: what is appended after the start is not looked at. A last line without line feed
 * is wrong: it is what a crash has left, or a write that is under way.
 * @throws AuditFileError where the file cannot be read, and the signal's reason when it aborts
 */
export async function verifyFile(
  path: string,
  { expectedHead, onProgress, signal, checkpoints }: VerifyFileOptions = {},
): Promise<VerificationReport> {
  const fail = (error: unknown): never => {
    throw unreadable(path, error);
  };
  const found = await stat(path).catch(fail); // to open a pipe would wait for its writer
  if (!found.isFile()) throw new AuditFileError(`audit file ${path} cannot be read: it is no regular file`);
  // Before the log: no checkpoint that is signed while it is read names a record that is not looked at.
  const signatures = checkpoints && (await readSignatures(path, checkpoints));
  const file = await open(path, 'r').catch(fail);
  try {
    const state = await file.stat();
    const verifier = createLogVerifier({ expectedHash: expectedHead, witness: signatures?.witness });
    const report = await verifyLines(file, verifier, { end: state.size, onProgress, signal });
    return signatures?.complete(report) ?? report;
  } finally {
    await file.close();
  }
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
  /** How much of the file is looked at, in bytes. */
  readonly end: number;
}

const progressMs = 2000;

/** Of a log that is one chain. */
export function verifyChain(
  file: FileHandle,
  expectedHead: NotedHead,
  range: VerifyRange,
): Promise<VerificationReport> {
  return verifyLines(file, createVerifier({ expectedHead, witness: range.witness }), range);
}

async function verifyLines(
  file: FileHandle,
  verifier: LogVerifier,
  { end, onProgress, signal }: Omit<VerifyRange, 'witness'>,
): Promise<VerificationReport> {
  let records = 0;
  let toldAt = performance.now();
  for await (const lines of readLines(file, { start: 0, end })) {
    signal?.throwIfAborted();
    for (const { text, problem } of lines) verifier.push(text, problem);
    records += lines.length;
    if (performance.now() - toldAt < progressMs) continue;
    toldAt = performance.now();
    onProgress?.({ records, bytes: lines.at(-1)?.end ?? 0, totalBytes: end });
  }
  return verifier.end();
}

function unreadable(path: string, error: unknown): AuditFileError {
  const reason = codeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
  return new AuditFileError(`audit file ${path} cannot be read: ${reason}`, { cause: error });
}
