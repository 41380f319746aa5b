// Small conversions that several commands show the same way.

import type { Output } from './output.js';
import { toPlainBlock } from './plain-text.js';

/** Names and values below each other; what is undefined or null is left out. */
export function showFields(output: Output, fields: Readonly<Record<string, unknown>>): void {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  for (const [name, value] of shown) {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    output.painted(
      `${output.paint.bold(name.padEnd(width))}  ${toPlainBlock(text).replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`,
    );
  }
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
