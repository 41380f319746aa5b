// `portico audit verify [FILE]`: checks the hash chain; of a file offline, without a daemon and without writing anything.
import { readFile } from 'node:fs/promises';
import type { VerificationReport } from '@portico/host';
import { type Command, InvalidArgumentError } from 'commander';
import { addConnectionFlags, addOfflineCommand, type CommonOptions, type Shell } from '../command.js';
import { openConnection } from '../connection.js';
import { exitCodes, UsageFailure } from '../failures.js';
import { requireKeptLog } from './kept-log.js';

interface Options {
  readonly head?: string;
  readonly key?: string;
  readonly checkpoints?: string;
}

export function addAuditVerify(group: Command, shell: Shell): void {
  addOfflineCommand<[string | undefined], Options>(group, shell, {
    usage: 'verify [file]',
    summary: 'Check the hash chain: of a log file offline; without a file, that of the service',
    examples: [
      'audit verify audit.jsonl',
      'audit verify audit.jsonl --head 3f0e…',
      'audit verify audit.jsonl --key audit.pub',
      'audit verify',
    ],
    flags: (command) =>
      addConnectionFlags(command)
        .option('--head <hash>', 'hash of the record that must be the last: finds a log that was cut off', toHash)
        .option('--key <key>', 'public key that signed the checkpoints: a PEM file, or the key in base64 (audit key)')
        .option('--checkpoints <file>', 'the signed checkpoints (default: FILE.checkpoints); goes with --key'),
    async run(output, [file], options, stopped) {
      const clear = output.progress('reading the log');
      const report = await (file === undefined ? verifyService(options, stopped) : verifyFile(file, options)).finally(
        clear,
      );
      output.answer(report, () => output.line(toText(file ?? 'audit log', report)));
      return report.is_valid ? exitCodes.ok : exitCodes.failed;
    },
  });
}

async function verifyFile(file: string, { head, key, checkpoints }: Options): Promise<VerificationReport> {
  if (checkpoints !== undefined && key === undefined) throw new UsageFailure('--checkpoints goes with --key');
  const { verifyAuditFile } = await import('@portico/host');
  const trusted = key === undefined ? undefined : { keys: await readKeys(key), file: checkpoints };
  return verifyAuditFile(file, { expectedHead: head, checkpoints: trusted });
}

async function readKeys(key: string) {
  const { parsePublicKeys } = await import('@portico/host');
  const keys = parsePublicKeys(await readFile(key, 'utf8').catch(() => key)); // where there is no such file it is the key
  if (keys.length > 0) return keys;
  throw new UsageFailure(`--key ${key}: expected a file with an Ed25519 public key in PEM, or the key in base64`);
}

async function verifyService(options: Options & CommonOptions, stopped: AbortSignal): Promise<VerificationReport> {
  if (options.head !== undefined) throw new UsageFailure('--head goes with a file; a service knows its head by itself');
  if (options.key !== undefined) throw new UsageFailure('--key goes with a file; a service knows its keys by itself');
  const connection = await openConnection({ ...options, inProcess: 'fallback', stopped });
  try {
    await requireKeptLog(connection);
    return (await connection.client.verifyAudit()).report;
  } finally {
    await connection.close();
  }
}

function toText(name: string, report: VerificationReport): string {
  const { is_valid, total_records, verified_records, details, checkpoints } = report;
  const words = checkpoints === undefined ? details : `${details}\ncheckpoints: ${checkpoints.details}`;
  if (is_valid) return `${name}: valid, ${total_records} records; ${words}`;
  return `${name}: NOT VALID after ${verified_records} of ${total_records} records; ${words}`;
}

function toHash(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('expected a SHA-256 hash, 64 hexadecimal digits');
  return text.toLowerCase();
}
