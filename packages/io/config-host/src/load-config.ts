// Reads the configuration file and says everything that is wrong with it. It never writes.
import { readFile } from 'node:fs/promises';
import {
  type Config,
  type Issue,
  joinPath,
  maxNesting,
  nestsDeeperThan,
  resolveConfig,
  unknownConfigFields,
} from '@portico/contracts';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';

/** A configuration that cannot be used: the file, and every problem with the path of its field. */
export class ConfigError extends Error {
  readonly issues: readonly Issue[];

  constructor(file: string, issues: readonly Issue[]) {
    super([`configuration ${file} cannot be used:`, ...issues.map(toLine)].join('\n'));
    this.name = 'ConfigError';
    this.issues = issues;
  }
}

export interface LoadedConfig {
  readonly config: Config;
  /** Paths of fields that Portico does not know; they are kept and have no effect. */
  readonly unknownFields: readonly string[];
}

/** Comments and trailing commas are fine. @throws ConfigError */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  const value = parseText(file, await readText(file));
  const resolved = resolveConfig(value);
  const issues = resolved.ok ? addressIssues(resolved.value) : resolved.issues;
  if (!resolved.ok || issues.length > 0) throw new ConfigError(file, issues);
  return { config: resolved.value, unknownFields: unknownConfigFields(value) };
}

/** Addresses are checked here because only here there is a parser for them. */
function addressIssues({ servers }: Config): Issue[] {
  return [...servers].flatMap(([id, { transport }]) =>
    transport.kind === 'stdio' || isAddress(transport.url)
      ? []
      : [{ path: joinPath(['mcpServers', id, 'url']), message: 'is not a valid address' }],
  );
}

function isAddress(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    decodeURIComponent(username);
    decodeURIComponent(password);
    return true;
  } catch {
    return false;
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const message =
      code === 'ENOENT' ? 'there is no such file; name one with --config FILE' : `cannot be read (${code ?? error})`;
    throw new ConfigError(file, [{ path: '', message }]);
  }
}

function parseText(file: string, content: string): unknown {
  const text = content.replace(/^\uFEFF/, '');
  if (nestsDeeperThan(text, maxNesting)) {
    throw new ConfigError(file, [{ path: '', message: `is nested deeper than ${maxNesting} levels` }]);
  }
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const before = text.slice(0, first.offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  throw new ConfigError(file, [{ path: place, message: `not valid JSON: ${printParseErrorCode(first.error)}` }]);
}

function toLine({ path, message }: Issue): string {
  return path === '' ? `  ${message}` : `  ${path}: ${message}`;
}
