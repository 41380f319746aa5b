// The audit log in PostgreSQL: a chain for each daemon, and one log of all of them to readers.
// Puts together what writes, reads and verifies it; the rules are in their files.
import type { Log } from '@portico/control-plane';
import { createAuditAppender } from '../../audit/audit-appender.js';
import { createCheckpointer, type SigningOptions } from '../../audit/checkpoints/checkpointer.js';
import { readPublicKeys } from '../../audit/checkpoints/signing-key.js';
import { type Counts, openCounters } from '../../audit/counters.js';
import { type KeptLog, toAuditLog } from '../../audit/kept-log.js';
import { createListeners } from '../../audit/listeners.js';
import { chainKey } from '../../audit/log-key.js';
import type { Recovery } from '../../audit/recover.js';
import { createWriter, type WritingOptions } from '../../audit/writer.js';
import type { StateDatabase } from '../../database.js';
import { type Chain, openChain } from './chain.js';
import { createChainQueries } from './chain-queries.js';
import { checkpointRowLines, createCheckpointRows } from './checkpoint-rows.js';
import { fillColumns } from './fill-columns.js';
import { verifyChains } from './verify-chains.js';

export interface PostgresAuditOptions extends WritingOptions {
  readonly database: StateDatabase;
  /** Id of the state directory. */
  readonly chainId: string;
  readonly stateDirectory: string;
  /** How where the chain stands is signed; undefined signs nothing. */
  readonly signing?: SigningOptions | undefined;
}

/** Goes on with the chain where it ends. @throws AuditFileError if its end was edited */
export async function openPostgresAudit(options: PostgresAuditOptions): Promise<KeptLog> {
  const { database, chainId, stateDirectory, clock, log, isStrict } = options;
  const chain = await openChain(options);
  const counters = openCounters(stateDirectory, chainKey(chainId), log);
  const recovery = recoveryOf(chain, counters.before);
  if (recovery.gap !== undefined) reportRecovery(recovery.gap, chainId, log);
  const listeners = createListeners();
  const writer = createWriter({
    ...options,
    named: { chain: chainId },
    start: chain.start,
    append: chain.append,
    onKept() {
      appender.kept();
      checkpointer?.kept();
      listeners.notify();
    },
    onAvailable: (outage) => appender.available(outage),
  });
  const appender = createAuditAppender({ writer, counters, clock, recovery, isStrict });
  const checkpointer =
    options.signing &&
    createCheckpointer({
      ...options.signing,
      store: createCheckpointRows(database, chainId),
      clock,
      log,
      sync: async () => {}, // what is committed is on disk
      head: writer.head,
      chainId: async () => chainId,
    });
  const queries = createChainQueries({ reads: database.reads, chainId, clock, log });
  const signing = checkpointer && { checkpointer, publicKeys: () => readPublicKeys(stateDirectory) };
  const verify = () => verifyChains({ reads: database.reads, chainId, writer, log, signing });
  const checkpoints = () => checkpointRowLines(database.reads);
  const closing = new AbortController();
  const filling = fillColumns({ database, log, signal: closing.signal });
  return {
    ...toAuditLog({ writer, appender, queries, listeners, verify, checkpoints }),
    async close() {
      closing.abort();
      await filling;
      const left = await writer.close();
      if (left > 0)
        log('error', 'records of the audit log could not be written and are lost', { chain: chainId, records: left });
      await checkpointer?.close();
      appender.close();
      counters.close();
    },
  };
}

type Found = Pick<Recovery, 'head' | 'lost' | 'gap'>;

/** Compares the counters of the last process with the rows of the database. */
function recoveryOf({ start, missing }: Chain, counters: Counts | undefined): Found {
  const lost = {
    records: Math.max(0, (counters?.issued ?? 0) - start.seq),
    actions: Math.max(0, (counters?.begun ?? 0) - (counters?.ended ?? 0)),
  };
  const isUnclean = lost.records + lost.actions > 0;
  if (missing === undefined && !isUnclean) return { head: start, lost, gap: undefined };
  const details = {
    ...missing,
    ...(counters !== undefined && { lost_records: lost.records, unfinished_actions: lost.actions }),
  };
  return { head: start, lost, gap: { reason: missing === undefined ? 'unclean_stop' : 'records_missing', details } };
}

function reportRecovery({ reason, details }: NonNullable<Found['gap']>, chainId: string, log: Log): void {
  const isMissing = reason === 'records_missing';
  const words = isMissing
    ? 'records of the audit log were removed from the database while the service was stopped'
    : 'the service was not stopped in order: actions may have left no record';
  log(isMissing ? 'error' : 'warn', words, { chain: chainId, ...details });
}
