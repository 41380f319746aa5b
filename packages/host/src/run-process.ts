// From a piece of work to the end of the process: its exit code, and what is said on stderr when it could not begin.
import { ConfigError } from '@portico/config-host';
import { AuditFileError, StateDirectoryError, StorageError } from '@portico/stores';
import { EnvironmentError } from '@portico/telemetry';
import { ListenError } from './listening/listen.js';

/** Errors that the user can fix: flags, configuration, environment, state directory, database, audit file, port. */
const refusals = [
  AuditFileError,
  ConfigError,
  EnvironmentError,
  StateDirectoryError,
  StorageError,
  ListenError,
] as const;

/** Ends the process: 0 when the work is done, 2 when something it was given cannot be used, 1 after a defect. */
export async function runProcess(work: () => Promise<void>): Promise<never> {
  try {
    await work();
  } catch (error) {
    const { code, text } = failureOf(error);
    process.stderr.write(`${text}\n`);
    process.exit(code);
  }
  process.exit(0);
}

/** How a process ends that failed with this, and what it says on stderr. */
export function failureOf(error: unknown): { readonly code: 1 | 2; readonly text: string } {
  const isRefusal = refusals.some((refusal) => error instanceof refusal);
  if (!(error instanceof Error)) return { code: 1, text: String(error) };
  return isRefusal ? { code: 2, text: error.message } : { code: 1, text: error.stack ?? error.message };
}

/** Resolves with the name of the first stop signal. Later ones change nothing: the stop is bounded by itself. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
  });
}
