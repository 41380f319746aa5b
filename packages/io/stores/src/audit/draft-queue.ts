// The events that wait to be written, in their order. They are sealed many at a time, which costs less than half of what it
// would cost in the middle of a call.
import { type AuditDraft, type Head, type Sealed, seal } from '@portico/audit-chain';

export interface DraftQueue {
  /** The draft must stay as it is. */
  push(draft: AuditDraft): void;
  /** Whether fewer drafts wait than may. */
  hasRoom(): boolean;
  length(): number;
  /**
   * The first drafts as records that follow a head, oldest first, without removing them; a repeated call gives the same
   * ones and perhaps more. At least one if any draft waits.
   */
  batch(after: Head): readonly Sealed[];
  /** Takes the first drafts out. */
  drop(count: number): void;
}

/** Characters of text that may wait, for any number of drafts. */
const maxCharacters = 64 * 1024 * 1024;
/** Size of one write, unless one line alone is longer. */
const maxBatch = { records: 1000, characters: 8 * 1024 * 1024 };

interface Waiting {
  readonly draft: AuditDraft;
  readonly characters: number;
}

/** @param chainId of the records, where the log has several chains */
export function createDraftQueue(capacity: number, chainId?: string): DraftQueue {
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
    batch: (after) => sealAll(firstOf(waiting), after, chainId),
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

function sealAll(waiting: readonly Waiting[], after: Head, chainId: string | undefined): readonly Sealed[] {
  let head = after;
  return waiting.map(({ draft }) => {
    const sealed = seal(head, draft, chainId);
    head = sealed.head;
    return sealed;
  });
}
