// A file that the user names; `-` is stdin.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UsageFailure } from '../failures.js';

/** @throws UsageFailure */
export function readText(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageFailure(`${file}: ${error instanceof Error ? error.message : error}`);
  });
}
