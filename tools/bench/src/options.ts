// The flags of `npm run bench`.
import { parseArgs } from 'node:util';

export interface Options {
  /** Names of the scenarios to run; all of them by default. */
  readonly only: readonly string[];
  readonly rounds: number;
  /** A small part of every count: whether it runs, not how fast. */
  readonly isQuick: boolean;
}

const defaultRounds = 5;

/** @param known names of all scenarios @throws Error that says what is wrong with a flag */
export function readOptions(argv: readonly string[], known: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: { only: { type: 'string' }, rounds: { type: 'string' }, quick: { type: 'boolean' } },
  });
  const only = values.only?.split(',') ?? [];
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`--only: no scenario "${unknown}"; there are ${known.join(', ')}`);
  const rounds = Number(values.rounds ?? defaultRounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds: ${values.rounds} is no number from 1 on`);
  return { only, rounds, isQuick: values.quick === true };
}

/** Fewer have no median. */
const leastRounds = 3;

/** Only a whole run at full size is written down. */
export function isComplete({ only, rounds, isQuick }: Options): boolean {
  return only.length === 0 && rounds >= leastRounds && !isQuick;
}
