// Reads the file that `envFile` of a server names, within limits: any user with write access may replace it.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { type AbortSignalLike, untilAborted } from '@portico/async';
import { UpstreamFailure } from '@portico/upstream-pool';
import { messageOf, unreachable } from '../failures.js';

/** Above what any system takes for the variables of a process. */
const maxBytes = 1024 * 1024;

/**
 * As `node --env-file` reads one. A pipe or a device is not waited for, nor a file system that does not answer longer than
 * until `signal` aborts.
 * @throws UpstreamFailure, which names the field and the file, and no value
 */
export async function readEnvFile(file: string, signal: AbortSignalLike): Promise<Readonly<Record<string, string>>> {
  const text = await untilAborted(readLimited(file), signal).catch((error: unknown) => {
    if (error instanceof UpstreamFailure) throw error;
    if (signal.aborted) throw unreachable(`gave up connecting: ${messageOf(signal.reason)}`, false);
    throw unreachable(`envFile: cannot be read: ${messageOf(error)}`, false);
  });
  // The system that starts the process would say so with the value in its message.
  if (text.includes('\0')) throw unreachable(`envFile: ${file} holds a NUL character; save it as UTF-8 text`, false);
  const variables = Object.entries(parseEnv(text));
  return Object.fromEntries(variables.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function readLimited(file: string): Promise<string> {
  // Without O_NONBLOCK the opening of a named pipe waits for a writer, and no signal ends that. Windows has neither.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  try {
    if (!(await handle.stat()).isFile()) {
      throw unreachable(`envFile: ${file} is no regular file; name a text file with NAME=value lines`, false);
    }
    const bytes = await readUpTo(handle, maxBytes + 1);
    if (bytes.length <= maxBytes) return bytes.toString('utf8');
    throw unreachable(`envFile: ${file} has more than ${maxBytes} bytes; name a smaller file`, false);
  } finally {
    await handle.close();
  }
}

/** The size that a file says it has is not asked for: those of /proc say 0, and a file may grow. */
async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let left = limit; left > 0; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(left, 64 * 1024)));
    if (bytesRead === 0) break;
    parts.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(parts);
}

/** A word such as `production`, or a path. To replace these would garble messages, and they give no access. */
export function isPlainSetting(value: string): boolean {
  if (/^([a-z]{1,16}|[A-Z]{1,16}|[A-Z][a-z]{1,15})$/.test(value)) return true;
  return /^(~|\.{1,2}|[A-Za-z]:)?[/\\][^:?&=\n]*$/.test(value) && !value.split(/[/\\]/).some(isRandom);
}

/** Base64 may begin with a slash, and hold more. */
function isRandom(part: string): boolean {
  return part.length > 24 || (/[a-z]/.test(part) && /[A-Z]/.test(part) && /\d/.test(part));
}
