// The port to the audit log: what is appended, what is read back, and what holds a call up when it cannot be recorded.
import type {
  AuditDraft,
  AuditFilter,
  AuditRecord,
  AuditStats,
  Head,
  SeriesPoint,
  SeriesSpan,
  Usage,
  UsageField,
  VerificationReport,
} from '@portico/audit-chain';
import { CallFailure } from '../call/call.js';

/** Records cannot be written. Actions that require one are refused until they can. */
export class AuditUnavailable extends CallFailure {
  constructor(reason: string) {
    super('INTERNAL_ERROR', `the audit log cannot be written, so nothing is run: ${reason}`);
    this.name = 'AuditUnavailable';
  }
}

/** An action that has begun and whose record is pending. */
export interface OpenAction {
  /**
   * The record of how it ended; none if it left its record otherwise. The record is kept until it is written, also
   * when this rejects. Undefined if there is nothing to wait for. @throws AuditUnavailable if it is not as safe as the log promises
   */
  end(draft?: AuditDraft): Promise<void> | undefined;
}

export interface AuditPage {
  readonly limit: number;
  readonly offset: number;
  /** `false` ends the search with the first match after the page. All are counted by default, which may read the whole log. */
  readonly countsAll?: boolean;
}

export interface AuditList {
  readonly events: readonly AuditRecord[];
  /** All that match. Where not all are counted: more than the page reaches if there are more, else all. */
  readonly total: number;
}

/**
 * How much of the log a reader takes at once: a number of records and a total of characters, but at least one record.
 */
export interface AuditPortion {
  readonly maxRecords: number;
  readonly maxCharacters: number;
}

export interface AuditLog {
  /**
   * Asked before anything is done that has to be recorded. A promise where it has to wait: the queue may be full. A refusal is counted, and the
   * log says so when it can be written again. @throws AuditUnavailable
   */
  begin(): OpenAction | Promise<OpenAction>;
  /** An event of an instant: it has happened. Drafts must stay as they are. Rejects as `OpenAction.end` does. */
  append(draft: AuditDraft): Promise<void>;
  /** Writes what waits, as far as it can be written. */
  flush(): Promise<void>;
  /** Newest first. Reads see every record whose append has resolved. */
  list(filter: AuditFilter, page: AuditPage): Promise<AuditList>;
  get(id: string): Promise<AuditRecord | undefined>;
  stats(): Promise<AuditStats>;
  /** The matching records, counted by outcome in each interval of the span. */
  series(filter: AuditFilter, span: SeriesSpan): Promise<readonly SeriesPoint[]>;
  /** Calls among those that match, counted by capability or by actor. @param most names that are listed */
  usage(filter: AuditFilter, most: number, by: UsageField): Promise<Usage>;
  /** Reads the whole log as it is kept, the chain of every daemon. */
  verify(): Promise<VerificationReport>;
  /** All that match, oldest first, up to the newest of now. */
  records(filter: AuditFilter): AsyncIterable<AuditRecord>;
  /** Signed checkpoints as lines, as they are kept: those of one chain in the order in which they were signed. */
  checkpoints(): AsyncIterable<string>;
  /**
   * The records of this daemon that follow a position, oldest first; fewer than there are, but none only where there is
   * none. All other reads are of every daemon whose records are in the same place.
   */
  after(seq: number, portion: AuditPortion): Promise<readonly AuditRecord[]>;
  /** Where the kept log of this daemon ends: records that only wait to be written come after it. */
  head(): Head;
  /** Calls the listener after records were kept. The returned function ends that. */
  onKept(listener: () => void): () => void;
  /** Records that wait to be written. */
  waiting(): number;
  /** Whether its records are lost at the end of the process. */
  readonly isVolatile: boolean;
  /** Why nothing can be recorded now; undefined while it can. */
  unavailable(): string | undefined;
}
