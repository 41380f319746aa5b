// From arguments to the command they name, one file each. A command says what it found by its exit code.
import { version } from '@portico/host/place';
import { CommanderError } from 'commander';
import { createProgram } from './create-program.js';
import { Interrupted } from './end-as.js';
import { exitCodes, failureDocument } from './failures.js';

/**
 * Resolves with the exit code: 0 for done, 1 where the operation failed, 2 for what cannot be used as it was given, 3
 * without a daemon, 130 after Ctrl-C.
 * @param argv arguments behind the program's name
 */
export async function runCommand(argv: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Interrupted());
  process.once('SIGINT', interrupt); // the second one ends the process as ever
  const endQuietly = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    stop.abort(error); // the reader has closed the output
  };
  process.stdout.on('error', endQuietly);
  const finish = (code: number) => {
    exitCode = code;
  };
  const program = createProgram(version, { finish, stopped: stop.signal });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.ok;
    if (argv.includes('--json')) {
      const message = error.message.replace(/^error: /, '');
      process.stdout.write(`${JSON.stringify(failureDocument(message, exitCodes.usage))}\n`);
    }
    return exitCodes.usage;
  } finally {
    process.off('SIGINT', interrupt);
    process.stdout.off('error', endQuietly);
  }
}
