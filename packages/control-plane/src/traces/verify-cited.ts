// Whether records that are cited are in their places in the hash chain: each is held against the records beside it.
import {
  type AuditRecord,
  createChainCheck,
  genesisHead,
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

export async function verifyCited(audit: Pick<Reads, 'get'>, ids: readonly string[]): Promise<Verified> {
  if (ids.length === 0) return { verified: 'unknown', verification: 'no record is cited' };
  const looked = ids.slice(0, maxVerified);
  const unknown: string[] = [];
  for (const id of looked) {
    const problem = await problemOf(audit, id);
    if (problem === 'unknown') unknown.push(id);
    else if (problem !== undefined)
      return { verified: false, verification: `${problem}; portico audit verify checks the whole log` };
  }
  if (unknown.length > 0) {
    const what = `the records before ${unknown.join(', ')} are not there to be compared with`;
    return { verified: 'unknown', verification: `${what}: they were removed by age, or given up by a log in memory` };
  }
  if (looked.length < ids.length)
    return {
      verified: 'unknown',
      verification: `${looked.length} of ${ids.length} cited records were checked, and are in their places`,
    };
  const records =
    ids.length === 1 ? 'the cited record is in its place' : `the ${ids.length} cited records are in their places`;
  return {
    verified: true,
    verification: `${records} in the hash chain, with those beside ${ids.length === 1 ? 'it' : 'them'}`,
  };
}

/** What is wrong with a record or those beside it; undefined for nothing. */
async function problemOf(audit: Pick<Reads, 'get'>, id: string): Promise<string | 'unknown' | undefined> {
  const place = parseRecordId(id);
  if (place === undefined) return `${id} is no id of a record`;
  const { seq, chainId } = place;
  const at = (position: number) => audit.get(recordId(position, chainId)).catch(() => undefined);
  const [before, record, after] = await Promise.all([seq === 1 ? undefined : at(seq - 1), at(seq), at(seq + 1)]);
  if (record === undefined) return `record ${id} cannot be read in its place`;
  const segment = [before, record, after].filter((each): each is AuditRecord => each !== undefined);
  const [first = record] = segment;
  const start = first.seq === 1 ? genesisHead : { seq: first.seq - 1, hash: first.prev_hash };
  const check = createChainCheck({ start, chainId });
  for (const each of segment) check.push(readLink(recordLine(each)));
  const { failure } = check.outcome();
  if (failure !== undefined) return `record ${failure.id}: ${failure.problem}`;
  return before === undefined && seq > 1 ? 'unknown' : undefined;
}
