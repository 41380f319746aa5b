// The size of JSON in tokens, of which budgets and reports have an estimate.

/** About four bytes of English or JSON are a token of today's models. */
const bytesOfToken = 4;

/** Estimates how many tokens a text of this many bytes is. */
export function tokensOf(bytes: number): number {
  return Math.ceil(bytes / bytesOfToken);
}
