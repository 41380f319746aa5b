// Verification of the log that this process writes: what the path stands for now, against the head that is known here.
import { open } from 'node:fs/promises';
import { createVerifier, type VerificationReport } from '@portico/audit-chain';
import type { Log } from '@portico/control-plane';
import { hasCode } from '../files.js';
import { stateOf } from './log-handle.js';
import { verifyHandle } from './verify-file.js';
import type { Writer } from './writer.js';

export interface VerifyLiveDeps {
  readonly path: string;
  readonly writer: Writer;
  readonly log: Log;
}

/** Records that are appended meanwhile are not looked at. */
export async function verifyLive({ path, writer, log }: VerifyLiveDeps): Promise<VerificationReport> {
  const { position, found } = await writer.atRest(async () => ({
    position: writer.position(),
    found: await stateOf(path),
  }));
  const expectedHead = position.head;
  const size = found?.size ?? 0;
  const end = writer.isTorn() ? Math.min(position.size, size) : size; // what follows is no part of the log yet
  const file = await open(path, 'r').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (file === undefined) return createVerifier({ expectedHead }).end();
  try {
    return await verifyHandle(file, {
      end,
      expectedHead,
      onProgress: ({ records, bytes, totalBytes }) =>
        log('info', 'the audit log is being verified', { records, percent: Math.floor((100 * bytes) / totalBytes) }),
    });
  } finally {
    await file.close();
  }
}
