// A text that is no condition, and the place of the problem in it.

/** A place in a text that does not compile. */
export class ConditionProblem extends Error {
  override readonly name = 'ConditionProblem';
  /** The place of the first character, UTF-16 units from the start. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const maxExcerpt = 30;

/** Says where the problem is: `line 1, column 12 ("startWith('acme')"): there is no function "startWith"`. */
export function describeProblem(text: string, { message, offset }: ConditionProblem): string {
  const before = text.slice(0, offset).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  const [rest = ''] = text.slice(offset).split('\n');
  const excerpt = rest.length > maxExcerpt ? `${rest.slice(0, maxExcerpt)}…` : rest;
  const at = excerpt === '' ? 'the end of the text' : JSON.stringify(excerpt);
  return `line ${before.length}, column ${column} (${at}): ${message}`;
}
