// The changes of an edit to a JSON value, line by line.
import { type JsonValue, writeExactLines } from '@portico/contracts';
import { diffLines } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

export function diffOf(before: JsonValue, after: JsonValue): readonly DiffLine[] {
  const toText = (value: JsonValue) => `${writeExactLines(value)}\n`;
  return diffLines(toText(before), toText(after)).flatMap(({ added, removed, value }) => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    return value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ kind, text }) as const);
  });
}
