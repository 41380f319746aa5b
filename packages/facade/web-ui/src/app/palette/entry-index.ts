// The index of the palette. It takes what changed of the entries, and leaves the rest as it is.
import { Index } from 'flexsearch';
import type { PaletteEntry } from './entries.js';

export interface EntryIndex {
  /** Makes these the entries, adding and removing only what differs. */
  update(entries: readonly PaletteEntry[]): void;
  /** The best first; without words the first ones. */
  find(text: string, limit: number): readonly PaletteEntry[];
}

/** Entries that wait for a person and rare kinds come before the many tools. */
const kinds: readonly PaletteEntry['kind'][] = ['Explain', 'Page', 'Ticket', 'Server', 'Action', 'Tool', 'Call'];

/** Entries that fit, of which the first kinds are shown. */
const candidates = 200;

export function createEntryIndex(): EntryIndex {
  const index = new Index({ tokenize: 'forward', encode: toWords });
  const known = new Map<string, PaletteEntry>();
  return {
    update(entries) {
      const next = new Set(entries.map(({ id }) => id));
      for (const id of known.keys()) {
        if (next.has(id)) continue;
        index.remove(id);
        known.delete(id);
      }
      for (const entry of entries) {
        const before = known.get(entry.id);
        known.set(entry.id, entry);
        if (before?.title === entry.title && before.words === entry.words) continue;
        if (before !== undefined) index.remove(entry.id);
        index.add(entry.id, textOf(entry));
      }
    },
    find(text, limit) {
      if (text.trim() === '') return [...known.values()].slice(0, limit);
      const found = index.search(wordsOf(text), { limit: candidates, suggest: false });
      const entries = found.flatMap((id) => known.get(String(id)) ?? []);
      return entries.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind)).slice(0, limit);
    },
  };
}

/** Words as they are, without accents: an index that splits numbers would not find ids. */
function toWords(text: string): string[] {
  const plain = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Ids are found by each of their parts: `github.create_issue` by `issue`. */
function textOf({ kind, title, words }: PaletteEntry): string {
  return `${wordsOf(title)} ${kind} ${words}`;
}

function wordsOf(text: string): string {
  return text.replace(/[._/:-]+/g, ' ');
}
