// From how a command went to its exit code, and to what is said on stderr when it did not go well.
import { type ConnectionOptions, namedConfigFile } from './connection-options.js';
import { CommandFailure, exitCodes, failureDocument, Misnamed, NoDaemon } from './failures.js';
import { nextSteps } from './next-steps.js';
import type { Output } from './output/output.js';

interface Circumstances {
  readonly output: Output;
  readonly options: Pick<ConnectionOptions, 'config'>;
  readonly stopped: AbortSignal;
}

/** Why a command is stopped before its end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Runs it. Unexpected errors are thrown on. */
export async function endAs(
  run: () => Promise<number | undefined>,
  { output, options, stopped }: Circumstances,
): Promise<number> {
  try {
    return (await run()) ?? exitCodes.ok;
  } catch (error) {
    if (stopped.aborted) return stopped.reason instanceof Interrupted ? exitCodes.interrupted : exitCodes.ok;
    const failure = error instanceof CommandFailure ? error : await foreseen(error, options);
    if (failure === undefined) throw error;
    if (output.isJson) output.item(failureDocument(failure.message, failure.exitCode, failure.envelope), () => '');
    output.note(failure.message);
    return failure.exitCode;
  }
}

/** The errors that the client and the host throw. Their modules are already loaded when one of them arrives. */
async function foreseen(error: unknown, options: Circumstances['options']): Promise<CommandFailure | undefined> {
  if (error instanceof Misnamed) {
    const failure = await foreseen(error.cause, options);
    if (failure === undefined) return undefined;
    return new CommandFailure(`${failure.message}\ndid you mean ${error.near.join(', ')}?`, failure.envelope);
  }
  const { ApiError, UnexpectedAnswerError, UnreachableError } = await import('@portico/client');
  const config = namedConfigFile(options);
  if (error instanceof ApiError)
    return new CommandFailure(
      [`${error.code}: ${toFlags(error.message)}`, ...nextSteps(error)].join('\n'),
      error.envelope,
    );
  if (error instanceof UnreachableError) return new NoDaemon(error.url, config, reasonOf(error));
  if (error instanceof UnexpectedAnswerError)
    return Object.assign(new CommandFailure(error.message), { exitCode: exitCodes.noDaemon });
  const { AuditFileError, ConfigError, EnvironmentError, StateDirectoryError, StorageError } = await import(
    '@portico/host'
  );
  const refusals = [AuditFileError, ConfigError, EnvironmentError, StateDirectoryError, StorageError];
  if (!(error instanceof Error) || !refusals.some((refusal) => error instanceof refusal)) return undefined;
  return Object.assign(new CommandFailure(error.message), { exitCode: exitCodes.usage });
}

const flags: Readonly<Record<string, string>> = {
  actor_id: '--actor',
  capability_id: '--capability',
  end_time: '--until',
  event_type: '--type',
  q: '--text',
  server_id: '--server',
  start_time: '--since',
  trace_id: '--trace',
};

/** The service names what its query string has; here it came from flags. */
function toFlags(message: string): string {
  return message.replace(
    /^query ([a-z_]+):/,
    (_, name: string) => `${flags[name] ?? `--${name.replaceAll('_', '-')}`}:`,
  );
}

function reasonOf({ message, url }: Error & { readonly url: string }): string {
  return message.replace(`no answer from ${url}: `, '');
}
