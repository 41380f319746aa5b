// `portico audit verify [FILE]`: checks the hash chain; of a file offline, without a daemon and without writing anything.
import type { VerificationReport } from '@portico/host';
import { type Command, InvalidArgumentError } from 'commander';
import { addConnectionFlags, addOfflineCommand, type CommonOptions, type Shell } from '../command.js';
import { openConnection } from '../connection.js';
import { exitCodes, UsageFailure } from '../failures.js';
import { requireKeptLog } from './kept-log.js';

interface Options {
  readonly head?: string;
}

export function addAuditVerify(group: Command, shell: Shell): void {
  addOfflineCommand<[string | undefined], Options>(group, shell, {
    usage: 'verify [file]',
    summary: 'Check the hash chain: of a log file offline, without a file that of the service',
    examples: ['audit verify audit.jsonl', 'audit verify audit.jsonl --head 3f0e…', 'audit verify'],
    flags: (command) =>
      addConnectionFlags(command).option(
        '--head <hash>',
        'hash of the record that must be the last: finds a log that was cut off',
        toHash,
      ),
    async run(output, [file], options, stopped) {
      const clear = output.progress('reading the log');
      const report = await (file === undefined
        ? verifyService(options, stopped)
        : verifyFile(file, options.head)
      ).finally(clear);
      output.answer(report, () => output.line(toText(file ?? 'audit log', report)));
      return report.is_valid ? exitCodes.ok : exitCodes.failed;
    },
  });
}

async function verifyFile(file: string, expectedHead: string | undefined): Promise<VerificationReport> {
  const { verifyAuditFile } = await import('@portico/host');
  return verifyAuditFile(file, expectedHead === undefined ? {} : { expectedHead });
}

async function verifyService(options: Options & CommonOptions, stopped: AbortSignal): Promise<VerificationReport> {
  if (options.head !== undefined) throw new UsageFailure('--head goes with a file; a service knows its head by itself');
  const connection = await openConnection({ ...options, inProcess: 'fallback', stopped });
  try {
    await requireKeptLog(connection);
    return (await connection.client.verifyAudit()).report;
  } finally {
    await connection.close();
  }
}

function toText(name: string, { is_valid, total_records, verified_records, details }: VerificationReport): string {
  if (is_valid) return `${name}: valid, ${total_records} records; ${details}`;
  return `${name}: NOT VALID after ${verified_records} of ${total_records} records; ${details}`;
}

function toHash(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('expected a SHA-256 hash, 64 hexadecimal digits');
  return text.toLowerCase();
}
