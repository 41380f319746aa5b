// English words that carry grammar and not meaning: articles, pronouns, auxiliaries, question words, plain
// prepositions. Never a word that can distinguish tools: quantities, directions and order (all, each, before, up) are
// not here.

const WORDS = `
  a an the this that these those
  i me my mine myself we us our ours ourselves you your yours yourself yourselves
  he him his himself she her hers herself it its itself they them their theirs themselves
  am is are was were be been being have has had having do does did doing
  can could may might must shall should will would
  and but or nor if so as than then because while of at by for with about into to from in on onto there here
  what which who whom whose when where why how
  not no s t d ll m re ve don
`;

const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

/** Whether a query means the same without this token. Contractions arrive in pieces, so `ve` and `ll` are here too. */
export function isStopWord(token: string): boolean {
  return STOP_WORDS.has(token);
}
