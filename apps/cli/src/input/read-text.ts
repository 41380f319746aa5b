// A file that the user names; `-` is stdin.
import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageFailure } from '../failures.js';
import { untilStopped } from '../until-stopped.js';

/** @throws UsageFailure, and the reason of `stopped` */
export function readText(file: string, stopped: AbortSignal): Promise<string> {
  return untilStopped(() => read(file, stopped), stopped); // reading a named pipe ignores the signal
}

function read(file: string, signal: AbortSignal): Promise<string> {
  if (file === '-') return text(addAbortSignal(signal, process.stdin));
  return readFile(file, { encoding: 'utf8', signal }).catch((error: unknown) => {
    throw new UsageFailure(`${file}: ${error instanceof Error ? error.message : error}`);
  });
}
