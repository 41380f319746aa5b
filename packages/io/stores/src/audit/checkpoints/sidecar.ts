// The file of checkpoints beside a log: a line each, appended and never rewritten. It tells what is written there; whether it
// is true is not its business.
import { appendFile, chmod, readFile, stat, truncate } from 'node:fs/promises';
import { checkpointLine, parseCheckpoint, type SignedCheckpoint } from '@portico/audit-chain';
import { hasCode } from '../../files.js';

export interface Sidecar {
  /** By line; undefined for a line that is no checkpoint. */
  readonly lines: readonly (SignedCheckpoint | undefined)[];
  /** Whether a write was cut off: what is left of it follows the lines. */
  readonly isTorn: boolean;
}

export function sidecarOf(logPath: string): string {
  return `${logPath}.checkpoints`;
}

const maxBytes = 256 * 1024 * 1024;

/** Undefined where there is no such file. */
export async function readSidecar(path: string): Promise<Sidecar | undefined> {
  const found = await stat(path).catch(unlessMissing);
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new Error(`${path} is no regular file`);
  if (found.size > maxBytes) throw new Error(`${path} is longer than ${maxBytes} bytes`);
  const lines = (await readFile(path, 'utf8')).split('\n');
  const rest = lines.pop();
  return { lines: lines.map(parseCheckpoint), isTorn: rest !== '' };
}

export async function appendCheckpoint(path: string, checkpoint: SignedCheckpoint): Promise<void> {
  await appendFile(path, `${checkpointLine(checkpoint)}\n`, { mode: 0o600, flush: true });
}

/** Cuts off what a crash has left of a line, takes the file from others, and gives its last checkpoint. */
export async function mendSidecar(path: string): Promise<SignedCheckpoint | undefined> {
  const sidecar = await readSidecar(path);
  if (sidecar === undefined) return undefined;
  await chmod(path, 0o600);
  if (sidecar.isTorn) {
    const bytes = await readFile(path);
    await truncate(path, bytes.lastIndexOf(0x0a) + 1);
  }
  return sidecar.lines.at(-1);
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}
