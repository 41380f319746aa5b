// Portico's own entry in a client's file, written by any program: Portico must neither import itself nor take another
// program's entry for its own.
import { isRecord } from '../formats/file-format.js';

/** The name that attaching gives it. */
export const ownName = 'portico';

const program = /(?:^|[\\/])portico(?:\.cmd|\.exe)?$|(?:@portico|apps)[\\/]cli[\\/]dist[\\/]main\.js$/;
const server = /(?:^|[\\/])portico-mcp-stdio(?:\.cmd|\.exe)?$|(?:@portico|apps)[\\/]mcp-stdio[\\/]dist[\\/]main\.js$/;

/** Whether a definition, in any client's shape, runs `portico mcp-stdio` or the same under its own name. */
export function isOwnEntry(raw: unknown): boolean {
  const line = commandLineOf(raw);
  return line.some((word, at) => server.test(word) || (word === 'mcp-stdio' && program.test(line[at - 1] ?? '')));
}

/** The value of an option on a command line, as `--name value` or `--name=value`; undefined if it is not there. */
export function optionOf(line: readonly string[], name: string): string | undefined {
  const at = line.findIndex((word) => word === name || word.startsWith(`${name}=`));
  const word = line[at];
  return word === name ? line[at + 1] : word?.slice(name.length + 1);
}

/** The program of a definition, in any client's shape, and its arguments. */
export function commandLineOf(raw: unknown): readonly string[] {
  if (!isRecord(raw)) return [];
  const process = isRecord(raw.command) ? { command: raw.command.path, args: raw.command.args } : raw;
  const words = [process.command, process.args].flat();
  return words.filter((word): word is string => typeof word === 'string');
}
