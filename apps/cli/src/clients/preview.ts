// A planned change of a client's file as a diff.
import type { Answers } from '@portico/client';
import type { Output } from '../output/output.js';
import { toPlainBlock } from '../output/plain-text.js';

export function showPreview(
  { painted, paint }: Pick<Output, 'painted' | 'paint'>,
  { path, change, restores }: Answers['previewClient'],
): void {
  if (restores.length > 0)
    painted(toPlainBlock(`${path}: ${restores.join(', ')} ${restores.length === 1 ? 'is' : 'are'} turned on again`));
  if (change === null) {
    if (restores.length === 0) painted(`${toPlainBlock(path)}: nothing to change`);
    return;
  }
  painted(`${toPlainBlock(path)}, line ${change.line}:`);
  for (const line of linesOf(change.removed)) painted(paint.red(`- ${line}`));
  for (const line of linesOf(change.added)) painted(paint.green(`+ ${line}`));
}

function linesOf(text: string): readonly string[] {
  return toPlainBlock(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
}
