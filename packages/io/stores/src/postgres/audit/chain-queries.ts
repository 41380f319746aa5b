// Queries over the records of all daemons on the database: pages, single records, counts and streams. Only `after`,
// which streams to SIEM targets, covers the chain of this daemon alone.
import {
  type AuditFilter,
  type AuditRecord,
  type AuditStats,
  createStats,
  matchesFilter,
  parseRecordId,
} from '@portico/audit-chain';
import { auditChannels } from '@portico/contracts';
import type { Log } from '@portico/control-plane';
import { type Kysely, sql } from 'kysely';
import { isEmptyFilter } from '../../audit/block-match.js';
import type { AuditClock } from '../../audit/clock.js';
import { everyChainKey } from '../../audit/log-key.js';
import type { Queries } from '../../audit/queries.js';
import { asksForText, textTestOf } from '../../audit/text-test.js';
import type { Tables } from '../../tables.js';
import { countSeries, countUsage, wholeNameOf } from './count-calls.js';
import { maxTermLength } from './record-row.js';
import {
  asksForId,
  conditionsOf,
  createToRecord,
  type PlacedLine,
  readChain,
  readRows,
  type ToRecord,
} from './record-rows.js';

export interface ChainQueriesDeps {
  readonly reads: Kysely<Tables>;
  readonly chainId: string;
  readonly clock: AuditClock;
  readonly log: Log;
}

const rowsAtATime = 500;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Size of a page, in characters, before its last record. */
const maxPageCharacters = 8 * 1024 * 1024;

export function createChainQueries({ reads, chainId, clock, log }: ChainQueriesDeps): Queries {
  const toRecord = createToRecord(log);

  /** All rows that columns let through, a portion at a time. */
  async function* scan(filter: AuditFilter, direction: 'asc' | 'desc'): AsyncGenerator<PlacedLine> {
    for (let after: PlacedLine | undefined; ; ) {
      const rows = await readRows(reads, { filter, direction, after, limit: rowsAtATime });
      yield* rows;
      after = rows.at(-1);
      if (after === undefined) return;
    }
  }

  /** Records that match, with the lengths of their lines. */
  async function* matches(filter: AuditFilter): AsyncGenerator<readonly [AuditRecord, number]> {
    const mayMatch = textTestOf(filter);
    for await (const row of scan(filter, 'desc')) {
      const record = mayMatch(row.line) ? toRecord(row) : undefined;
      if (record !== undefined && matchesFilter(record, filter)) yield [record, row.line.length];
    }
  }
  const counting = { reads, toRecord, search: matches };

  /** Searches records whose texts have to be read. */
  const search: Queries['list'] = async (filter, { limit, offset, countsAll = true }) => {
    const events: AuditRecord[] = [];
    let total = 0;
    let characters = 0;
    for await (const [record, length] of matches(filter)) {
      total += 1;
      if (total <= offset) continue;
      if (events.length >= limit || characters >= maxPageCharacters) {
        if (countsAll) continue;
        break;
      }
      characters += length;
      events.push(record);
    }
    return { events, total };
  };

  return {
    async list(filter, page) {
      if (asksForText(filter) || asksForId(filter)) return search(filter, page);
      const { limit, offset, countsAll = true } = page;
      const most = countsAll ? undefined : offset + limit + 1;
      const rows = await readRows(reads, { filter, direction: 'desc', limit, offset });
      return { events: rows.flatMap((row) => toRecord(row) ?? []), total: await countMatching(reads, filter, most) };
    },
    async get(id) {
      const { chainId: chain, seq } = parseRecordId(id) ?? {};
      if (chain === undefined || seq === undefined) return undefined;
      const row = await reads
        .selectFrom('audit_records')
        .select(['chain_id', 'seq', 'line'])
        .where('chain_id', '=', chain)
        .where('seq', '=', seq)
        .executeTakeFirst();
      const record = row && toRecord(row);
      return record?.id === id ? record : undefined;
    },
    stats: () => countKinds(reads, toRecord, clock.epochMs()),
    series: (filter, span) => countSeries(counting, filter, span),
    usage: (filter, most, by) => countUsage(counting, filter, most, by),
    async *records(filter, lastSeq) {
      const ends = await readEnds(reads);
      const lastMs = Math.max(...ends.map((end) => end.order_ms));
      const lastSeqs = new Map(ends.map((end) => [end.chain_id, end.seq]));
      lastSeqs.set(chainId, Math.min(lastSeq, lastSeqs.get(chainId) ?? 0));
      const mayMatch = textTestOf(filter);
      for await (const row of scan(filter, 'asc')) {
        if (row.order_ms > lastMs) return;
        if (row.seq > (lastSeqs.get(row.chain_id) ?? 0) || !mayMatch(row.line)) continue; // it has come since
        const record = toRecord(row);
        if (record !== undefined && matchesFilter(record, filter)) yield record;
      }
    },
    async after(seq, { maxRecords, maxCharacters }) {
      for (let last = seq; ; ) {
        const rows = await readChain(reads, chainId, last, { maxRecords, maxBytes: maxCharacters });
        const records = rows.flatMap((row) => toRecord(row) ?? []);
        last = rows.at(-1)?.seq ?? last;
        if (records.length > 0 || rows.length === 0) return records;
      }
    },
  };
}

/** @param most where it ends; undefined for all */
async function countMatching(reads: Kysely<Tables>, filter: AuditFilter, most: number | undefined): Promise<number> {
  if (isEmptyFilter(filter)) return countAll(reads);
  const matches = reads.selectFrom('audit_records').select('seq').where(conditionsOf(filter));
  const row = await reads
    .selectFrom((most === undefined ? matches : matches.limit(most)).as('matches'))
    .select((eb) => eb.fn.countAll<string>().as('records'))
    .executeTakeFirst();
  return Number(row?.records ?? 0);
}

/** As the heads have it: no chain has gaps, and a count of all rows would read them all. */
async function countAll(reads: Kysely<Tables>): Promise<number> {
  const row = await reads
    .selectFrom('audit_heads')
    .select((eb) => eb.fn.sum<string | null>('seq').as('records'))
    .where('log', 'like', everyChainKey)
    .executeTakeFirst();
  return Number(row?.records ?? 0);
}

/** The last record of each chain. */
function readEnds(reads: Kysely<Tables>) {
  return reads
    .selectFrom('audit_records')
    .select('chain_id')
    .select((eb) => [eb.fn.max('seq').as('seq'), eb.fn.max('order_ms').as('order_ms')])
    .groupBy('chain_id')
    .execute();
}

/** The client of rows whose column is null: they are being filled in, or their line is no record any more. */
const unfilled = 'unknown';

/** The chain and `seq` of one row of each group whose client is not whole in its column; null for others. */
const firstOfLongClients = sql<
  string | null
>`min(chain_id || ' ' || seq) filter (where char_length(client) > ${sql.lit(maxTermLength)})`;

interface ClientRow {
  readonly client: string | null;
  readonly place: string | null;
}

/** The whole names of clients by what their columns hold, of those that are too long for one. */
async function readClientNames(
  reads: Kysely<Tables>,
  toRecord: ToRecord,
  kinds: readonly ClientRow[],
): Promise<ReadonlyMap<string, string>> {
  const places = new Map(kinds.flatMap(({ client, place }) => (client && place ? [[client, place] as const] : [])));
  const names = new Map<string, string>();
  for (const [client, place] of places) {
    const [chain = '', seq] = place.split(' ');
    const row = await reads
      .selectFrom('audit_records')
      .select(['chain_id', 'seq', 'line'])
      .where('chain_id', '=', chain)
      .where('seq', '=', Number(seq))
      .executeTakeFirst();
    const name = row && toRecord(row)?.client?.name;
    if (name !== undefined) names.set(client, name);
  }
  return names;
}

async function countKinds(reads: Kysely<Tables>, toRecord: ToRecord, nowMs: number): Promise<AuditStats> {
  const kinds = await reads
    .selectFrom('audit_records')
    .select(['event_type', 'status', 'capability_id', 'client', 'channel'])
    .select((eb) => eb.fn.countAll<number>().as('records'))
    .select(firstOfLongClients.as('place'))
    .groupBy(['event_type', 'status', 'capability_id', 'client', 'channel'])
    .execute();
  const clientNames = await readClientNames(reads, toRecord, kinds);
  const sinceMs = nowMs - dayMs;
  const hours = await reads
    .selectFrom('audit_records')
    .select(sql<number>`at_ms / ${sql.lit(hourMs)}`.as('hour'))
    .select((eb) => eb.fn.countAll<number>().as('records'))
    .where('order_ms', '>=', sinceMs)
    .where('at_ms', '>=', sinceMs)
    .groupBy('hour')
    .execute();
  const counter = createStats(nowMs);
  for (const { event_type, status, capability_id, client, channel, records: count } of kinds) {
    counter.addCounts({
      total: count,
      byStatus: [[status, count]],
      byEventType: [[event_type, count]],
      byCapability: capability_id === null ? [] : [[capability_id, count]],
      byClient: client === '' ? [] : [[client === null ? unfilled : (clientNames.get(client) ?? client), count]],
      byChannel: auditChannels.filter((each) => each === channel).map((each) => [each, count] as const),
      byHour: [],
    });
  }
  counter.addCounts({
    total: 0,
    byStatus: [],
    byEventType: [],
    byCapability: [],
    byClient: [],
    byChannel: [],
    byHour: hours.map(({ hour, records: count }) => [hour, count] as const),
  });
  return withWholeNames(reads, toRecord, counter.stats());
}

async function withWholeNames(reads: Kysely<Tables>, toRecord: ToRecord, stats: AuditStats): Promise<AuditStats> {
  const by_capability = await Promise.all(
    stats.by_capability.map(async ({ capability_id, count }) => ({
      capability_id: await wholeNameOf(reads, toRecord, capability_id),
      count,
    })),
  );
  return { ...stats, by_capability };
}
