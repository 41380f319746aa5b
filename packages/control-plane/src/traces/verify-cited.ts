// Whether records that are cited are in their places in the hash chain: each is held against the records beside it.
import {
  type AuditRecord,
  createChainCheck,
  genesisHead,
  type Head,
  parseRecordId,
  readLink,
  recordId,
  recordLine,
} from '@portico/audit-chain';
import type { Reads } from './trace-records.js';

export interface Verified {
  readonly verified: boolean | 'unknown';
  /** In words. */
  readonly verification: string;
}

/** Records that are looked at: each takes two others. */
const maxVerified = 50;
/** Each uses at most three connections of PostgreSQL, which calls need as well. */
const verifiedAtOnce = 2;
const oldestOnly = { maxRecords: 1, maxCharacters: 1 };

type Chain = Pick<Reads, 'get' | 'after' | 'head'>;

/** @param saysErrors whether the reason of a failed read is given: it may name files */
export async function verifyCited(audit: Chain, ids: readonly string[], saysErrors: boolean): Promise<Verified> {
  if (ids.length === 0) return { verified: 'unknown', verification: 'no record is cited' };
  const looked = ids.slice(0, maxVerified);
  try {
    return (await wrongOrUnknown(audit, looked)) ?? inTheirPlaces(looked.length, ids.length);
  } catch (error) {
    const reason = saysErrors && error instanceof Error ? `: ${error.message}` : '';
    return { verified: 'unknown', verification: `the audit log cannot be read now${reason}` };
  }
}

function inTheirPlaces(looked: number, cited: number): Verified {
  if (looked < cited) {
    return {
      verified: 'unknown',
      verification: `${looked} of ${cited} cited records were checked, and are in their places`,
    };
  }
  const records = cited === 1 ? 'the cited record is in its place' : `the ${cited} cited records are in their places`;
  return {
    verified: true,
    verification: `${records} in the hash chain, with those beside ${cited === 1 ? 'it' : 'them'}`,
  };
}

async function wrongOrUnknown(audit: Chain, ids: readonly string[]): Promise<Verified | undefined> {
  const own = { head: audit.head(), oldest: oldestOf(audit) }; // the head before the reads: later records follow it
  const unknown: string[] = [];
  await own.oldest;
  for (let first = 0; first < ids.length; first += verifiedAtOnce) {
    const some = ids.slice(first, first + verifiedAtOnce);
    const found = await Promise.allSettled(some.map((id) => problemOf(audit, own, id)));
    for (const [index, each] of found.entries()) {
      if (each.status === 'rejected') throw each.reason; // behind the problems of those before it
      if (each.value === 'unknown') unknown.push(some[index] ?? '');
      else if (each.value !== undefined)
        return { verified: false, verification: `${each.value}; portico audit verify checks the whole log` };
    }
  }
  if (unknown.length === 0) return undefined;
  const what = `the records before ${unknown.join(', ')} are not there to be compared with`;
  return { verified: 'unknown', verification: `${what}: they were removed by age, or given up by a log in memory` };
}

/** The chain of this daemon, whose end it knows; ends of other chains are not known. */
interface OwnChain {
  readonly head: Head;
  /** Its oldest record; undefined for an empty log. */
  readonly oldest: Promise<AuditRecord | undefined>;
}

async function oldestOf(audit: Chain): Promise<AuditRecord | undefined> {
  const [oldest] = await audit.after(0, oldestOnly);
  return oldest;
}

/** The problem of a record or its neighbours; undefined without one. Rejects if one cannot be read. */
async function problemOf(audit: Chain, own: OwnChain, id: string): Promise<string | 'unknown' | undefined> {
  const place = parseRecordId(id);
  if (place === undefined) return `${id} is no id of a record`;
  const { seq, chainId } = place;
  const at = (position: number) => audit.get(recordId(position, chainId));
  const beside = [seq === 1 ? undefined : at(seq - 1), at(seq), at(seq + 1)] as const;
  const [oldest, before, record, after] = await Promise.all([own.oldest, ...beside]);
  const head = oldest?.chain_id === chainId ? own.head : undefined;
  if (record === undefined) return `record ${id} cannot be read in its place`;
  const broken = linkProblem([before, record, after], chainId);
  if (broken !== undefined) return broken;
  if (head !== undefined && after === undefined && seq < head.seq)
    return `record ${recordId(seq + 1, chainId)} is missing: the log goes on to record ${head.seq}`;
  if (head?.seq === seq && head.hash !== record.hash)
    return `record ${id} is not the one that the service wrote last: its hash is another`;
  if (before !== undefined || seq === 1) return undefined;
  // Age removes the oldest records only, and may just have done so.
  const older = head === undefined ? seq > 2 && (await at(seq - 2)) : await oldestOf(audit);
  return older && older.seq < seq
    ? `record ${recordId(seq - 1, chainId)} is missing: older records are there`
    : 'unknown';
}

function linkProblem(beside: readonly (AuditRecord | undefined)[], chainId: string | undefined): string | undefined {
  const segment = beside.filter((each) => each !== undefined);
  const [first] = segment;
  if (first === undefined) return undefined;
  const start = first.seq === 1 ? genesisHead : { seq: first.seq - 1, hash: first.prev_hash };
  const check = createChainCheck({ start, chainId });
  for (const each of segment) check.push(readLink(recordLine(each)));
  const { failure } = check.outcome();
  return failure && `record ${failure.id}: ${failure.problem}`;
}
