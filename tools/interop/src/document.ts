// The part of docs/interop.md that a run writes, between two marks. It has no date, so that a second run changes nothing.
import type { Found } from './compare-server.js';
import { clientTable, serverTable } from './report.js';
import type { Row } from './try-clients.js';

const begin = '<!-- what `npm run interop` found: begin -->';
const end = '<!-- what `npm run interop` found: end -->';

/** @throws where the document does not have the marks */
export function writeInto(document: string, rows: readonly Row[], found: readonly Found[]): string {
  const [before, rest] = split(document, begin);
  const [, after] = split(rest, end);
  const part = ['## Clients', '', ...clientTable(rows), '', '## Servers', '', ...serverTable(found)];
  return `${before}${begin}\n\n${part.join('\n')}\n\n${end}${after}`;
}

function split(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`docs/interop.md has no line ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
