// Recognizes by its command line which part of the product a process is. All others are never stalled: Vitest and its
// workers, compilers, browsers.
import { basename } from 'node:path';

export const kinds = ['daemon', 'mcp-http', 'mcp-stdio', 'cli', 'upstream', 'postgres'] as const;
export type Kind = (typeof kinds)[number];

const app = /\/apps\/(daemon|mcp-http|mcp-stdio|cli)\/dist\/main\.js$/;
/** Servers of tests; a package that is a server comes with npm. */
const upstream =
  /\/tools\/[^/]+\/src\/([^/]+\/)*[^/]+\.mjs$|\/node_modules\/@modelcontextprotocol\/server-[^/]+\/.*\.js$/;
const node = /^node(\.exe)?$/;

export function kindOf(command: readonly string[]): Kind | undefined {
  const [program = ''] = command;
  if (basename(program) === 'postgres' || program.startsWith('postgres: ')) {
    return command.includes('--boot') || command.includes('--single') ? undefined : 'postgres'; // initdb runs those
  }
  if (!node.test(basename(program))) return undefined;
  const script = scriptOf(command);
  const [, name] = app.exec(script) ?? [];
  if (name !== undefined) return kinds.find((kind) => kind === name);
  return upstream.test(script) ? 'upstream' : undefined;
}

/** The first argument that is no flag of Node. */
function scriptOf([, ...args]: readonly string[]): string {
  const takesValue = (flag: string | undefined) => flag === '--import' || flag === '--require';
  return args.find((arg, index) => !arg.startsWith('-') && !takesValue(args[index - 1])) ?? '';
}
