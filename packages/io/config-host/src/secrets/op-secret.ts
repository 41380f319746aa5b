// `op://vault/item/field`, read by the 1Password command line: `op read URI`. Its stderr is not repeated, since it
// names vaults and items.
import { type ExecFileException, execFile } from 'node:child_process';
import type { SecretLookup } from '@portico/contracts';
import { found, missing } from './secret-lookup.js';

export interface OpOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** More than any key or certificate, and what a child's environment can hold. */
const maxBytes = 64 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Runs no shell; the URI cannot be an option, since it begins with `op://`. @throws the reason of an aborted signal */
export function readOpSecret(uri: string, { env, limitMs, signal }: OpOptions): Promise<SecretLookup> {
  if (uri.includes('\0')) return Promise.resolve(missing('holds a NUL character'));
  return new Promise((resolve, reject) => {
    const child = execFile(
      'op',
      ['read', uri],
      {
        env,
        encoding: 'buffer',
        timeout: limitMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxBytes,
        signal,
        windowsHide: true,
      },
      (error, stdout) => {
        if (signal.aborted) return reject(signal.reason);
        resolve(error === null ? decode(stdout) : missing(`cannot be read: ${reasonOf(error, limitMs)}`));
      },
    );
    child.stdin?.on('error', () => {}); // it may have ended already
    child.stdin?.end();
  });
}

/** The value as it is, less the one line end that `op` puts behind it. */
function decode(stdout: Buffer): SecretLookup {
  try {
    return found(utf8.decode(stdout).replace(/\r?\n$/, ''));
  } catch {
    return missing('cannot be used: op gave bytes that are no text (UTF-8)');
  }
}

function reasonOf(error: ExecFileException, limitMs: number): string {
  switch (error.code) {
    case 'ENOENT':
      return 'the command op (1Password CLI) is not on the PATH of the service';
    case 'EACCES':
      return 'the command op (1Password CLI) may not be run';
    case 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER':
      return `op gave more than ${maxBytes} bytes`;
    default: {
      if (error.killed === true) return `op gave no answer within ${limitMs} ms; it may wait to be unlocked`;
      const code = typeof error.code === 'number' ? ` with code ${error.code}` : '';
      return `op ended${code}; run "op read" with this URI to see why`;
    }
  }
}
