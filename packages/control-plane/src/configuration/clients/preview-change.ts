// Reduces two texts of a file to the one part that differs. The surrounding text is left out: it may contain secrets.
import type { ClientPreview } from './ai-clients.js';

export interface PreviewedChange {
  /** Where it begins in the file as it is, from 1. */
  readonly line: number;
  readonly removed: string;
  readonly added: string;
}

/** Null if nothing would change. */
export function previewChange({ before, after }: Pick<ClientPreview, 'before' | 'after'>): PreviewedChange | null {
  const [was, becomes] = [before ?? '', after ?? ''];
  if (was === becomes && (before === null) === (after === null)) return null;
  const shorter = Math.min(was.length, becomes.length);
  let start = 0;
  while (start < shorter && was[start] === becomes[start]) start += 1;
  let end = 0;
  while (end < shorter - start && was.at(-1 - end) === becomes.at(-1 - end)) end += 1;
  return {
    line: was.slice(0, start).split('\n').length,
    removed: was.slice(start, was.length - end),
    added: becomes.slice(start, becomes.length - end),
  };
}
