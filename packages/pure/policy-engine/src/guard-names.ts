// Names that only narrowing rules look at: deny and requireApproval. Allow rules never match them. A leading mark
// distinguishes them from the names that all rules look at; no id and no alias begins with it.

const exactMark = '\u0001';
const foldedMark = '\u0000';

/** A name that deny and approval rules are compared with as it is. */
export function guardName(name: string): string {
  return exactMark + name;
}

/** A name that deny and approval rules are compared with in their folded form. */
export function foldedGuardName(name: string): string {
  return foldedMark + foldName(name);
}

export type GuardKind = 'exact' | 'folded';

/** The kind of a guard name; undefined for a name that all rules look at. */
export function guardKindOf(name: string): GuardKind | undefined {
  const mark = name.charCodeAt(0);
  if (mark === 0) return 'folded';
  return mark === 1 ? 'exact' : undefined;
}

/** The name without its mark, to compare and to show. */
export function withoutMark(name: string): string {
  return guardKindOf(name) === undefined ? name : name.slice(1);
}

/**
 * One form for all texts that some file system takes for one name: Unicode NFKC (composed, full-width characters as plain
 * ones), without the characters that are never shown (HFS+ ignores them), without a difference of case.
 */
export function foldName(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return plain.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}
