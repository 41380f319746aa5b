// The recording of the terminal as frames of text, for the documentation.
import { readFileSync } from 'node:fs';
import { readCast, unpainted } from './cast.js';

export const tourFile = 'docs/casts/tour.cast';

export function tourFrames(): string {
  return readCast(readFileSync(tourFile, 'utf8'))
    .map(({ title, terminal, command, frames }) => {
      const [first, ...others] = frames.map(({ lines }) => toBlock(lines));
      const blocks = [`$ ${command}\n${first ?? ''}`, ...others].map((text) => `\`\`\`text\n${text.trimEnd()}\n\`\`\``);
      return [`## ${title[0]?.toUpperCase()}${title.slice(1)}`, `In ${terminal}:`, ...blocks].join('\n\n');
    })
    .join('\n\n');
}

/** Empty lines of a screen that fills a terminal are one. */
function toBlock(lines: readonly string[]): string {
  const text = lines.map((line) => unpainted(line).trimEnd()).join('\n');
  return text.replace(/\n{3,}/g, '\n\n');
}
