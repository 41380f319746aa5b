// Failures that end a command, each with the exit code that scripts rely on.
import { existsSync } from 'node:fs';
import type { ErrorEnvelope } from '@portico/contracts';

export const exitCodes = Object.freeze({
  ok: 0,
  failed: 1,
  usage: 2,
  noDaemon: 3,
  /** Verdicts of `policy test`: a person would decide, it would be refused, its arguments do not fit. */
  held: 10,
  refused: 11,
  unfit: 12,
  interrupted: 130,
});

/** The operation was understood and did not work. */
export class CommandFailure extends Error {
  override readonly name: string = 'CommandFailure';
  readonly exitCode: number = exitCodes.failed;
  /** The answer of the service, if there was one. */
  readonly envelope: ErrorEnvelope | undefined;

  constructor(message: string, envelope?: ErrorEnvelope) {
    super(message);
    this.envelope = envelope;
  }
}

/** For `--json`: the envelope of the service; of a failure of the command itself the same fields with `code: null`. */
export function failureDocument(message: string, exitCode: number, envelope?: ErrorEnvelope): object {
  return envelope ?? { ok: false, error: { code: null, message, retryable: false }, exit_code: exitCode };
}

/** The service knows nothing of a name that is close to others. */
export class Misnamed extends Error {
  override readonly name = 'Misnamed';
  readonly near: readonly string[];

  constructor(cause: Error, near: readonly string[]) {
    super(cause.message, { cause });
    this.near = near;
  }
}

/** A flag, an argument or a file cannot be used. */
export class UsageFailure extends CommandFailure {
  override readonly name = 'UsageFailure';
  override readonly exitCode = exitCodes.usage;
}

export class NoDaemon extends CommandFailure {
  override readonly name = 'NoDaemon';
  override readonly exitCode = exitCodes.noDaemon;

  /** @param reason why, where it is known */
  constructor(url: string, configFile: string, reason?: string) {
    const why = reason === undefined ? '' : ` (${reason})`;
    const next = existsSync(configFile)
      ? `start one with "portico daemon --config ${configFile}"`
      : `there is no ${configFile} either: write one with "portico init", or name a daemon with --url`;
    super(`no daemon answers at ${url}${why}; ${next}`);
  }
}
