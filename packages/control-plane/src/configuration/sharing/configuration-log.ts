// The port to the log of what several daemons change in their configuration files: each change once, in an order that is
// the same for all, until every file has it.
import { createMutex } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { ConfigEdit } from '../config-source.js';

export interface SharedChange {
  /** Counts up, with gaps. */
  readonly seq: number;
  readonly edits: readonly ConfigEdit[];
}

/** How far a file has come. */
export interface FileStanding {
  /** It has every change up to this one. */
  readonly seq: number;
  /** The shared part at that position; see `outlineOf`. */
  readonly outline: JsonObject;
}

/** The log while one daemon excludes the others. */
export interface ExclusiveLog {
  /** Undefined for a file that has not been here, or has missed what is not kept any more. */
  readonly standing: FileStanding | undefined;
  /** Changes that the file may not have, oldest first; empty for a file without a position. */
  readonly missed: readonly SharedChange[];
  /** `seq` of the newest change of all; 0 before the first. */
  readonly newest: number;
  /** Outline of another file that has every change, where there is one. */
  readonly other: JsonObject | undefined;
  /** @returns its `seq` */
  append(edits: readonly ConfigEdit[]): Promise<number>;
  settle(standing: FileStanding): Promise<void>;
}

/** As one file sees it. */
export interface ConfigurationLog {
  /**
   * Excludes all other daemons, so that a change is based on all earlier ones. Appended and settled changes are stored
   * when `work` has resolved, and then all daemons are notified; else they are dropped.
   */
  exclusively<T>(work: (log: ExclusiveLog) => Promise<T>): Promise<T>;
  /** `seq` of the newest change. */
  newest(): Promise<number>;
  /** Receives changes, including those of this file: `seq`, or undefined if some may have been missed. */
  follow(listener: (seq: number | undefined) => void): () => void;
}

/** Lives as long as the process. The returned function gives the log as a file sees it. */
export function createMemoryConfigurationLog(): (file: string) => ConfigurationLog {
  const changes: SharedChange[] = [];
  const standings = new Map<string, FileStanding>();
  const listeners = new Set<(seq: number | undefined) => void>();
  const mutex = createMutex();
  const newest = () => changes.at(-1)?.seq ?? 0;

  const run = async <T>(file: string, work: (log: ExclusiveLog) => Promise<T>): Promise<T> => {
    const standing = standings.get(file);
    const appended: SharedChange[] = [];
    let settled = standing;
    const result = await work({
      standing,
      missed: standing === undefined ? [] : changes.filter(({ seq }) => seq > standing.seq),
      newest: newest(),
      other: [...standings].find(([name, { seq }]) => name !== file && seq === newest())?.[1].outline,
      async append(edits) {
        const seq = newest() + appended.length + 1;
        appended.push({ seq, edits });
        return seq;
      },
      async settle(next) {
        settled = next;
      },
    });
    changes.push(...appended);
    if (settled !== undefined) standings.set(file, settled);
    for (const { seq } of appended) for (const listener of listeners) listener(seq);
    return result;
  };

  return (file) => ({
    exclusively: (work) => mutex.run(() => run(file, work)),
    newest: async () => newest(),
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
}
