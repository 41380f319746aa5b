// The matches that are on a page: counts them newest first, and keeps only those on the page.
import type { AuditPage } from '@portico/control-plane';
import { type Block, type ByteRange, rangeOf } from './block.js';

export interface PageRanges {
  /** @param matches positions in the block, ascending; blocks come newest first */
  add(block: Block, matches: readonly number[]): void;
  isFull(): boolean;
  /** Whether there was a match after the page. */
  hasMore(): boolean;
  /** Newest first. */
  ranges(): readonly ByteRange[];
  /** Number of matches so far. */
  total(): number;
}

/** Size of a page, bytes of JSON, before its last record; the same as other pages of large entries. */
const maxPageBytes = 8 * 1024 * 1024;

export function createPageRanges({ limit, offset }: AuditPage): PageRanges {
  const ranges: ByteRange[] = [];
  let bytes = 0;
  let total = 0;
  const isFull = () => ranges.length >= limit || bytes >= maxPageBytes;

  return {
    add(block, matches) {
      for (let skipped = Math.max(0, offset - total); skipped < matches.length && !isFull(); skipped++) {
        const range = rangeOf(block, matches[matches.length - 1 - skipped] ?? 0);
        bytes += range.end - range.start;
        ranges.push(range);
      }
      total += matches.length;
    },
    isFull,
    hasMore: () => total > offset + ranges.length,
    ranges: () => ranges,
    total: () => total,
  };
}
