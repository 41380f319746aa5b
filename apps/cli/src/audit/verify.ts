// `portico audit verify FILE`: checks the hash chain of an audit log, without a daemon and without writing anything.
import { AuditFileError, type VerificationReport, verifyAuditFile } from '@portico/host';
import { type Command, InvalidArgumentError } from 'commander';

interface Options {
  readonly head?: string;
  readonly json?: true;
}

/** Exits with 0 for a whole log, 1 for one that is not, 2 for a file that cannot be read. */
export function addAuditVerify(audit: Command, finish: (exitCode: number) => void): void {
  audit
    .command('verify')
    .description('Check the hash chain of an audit log, offline')
    .argument('<file>', 'the log, one JSON line a record')
    .option('--head <hash>', 'hash of the record that must be the last: finds a log that was cut off', toHash)
    .option('--json', 'print the report as JSON')
    .exitOverride()
    .action(async (file: string, { head, json }: Options) => {
      const report = await verifyAuditFile(file, head === undefined ? {} : { expectedHead: head }).catch(unreadable);
      if (report === undefined) return finish(2);
      process.stdout.write(`${json === true ? JSON.stringify(report) : toText(file, report)}\n`);
      finish(report.is_valid ? 0 : 1);
    });
}

function toText(file: string, { is_valid, total_records, verified_records, details }: VerificationReport): string {
  if (is_valid) return `${file}: valid, ${total_records} records; ${details}`;
  return `${file}: NOT VALID after ${verified_records} of ${total_records} records; ${details}`;
}

function unreadable(error: unknown): undefined {
  if (!(error instanceof AuditFileError)) throw error;
  process.stderr.write(`${error.message}\n`);
  return undefined;
}

function toHash(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('expected a SHA-256 hash, 64 hexadecimal digits');
  return text.toLowerCase();
}
