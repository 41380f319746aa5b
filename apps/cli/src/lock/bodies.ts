// Requests of the command to a daemon about the lock, within the limits of a body.
import { readFile } from 'node:fs/promises';
import { type LockAcceptRequest, maxAccepted } from '@portico/contracts';
import { CommandFailure } from '../failures.js';

/** Room for names and punctuation in a body of 4 MiB. */
const maxBodyCharacters = 2_000_000;

/** Splits an acceptance into parts that are sent one after the other. */
export function* inBodies(items: LockAcceptRequest['items']): Generator<LockAcceptRequest['items']> {
  let [part, characters]: [LockAcceptRequest['items'], number] = [[], 0];
  for (const item of items) {
    const own = JSON.stringify(item).length;
    if (part.length > 0 && (part.length === maxAccepted || characters + own > maxBodyCharacters)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(item);
    characters += own;
  }
  yield part;
}

/** @throws CommandFailure for a text that no body has room for */
export async function readForBody(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  const bytes = Buffer.byteLength(JSON.stringify({ lock: text }));
  if (bytes <= maxVerifyBytes) return text;
  const problem = `${path} is too large to be sent to a daemon: ${bytes} bytes, and a body has at most ${maxVerifyBytes}`;
  throw new CommandFailure(`${problem}; use portico lock verify --offline`);
}

const maxVerifyBytes = 4 * 1024 * 1024;
