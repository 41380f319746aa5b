// Text of others as it is printed on a terminal: blocks and cells, of plain text as @portico/contracts makes it for
// everything that a terminal shows, the log included.
import { stripVTControlCharacters } from 'node:util';
import { toPlainText } from '@portico/contracts';

export { toPlainJson, toPlainLines, toPlainText } from '@portico/contracts';

/** As `toPlainLines`, in one text: colour sequences are removed, tabs stay. For printed text, not for screens. */
export function toPlainBlock(text: string): string {
  return stripVTControlCharacters(text)
    .split(/\r\n|\n/)
    .map((line) => line.split('\t').map(toPlainText).join('\t'))
    .join('\n');
}

/** The same on one line, for a cell of a table. */
export function toPlainCell(text: string): string {
  return toPlainText(stripVTControlCharacters(text).replace(/\s*[\n\t\u2028\u2029]\s*/g, ' '));
}
