// Verification of the log that this process writes: what the path stands for now, against the head that is known here.
import { open } from 'node:fs/promises';
import { createVerifier, type VerificationReport } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { hasCode } from '../files.js';
import { checkSignatures } from './checkpoints/check-signatures.js';
import type { Checkpointer } from './checkpoints/checkpointer.js';
import { readSidecar, sidecarOf } from './checkpoints/sidecar.js';
import { readPublicKeys } from './checkpoints/signing-key.js';
import type { LineWrites } from './line-writes.js';
import { stateOf } from './log-handle.js';
import { verifyChain } from './verify-file.js';
import type { Writer } from './writer.js';

export interface VerifyLiveDeps {
  readonly path: string;
  readonly writer: Writer;
  readonly lines: LineWrites;
  readonly log: Log;
  readonly stateDirectory: string;
  /** Undefined where nothing is signed. */
  readonly checkpointer: Checkpointer | undefined;
}

/** Records that are appended during the check are left out. */
export async function verifyLive(deps: VerifyLiveDeps): Promise<VerificationReport> {
  const { path, writer, lines, log, checkpointer } = deps;
  const signedSeq = checkpointer?.signedSeq() ?? 0; // before the file is read: what is signed later is not expected
  const signatures =
    checkpointer &&
    checkSignatures(await readSidecar(sidecarOf(path)), await readPublicKeys(deps.stateDirectory), { seq: signedSeq });
  const { expectedHead, kept, found } = await writer.atRest(async () => ({
    expectedHead: writer.head(),
    kept: lines.size(),
    found: await stateOf(path),
  }));
  const size = found?.size ?? 0;
  const end = lines.isTorn() ? Math.min(kept, size) : size; // what follows is no part of the log yet
  const file = await open(path, 'r').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  const complete = (report: VerificationReport) => signatures?.complete(report) ?? report;
  if (file === undefined) return complete(createVerifier({ expectedHead }).end());
  try {
    const report = await verifyChain(file, expectedHead, {
      end,
      witness: signatures?.witness,
      onProgress: ({ records, bytes, totalBytes }) =>
        log('info', 'the audit log is being verified', { records, percent: Math.floor((100 * bytes) / totalBytes) }),
    });
    return complete(report);
  } finally {
    await file.close();
  }
}
