// Verification of a log as it stands in its file: from the first byte to the last, in memory that does not grow.
// It needs no daemon, no lock and no database, and it changes nothing.
import { type FileHandle, open, stat } from 'node:fs/promises';
import { createVerifier, type VerificationReport, type VerifierOptions } from '@portico/audit-chain';
import { codeOf, messageOf } from '../files.js';
import { AuditFileError } from './audit-file-error.js';
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
  readonly signal?: AbortSignal | undefined;
}

/**
 * Verifies a file that may be in use: what is appended after the start is not looked at. A last line without line feed
 * is wrong: it is what a crash has left, or a write that is under way.
 * @throws AuditFileError where the file cannot be read, and the signal's reason when it aborts
 */
export async function verifyFile(
  path: string,
  { expectedHead, onProgress, signal }: VerifyFileOptions = {},
): Promise<VerificationReport> {
  const fail = (error: unknown): never => {
    throw unreadable(path, error);
  };
  const found = await stat(path).catch(fail); // to open a pipe would wait for whoever writes to it
  if (!found.isFile()) throw new AuditFileError(`audit file ${path} cannot be read: it is no regular file`);
  const file = await open(path, 'r').catch(fail);
  try {
    const state = await file.stat();
    const noted = expectedHead === undefined ? undefined : { hash: expectedHead };
    return await verifyHandle(file, { end: state.size, expectedHead: noted, onProgress, signal });
  } finally {
    await file.close();
  }
}

export interface VerifyRange extends Omit<VerifyFileOptions, 'expectedHead'> {
  /** How much of the file is looked at, in bytes. */
  readonly end: number;
  readonly expectedHead: VerifierOptions['expectedHead'];
}

const progressMs = 2000;

export async function verifyHandle(
  file: FileHandle,
  { end, expectedHead, onProgress, signal }: VerifyRange,
): Promise<VerificationReport> {
  const verifier = createVerifier({ expectedHead });
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
