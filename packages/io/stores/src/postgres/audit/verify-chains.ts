// Verifies every chain in the database, of live and of ended daemons: each from its first record to its head, in one
// snapshot, and that the columns match the records.
import {
  type AuditRecord,
  type ChainReport,
  createChainCheck,
  type Head,
  type LinkReading,
  readLink,
  recordId,
  toChainReport,
  toLogReport,
  type VerificationReport,
  type Witness,
} from '@portico/audit-chain';
import { parseJson } from '@portico/contracts';
import type { Log } from '@portico/control-plane';
import type { Kysely, Transaction } from 'kysely';
import { checkSignatures } from '../../audit/checkpoints/check-signatures.js';
import type { Checkpointer } from '../../audit/checkpoints/checkpointer.js';
import type { PublicKey } from '../../audit/checkpoints/public-keys.js';
import { chainOfKey, everyChainKey } from '../../audit/log-key.js';
import type { Writer } from '../../audit/writer.js';
import type { AuditRecordRow, Tables } from '../../tables.js';
import { readCheckpointRows } from './checkpoint-rows.js';
import { columnsOf } from './record-row.js';
import { mayBeNull, readChain } from './record-rows.js';

export interface VerifyChainsDeps {
  readonly reads: Kysely<Tables>;
  readonly chainId: string;
  readonly writer: Pick<Writer, 'atRest' | 'head' | 'unavailable'>;
  readonly log: Log;
  /** Undefined if nothing is signed. */
  readonly signing?: ChainSigning | undefined;
}

export interface ChainSigning {
  readonly checkpointer: Pick<Checkpointer, 'signedSeq'>;
  /** That the daemon signs and has signed with. */
  readonly publicKeys: () => Promise<readonly PublicKey[]>;
}

const atATime = { maxRecords: 1000, maxBytes: 8 * 1024 * 1024 };
const progressMs = 2000;

export async function verifyChains(deps: VerifyChainsDeps): Promise<VerificationReport> {
  const { reads, chainId, writer, log, signing } = deps;
  const seq = signing?.checkpointer.signedSeq() ?? 0; // before the snapshot: what is signed later is not expected
  const keys = await signing?.publicKeys();
  const snapshot = reads.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (trx) => {
    // The first statement is what the snapshot is of.
    const { heads, own } = await writer.atRest(async () => ({ heads: await readHeads(trx), own: writer.head() }));
    const isOwnKnown = writer.unavailable() === undefined; // else a batch may be there whose answer was lost
    const signatures = keys && checkSignatures(await readCheckpointRows(trx), keys, { seq, chainId });
    const rows = await trx.selectFrom('audit_records').select('chain_id').distinct().execute();
    const chainIds = [...new Set([...rows.map((row) => row.chain_id), ...heads.keys()])].sort();
    const reports: ChainReport[] = [];
    const progress = createProgress(log);
    for (const id of chainIds) {
      const known = id === chainId && isOwnKnown ? own : undefined;
      reports.push(await verifyChain(trx, id, { head: heads.get(id), known, progress, witness: signatures?.witness }));
    }
    const report = toLogReport(reports);
    return signatures?.complete(report) ?? report;
  });
}

async function readHeads(trx: Transaction<Tables>): Promise<ReadonlyMap<string, Head>> {
  const rows = await trx
    .selectFrom('audit_heads')
    .select(['log', 'seq', 'hash'])
    .where('log', 'like', everyChainKey)
    .execute();
  return new Map(rows.map(({ log, seq, hash }) => [chainOfKey(log), { seq, hash }]));
}

interface Ends {
  /** As the database has it. */
  readonly head: Head | undefined;
  /** As this process knows it, of its own chain. */
  readonly known: Head | undefined;
  readonly progress: (records: number) => void;
  readonly witness: Witness | undefined;
}

async function verifyChain(
  trx: Transaction<Tables>,
  chainId: string,
  { head, known, progress, witness }: Ends,
): Promise<ChainReport> {
  const check = createChainCheck({ chainId, expectedHead: known ?? head, witness });
  let beforeMs = 0;
  let seq = Number.MIN_SAFE_INTEGER;
  for (let rows = await readChain(trx, chainId, seq, atATime); rows.length > 0; ) {
    for (const row of rows) {
      check.push(readRow(row, beforeMs));
      beforeMs = row.order_ms;
      seq = row.seq;
    }
    progress(rows.length);
    rows = await readChain(trx, chainId, seq, atATime);
  }
  const report = toChainReport(chainId, check.outcome());
  const problem = headProblem(head, known);
  if (!report.is_valid || problem === undefined) return report;
  const first_corrupted_id = recordId(report.total_records + 1, chainId);
  return { ...report, is_valid: false, first_corrupted_id, details: `its records are whole, but ${problem}` };
}

function headProblem(head: Head | undefined, known: Head | undefined): string | undefined {
  if (head === undefined) return 'its head was removed: it is unknown whether its end was cut off';
  if (known === undefined || (known.seq === head.seq && known.hash === head.hash)) return undefined;
  return 'its head is not the one that this daemon has left there';
}

/** Reads a row whose columns match its record. */
function readRow(row: AuditRecordRow, beforeMs: number): LinkReading {
  const reading = readLink(row.line);
  if (!reading.ok) return reading;
  const record: AuditRecord = reading.link.record ?? parseJson(row.line);
  const columns = Object.entries(columnsOf(record, beforeMs));
  const wrong = columns.find(([name, value]) => {
    const inRow = row[name as keyof AuditRecordRow]; // its columns are those of rows
    return inRow !== value && !(inRow === null && mayBeNull(name)); // null hides nothing: the line is searched then
  });
  return wrong === undefined ? reading : { ok: false, problem: `its column ${wrong[0]} is not what the record has` };
}

function createProgress(log: Log): (records: number) => void {
  let verified = 0;
  let reportedAt = performance.now();
  return (records) => {
    verified += records;
    if (performance.now() - reportedAt < progressMs) return;
    reportedAt = performance.now();
    log('info', 'the audit log is being verified', { records: verified });
  };
}
