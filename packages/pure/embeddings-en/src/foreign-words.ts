// Articles, prepositions and the like of German, French, Spanish, Italian and Portuguese, as they are without accents. English
// texts have many of them in names, so that they are among the commonest word pieces.
// Never a word that English has as well, such as `die`, `pour` or `per`, nor one of well-known names of places (`las`, `los`).

const WORDS = `
  der das den dem des und ist nicht ein eine einen einem einer mit auf von zu aus wie wird ich
  le la les un une du dans avec et qui que cette mon est
  el del una por para con esta este
  il lo gli della di che uma dos das
`;

const FOREIGN: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

/** @param word in lower case, without accents */
export function isForeign(word: string): boolean {
  return FOREIGN.has(word);
}
