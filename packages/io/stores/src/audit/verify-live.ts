// Verification of the log that this process writes: the file now at the path, against the head that is known here.
import { open } from 'node:fs/promises';
import type { VerificationReport } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { hasCode } from '../files.js';
import { checkSignatures } from './checkpoints/check-signatures.js';
import type { Checkpointer } from './checkpoints/checkpointer.js';
import { readSidecar, sidecarOf } from './checkpoints/sidecar.js';
import { readPublicKeys } from './checkpoints/signing-key.js';
import type { GrowingFile } from './growing-file.js';
import { stateOf } from './log-handle.js';
import { againWherePruned, partsOf, verifyChain } from './verify-file.js';
import type { Writer } from './writer.js';

export interface VerifyLiveDeps {
  readonly path: string;
  readonly writer: Writer;
  /** The file that grows. */
  readonly lines: Pick<GrowingFile, 'start' | 'size' | 'isTorn'>;
  readonly log: Log;
  readonly stateDirectory: string;
  /** Undefined if nothing is signed. */
  readonly checkpointer: Checkpointer | undefined;
}

/** Records that are appended during the check are left out. */
export function verifyLive(deps: VerifyLiveDeps): Promise<VerificationReport> {
  return againWherePruned(deps.path, () => verifyOnce(deps)); // a removal may have begun before
}

async function verifyOnce(deps: VerifyLiveDeps): Promise<VerificationReport> {
  const { path, writer, lines, log, checkpointer } = deps;
  const signedSeq = checkpointer?.signedSeq() ?? 0; // before the file is read: what is signed later is not expected
  const signatures =
    checkpointer &&
    checkSignatures(await readSidecar(sidecarOf(path)), await readPublicKeys(deps.stateDirectory), { seq: signedSeq });
  const { expectedHead, file, parts } = await writer.atRest(async () => {
    const [kept, found] = [lines.size() - lines.start(), await stateOf(path)];
    const size = found?.size ?? 0;
    const end = lines.isTorn() ? Math.min(kept, size) : size; // what follows is no part of the log yet
    const opened = await open(path, 'r').catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
      return undefined;
    });
    return { expectedHead: writer.head(), file: opened, parts: await partsOf(path, opened, end) };
  });
  try {
    const report = await verifyChain(parts, expectedHead, {
      witness: signatures?.witness,
      onProgress: ({ records, bytes, totalBytes }) =>
        log('info', 'the audit log is being verified', { records, percent: Math.floor((100 * bytes) / totalBytes) }),
    });
    return signatures?.complete(report) ?? report;
  } finally {
    await file?.close();
  }
}
