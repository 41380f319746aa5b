// The events that wait to be written, in their order, and the first of them as one run of bytes. They are sealed many at
// a time, which costs less than half of what it would cost in the middle of a call.
import { type AuditDraft, type Head, seal } from '@portico/audit-chain';
import type { KeptRecord } from './record-index.js';

export interface Batch {
  readonly bytes: Uint8Array;
  /** What it holds, and where each record will stand. */
  readonly records: readonly KeptRecord[];
  /** Of its last record. */
  readonly head: Head;
}

export interface DraftQueue {
  /** The draft must stay as it is. */
  push(draft: AuditDraft): void;
  /** Whether fewer drafts wait than may. */
  hasRoom(): boolean;
  length(): number;
  /**
   * The first drafts as records that follow a head; none is taken out, and asked again it gives the same. There must be
   * one. Its bytes hold until the next batch. @param start where in the file they will begin
   */
  batch(after: Head, start: number): Batch;
  /** Takes the first drafts out. */
  drop(count: number): void;
}

/** Text that may wait, in characters, whatever the number of drafts. */
const maxCharacters = 64 * 1024 * 1024;
/** What is written at once, unless one line alone is longer. */
const maxBatch = { records: 1000, characters: 8 * 1024 * 1024 };
/** What most batches fit into. */
const scratchBytes = 512 * 1024;

interface Waiting {
  readonly draft: AuditDraft;
  readonly characters: number;
}

export function createDraftQueue(capacity: number): DraftQueue {
  const scratch = Buffer.allocUnsafeSlow(scratchBytes);
  const waiting: Waiting[] = [];
  let characters = 0;
  return {
    push(draft) {
      const entry = { draft, characters: charactersOf(draft) };
      waiting.push(entry);
      characters += entry.characters;
    },
    hasRoom: () => waiting.length < capacity && characters < maxCharacters,
    length: () => waiting.length,
    batch: (after, start) => toBatch(firstOf(waiting), after, start, scratch),
    drop(count) {
      for (const entry of waiting.splice(0, count)) characters -= entry.characters;
    },
  };
}

/** About how long the text of a value is; what is not a text is short. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let characters = 0;
  for (const name in value) characters += name.length + charactersOf((value as Record<string, unknown>)[name]); // its own
  return characters;
}

function firstOf(waiting: readonly Waiting[]): readonly Waiting[] {
  let characters = 0;
  const end = waiting.findIndex((entry, i) => {
    characters += entry.characters;
    return i >= maxBatch.records || (i > 0 && characters > maxBatch.characters);
  });
  return end < 0 ? waiting : waiting.slice(0, end);
}

function toBatch(waiting: readonly Waiting[], after: Head, start: number, scratch: Buffer): Batch {
  let head = after;
  let end = start;
  let text = '';
  const records = waiting.map(({ draft }) => {
    const sealed = seal(head, draft);
    head = sealed.head;
    end += Buffer.byteLength(sealed.line) + 1;
    text += `${sealed.line}\n`;
    return { record: sealed.record, end };
  });
  return { bytes: encode(text, end - start, scratch), records, head };
}

/** A buffer for each batch would have the garbage collector come by more often than all that is in it. */
function encode(text: string, length: number, scratch: Buffer): Uint8Array {
  if (length > scratch.length) return Buffer.from(text);
  scratch.write(text);
  return scratch.subarray(0, length);
}
