// The outcome of a check, and the line that shows it.

export interface Check {
  readonly what: string;
  /** The counts. */
  readonly figures: string;
  /** Violations; empty if the check holds. */
  readonly problems: readonly string[];
}

const shown = 5;

export function toLine({ what, figures, problems }: Check): string {
  if (problems.length === 0) return `ok    ${what} (${figures})`;
  const more = problems.length > shown ? `; and ${problems.length - shown} more` : '';
  return `FAILED ${what}: ${problems.slice(0, shown).join('; ')}${more} (${figures})`;
}

/** A problem where the condition does not hold. */
export function unless(condition: boolean, problem: () => string): readonly string[] {
  return condition ? [] : [problem()];
}
