// Holds a log against a head that was noted elsewhere: without one, nobody sees that the end of a log is missing.
import type { Head } from './seal.js';

/** A head as somebody noted it; the position may not be known. */
export interface NotedHead {
  readonly seq?: number | undefined;
  readonly hash: string;
}

export interface HeadCheck {
  /** What is wrong with a record that has its place in the chain, being where it is; undefined for nothing. */
  problemOf(record: Head): string | undefined;
  /** What is wrong with a log that has no more records; undefined for nothing. */
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
