// The file of checkpoints beside a log: a line each, appended and never rewritten. It returns lines without verifying
// them. Other users may be able to write where the log is, so nothing is written through a link.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { checkpointLine, parseCheckpoint, type SignedCheckpoint } from '@portico/audit-chain';
import { hasCode } from '../../files.js';
import type { CheckpointStore } from './checkpoint-store.js';

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
const noLinks = constants.O_NOFOLLOW ?? 0; // Windows has none

/** Undefined if there is no such file. */
export async function readSidecar(path: string): Promise<Sidecar | undefined> {
  const text = await readText(path, constants.O_RDONLY);
  if (text === undefined) return undefined;
  const { lines, rest } = split(text);
  return { lines: lines.map(parseCheckpoint), isTorn: rest !== '' };
}

/** As they are kept, whether they are true or not. */
export async function* sidecarLines(path: string): AsyncGenerator<string> {
  const text = await readText(path, constants.O_RDONLY);
  if (text !== undefined) yield* split(text).lines;
}

export function createSidecarStore(path: string): CheckpointStore {
  return {
    named: { file: path },
    mend: () => mendSidecar(path),
    async append(checkpoint) {
      const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | noLinks;
      const file = await openOwn(path, flags);
      try {
        await file.writeFile(`${checkpointLine(checkpoint)}\n`);
        await file.datasync();
      } finally {
        await file.close();
      }
    },
  };
}

/** Cuts off what a crash has left of a line, takes the file from others, and gives its last checkpoint. */
async function mendSidecar(path: string): Promise<SignedCheckpoint | undefined> {
  const file = await openOwn(path, constants.O_RDWR | noLinks).catch(unlessMissing);
  if (file === undefined) return undefined;
  try {
    const text = await textOf(file, path);
    const { lines, rest } = split(text);
    if (!isBeginning(rest)) throw new Error(`${path} ends in what is no checkpoint: move it away, and restart`);
    await file.chmod(0o600);
    if (rest !== '') await file.truncate(Buffer.byteLength(text) - Buffer.byteLength(rest));
    const last = lines.at(-1);
    return last === undefined ? undefined : parseCheckpoint(last);
  } finally {
    await file.close();
  }
}

const beginning = '{"chain_id":"';

/** Whether the text after the last line is what a crash leaves of one; a power loss can leave zeros. */
function isBeginning(rest: string): boolean {
  const text = rest.replaceAll('\0', '');
  return text.startsWith(beginning) || beginning.startsWith(text);
}

function split(text: string): { readonly lines: readonly string[]; readonly rest: string } {
  const end = text.lastIndexOf('\n') + 1;
  return { lines: end === 0 ? [] : text.slice(0, end - 1).split('\n'), rest: text.slice(end) };
}

async function readText(path: string, flags: number): Promise<string | undefined> {
  const file = await open(path, flags | (constants.O_NONBLOCK ?? 0)).catch(unlessMissing); // to open a pipe would wait
  if (file === undefined) return undefined;
  try {
    return await textOf(file, path);
  } finally {
    await file.close();
  }
}

async function textOf(file: FileHandle, path: string): Promise<string> {
  const found = await file.stat();
  if (!found.isFile()) throw new Error(`${path} is no regular file`);
  if (found.size > maxBytes) throw new Error(`${path} is longer than ${maxBytes} bytes`);
  return file.readFile('utf8');
}

async function openOwn(path: string, flags: number): Promise<FileHandle> {
  return open(path, flags, 0o600).catch((error: unknown) => {
    if (!hasCode(error, 'ELOOP')) throw error;
    throw new Error(`${path} is a link, and nothing is written through one: remove it`, { cause: error });
  });
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}
