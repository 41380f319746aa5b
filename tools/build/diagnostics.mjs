// Places in the source that a check names in its output.
import { stripVTControlCharacters } from 'node:util';

/** As Biome and TypeScript print them, and as the checks of `tools/checks` do. */
const patterns = [
  /^(?<file>[\w@./-]+\.\w+)(?::(?<line>\d+):\d+)? (?<message>(?:lint|format|assist|parse|check|suppressions)\S*).* ━/,
  /^(?<file>[\w@./-]+\.\w+)\((?<line>\d+),\d+\): (?<message>error TS\d+: .*)$/,
  /^(?<file>(?:(?:packages|apps|tools|docs)\/[\w@./-]+|package-lock\.json))(?::(?<line>\d+))?(?<message>(?: ->|:) .*)$/,
];

/**
 * @param {string} output of a check that failed
 * @returns {{ file: string, line?: number, message: string }[]} one for each place, with what follows it in the output
 */
export function diagnosticsIn(output) {
  const found = [];
  for (const text of stripVTControlCharacters(output).split('\n')) {
    const groups = patterns.map((pattern) => pattern.exec(text)?.groups).find((match) => match !== undefined);
    if (groups !== undefined) {
      const { file, line, message } = groups;
      found.push({ file, ...(line === undefined ? {} : { line: Number(line) }), message: message.trim() });
      continue;
    }
    const [, said] = /^\s+[×✖!] (.*\S)/.exec(text) ?? [];
    const last = found.at(-1);
    if (said !== undefined && last !== undefined) last.message += `\n${said}`;
  }
  return found;
}
