// The place in a chain that a line states: read once, then checked against any chain.
import { type PlainLine, readPlainLine } from './plain-line.js';
import { readLine } from './read-line.js';
import type { AuditRecord } from './record.js';

/** Links a record to the one before it. */
export interface Link extends PlainLine {
  /** Not read for a plain line, which reports no gap. */
  readonly record?: AuditRecord;
}

export type LinkReading = { readonly ok: true; readonly link: Link } | { readonly ok: false; readonly problem: string };

/** Reads one line of an audit file: the record, its place in the chain, and the text that its hash covers. */
export function readLink(line: string): LinkReading {
  const plain = readPlainLine(line);
  if (plain !== undefined) return { ok: true, link: plain };
  const reading = readLine(line);
  if (!reading.ok) return reading;
  const { record, hashed } = reading;
  const { id, chain_id, seq, prev_hash, hash } = record;
  return { ok: true, link: { id, chain_id, seq, prev_hash, hash, hashed, record } };
}
