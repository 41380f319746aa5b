// Checks a log against a head that was noted elsewhere: without one, a missing end of a log is not noticed.
import type { Head } from './seal.js';

/** A head noted outside the log; the position may not be known. */
export interface NotedHead {
  readonly seq?: number | undefined;
  readonly hash: string;
}

export interface HeadCheck {
  /** The problem of a record that follows its predecessor; undefined if there is none. */
  problemOf(record: Head): string | undefined;
  /** The problem of a log that ends here; undefined if there is none. */
  problemAtEnd(): string | undefined;
}

export function createHeadCheck(start: Head, noted: NotedHead | undefined, mayContinue: boolean): HeadCheck {
  if (noted === undefined) return { problemOf: () => undefined, problemAtEnd: () => undefined };
  const isNoted = ({ seq, hash }: Head) => hash === noted.hash && seq === (noted.seq ?? seq);
  let isReached = isNoted(start);
  return {
    problemOf(record) {
      if (isReached) return mayContinue ? undefined : 'it follows the record that is expected to be the last';
      isReached = isNoted(record);
      const isReplaced = !isReached && record.seq === noted.seq;
      return isReplaced ? 'its hash is not the expected one: it or a record before it was replaced' : undefined;
    },
    problemAtEnd: () => (isReached ? undefined : 'the log ends before the record that is expected to be the last'),
  };
}
