// Verification of the log that this process writes: what the path stands for now, against the head that is known here.
import { open } from 'node:fs/promises';
import { createVerifier, type VerificationReport } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { hasCode } from '../files.js';
import type { LineWrites } from './line-writes.js';
import { stateOf } from './log-handle.js';
import { verifyChain } from './verify-file.js';
import type { Writer } from './writer.js';

export interface VerifyLiveDeps {
  readonly path: string;
  readonly writer: Writer;
  readonly lines: LineWrites;
  readonly log: Log;
}

/** Records that are appended meanwhile are not looked at. */
export async function verifyLive({ path, writer, lines, log }: VerifyLiveDeps): Promise<VerificationReport> {
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
  if (file === undefined) return createVerifier({ expectedHead }).end();
  try {
    return await verifyChain(file, expectedHead, {
      end,
      onProgress: ({ records, bytes, totalBytes }) =>
        log('info', 'the audit log is being verified', { records, percent: Math.floor((100 * bytes) / totalBytes) }),
    });
  } finally {
    await file.close();
  }
}
