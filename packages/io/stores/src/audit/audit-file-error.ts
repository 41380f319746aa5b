// Why an audit file cannot be used, in words of the one who has to do something about it.
import { codeOf, messageOf } from '../files.js';

/** The audit log cannot be kept where it is to be: in the file that was named for it, or in the database. */
export class AuditFileError extends Error {}

const otherFile = 'choose another file with audit.filePath';

interface Advice {
  readonly reason: string;
  readonly nextStep: string;
}

const adviceOfCode: Readonly<Record<string, Advice>> = {
  EACCES: {
    reason: 'it may not be written by this user',
    nextStep: `make it and its directory writable, or ${otherFile}`,
  },
  EPERM: {
    reason: 'it may not be written by this user',
    nextStep: `make it and its directory writable, or ${otherFile}`,
  },
  EROFS: { reason: 'its file system is read-only', nextStep: `mount it writable, or ${otherFile}` },
  ENOSPC: { reason: 'the disk is full', nextStep: `free space on its file system, or ${otherFile}` },
  EDQUOT: { reason: 'the disk quota is used up', nextStep: `free space on its file system, or ${otherFile}` },
  EISDIR: { reason: 'it is a directory', nextStep: `name a file in it, or ${otherFile}` },
  ENOTDIR: { reason: 'a part of its path is no directory', nextStep: otherFile },
  EEXIST: { reason: 'a part of its path is no directory', nextStep: otherFile },
  ELOOP: { reason: 'its links go in a circle', nextStep: otherFile },
};

export function auditFileError(file: string, { reason, nextStep }: Advice, cause?: unknown): AuditFileError {
  return new AuditFileError(`audit file ${file} cannot be used: ${reason}; ${nextStep}`, { cause });
}

/** Turns an error of the file system into one that names the file and the next step. */
export function toAuditFileError(file: string, error: unknown): AuditFileError {
  if (error instanceof AuditFileError) return error;
  const advice = adviceOfCode[codeOf(error) ?? ''] ?? { reason: messageOf(error), nextStep: otherFile };
  return auditFileError(file, advice, error);
}

export function heldError(file: string, pid: number): AuditFileError {
  return auditFileError(file, {
    reason: `process ${pid} writes to it`,
    nextStep: `stop that process, or ${otherFile}`,
  });
}

export function noFileError(file: string): AuditFileError {
  return auditFileError(file, { reason: 'it is no regular file', nextStep: otherFile });
}

/** For records in the database. */
export function chainError(chainId: string, reason: string, nextStep: string): AuditFileError {
  return new AuditFileError(`audit chain ${chainId} of the database cannot be used: ${reason}; ${nextStep}`);
}

/** The end of the log was edited; writing after it would hide that. */
export function editedError(file: string, offset: number): AuditFileError {
  return auditFileError(file, {
    reason: `its last line, at byte ${offset}, is no record, and no write that was cut off has left it so`,
    nextStep: `see \`portico audit verify ${file}\`, then put a backup in its place or move it away`,
  });
}
