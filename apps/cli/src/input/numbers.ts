// Numbers in flags. Commander says which flag it was.
import { InvalidArgumentError } from 'commander';

export function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

export function toPositive(text: string): number {
  const value = toCount(text);
  if (value === 0) throw new InvalidArgumentError('expected a whole number from 1');
  return value;
}

/** For flags that may be given several times. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
