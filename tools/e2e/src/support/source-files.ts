// The source file that a function of a built file comes from, by the source map beside it.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { repository } from './repository.js';

export interface SourceFiles {
  /**
   * @param file built, from the root of the repository
   * @param offset of the function in it, in UTF-16 units
   * @returns the path from the root of the repository
   */
  of(file: string, offset: number): string;
}

interface Built {
  /** Where each line begins. */
  readonly lineStarts: readonly number[];
  readonly map: SourceMap;
}

export function createSourceFiles(): SourceFiles {
  const known = new Map<string, Built>();
  const read = (file: string): Built => {
    const text = readFileSync(join(repository, file), 'utf8');
    const map = new SourceMap(JSON.parse(readFileSync(join(repository, `${file}.map`), 'utf8')));
    const built = { lineStarts: [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)], map };
    known.set(file, built);
    return built;
  };
  return {
    of(file, offset) {
      const { lineStarts, map } = known.get(file) ?? read(file);
      const line = lineStarts.findLastIndex((start) => start <= offset);
      const entry = map.findEntry(line, offset - (lineStarts[line] ?? 0));
      if (!('originalSource' in entry)) throw new Error(`the source map of ${file} does not know offset ${offset}`);
      return join(file, '..', entry.originalSource);
    },
  };
}
