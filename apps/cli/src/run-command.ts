// From arguments to the command they name, one file each. A command says what it found by its exit code.
import { version } from '@portico/host';
import { Command, CommanderError } from 'commander';
import { addAuditVerify } from './audit/verify.js';
import { addServices } from './serve.js';

/**
 * Resolves with the exit code: 0 for done, 1 where the answer is no, 2 for what cannot be used as it was given.
 * @param argv arguments behind the program's name
 */
export async function runCommand(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const finish = (code: number) => {
    exitCode = code;
  };
  const program = new Command('portico').description('A control plane between AI agents and MCP servers.');
  program.version(version).enablePositionalOptions().exitOverride();
  addServices(program);
  const audit = program.command('audit').description('The audit log').exitOverride();
  addAuditVerify(audit, finish);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
}
