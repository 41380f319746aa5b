// The screen of an emulator as lines with escapes for what they are painted with (ECMA-48, SGR), so that it can be written to
// another terminal.
import type { Terminal as Emulator, IBufferCell } from '@xterm/headless';

/** Lines as they were written, however they are wrapped. Without spaces at their ends, and without empty lines at the end. */
export function paintedLines(emulator: Emulator): readonly string[] {
  const { active } = emulator.buffer;
  const lines: IBufferCell[][] = [];
  for (let row = 0; row < emulator.rows; row++) {
    const line = active.getLine(active.baseY + row);
    const length = line?.translateToString(true).length ?? 0;
    const cells = Array.from({ length }, (_, column) => line?.getCell(column)).filter((cell) => cell !== undefined);
    if (line?.isWrapped === true) lines.at(-1)?.push(...cells);
    else lines.push(cells);
  }
  const painted = lines.map(paintedLine);
  return painted.slice(0, painted.findLastIndex((line) => line !== '') + 1);
}

function paintedLine(cells: readonly IBufferCell[]): string {
  let text = '';
  let before = '';
  for (const cell of cells) {
    const style = styleOf(cell);
    if (style !== before) text += `\u001b[0${style}m`;
    before = style;
    text += cell.getWidth() === 0 ? '' : cell.getChars() || ' ';
  }
  return before === '' ? text : `${text}\u001b[0m`;
}

/** Parameters behind the reset. */
function styleOf(cell: IBufferCell): string {
  const weights = `${cell.isBold() ? ';1' : ''}${cell.isDim() ? ';2' : ''}${cell.isInverse() ? ';7' : ''}`;
  const color = cell.isFgPalette() && cell.getFgColor() < 8 ? `;${30 + cell.getFgColor()}` : '';
  return weights + color;
}
