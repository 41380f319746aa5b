// Reads the configuration file and says everything that is wrong with it. It never writes.
import {
  type Config,
  type Issue,
  isJsonObject,
  type JsonObject,
  joinPath,
  maxNesting,
  nestsDeeperThan,
  resolveConfig,
  unknownConfigFields,
  unknownFieldWarnings,
} from '@portico/contracts';
import { conditionIssues, InvalidConfig } from '@portico/control-plane';
import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { describeJsonProblem } from './json-problem.js';
import { type ReadFile, readWholeFile } from './whole-file.js';

/** A configuration file that cannot be used: every problem with the path of its field. */
export class ConfigError extends InvalidConfig {
  constructor(file: string, issues: readonly Issue[]) {
    super(issues, [`configuration ${file} cannot be used:`, ...issues.map(toLine)].join('\n'));
    this.name = 'ConfigError';
  }
}

export interface LoadedFile {
  /** As it is written, without comments. */
  readonly value: JsonObject;
  readonly config: Config;
  /** Paths of fields that Portico does not know; they are kept and have no effect. */
  readonly unknownFields: readonly string[];
  /** The same, each with what it may be meant as. */
  readonly warnings: readonly Issue[];
}

/**
 * Reads and validates a configuration file; comments and trailing commas are allowed.
 * @throws ConfigError
 */
export async function loadConfig(file: string): Promise<LoadedFile> {
  return resolveText(file, await readText(file));
}

/** Comments and trailing commas are fine. @throws ConfigError */
export function resolveText(file: string, text: string): LoadedFile {
  const value = parseConfig(file, text);
  const resolved = resolveConfig(value);
  const issues = resolved.ok ? [...addressIssues(resolved.value), ...conditionIssues(resolved.value)] : resolved.issues;
  if (!resolved.ok || issues.length > 0) throw new ConfigError(file, issues);
  return {
    value,
    config: resolved.value,
    unknownFields: unknownConfigFields(value),
    warnings: unknownFieldWarnings(value),
  };
}

/** Addresses are checked here because only here there is a parser for them. */
function addressIssues({ servers, storage }: Config): Issue[] {
  const message = 'is not a valid address';
  const ofServers = [...servers].flatMap(([id, { transport }]) =>
    transport.kind === 'stdio' || isAddress(transport.url)
      ? []
      : [{ path: joinPath(['mcpServers', id, 'url']), message }],
  );
  return storage === null || isAddress(storage.url) ? ofServers : [...ofServers, { path: 'storage.url', message }];
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

/** With its byte order mark, if it has one. @throws ConfigError */
export async function readText(file: string): Promise<string> {
  return (await readConfigFile(file)).text;
}

/** @throws ConfigError */
export async function readConfigFile(file: string): Promise<{ readonly text: string; readonly read: ReadFile }> {
  const refuse = (message: string) => new ConfigError(file, [{ path: '', message }]);
  const read = await readWholeFile(file).catch((error: unknown) => {
    throw refuse(error instanceof Error ? error.message : String(error));
  });
  if (read === null) throw refuse('there is no such file; name one with --config FILE');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read.bytes), read };
  } catch {
    throw refuse('it is not UTF-8'); // a change would write something else in place of what it cannot read
  }
}

/** @throws ConfigError */
export function parseConfig(file: string, content: string): JsonObject {
  const text = content.replace(/^\uFEFF/, '');
  if (nestsDeeperThan(text, maxNesting)) {
    throw new ConfigError(file, [{ path: '', message: `is nested deeper than ${maxNesting} levels` }]);
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const value = tree && toValue(tree);
  const [first] = errors;
  if (first === undefined) {
    if (isJsonObject(value)) return value;
    const refused = resolveConfig(value);
    throw new ConfigError(file, refused.ok ? [] : refused.issues);
  }
  const { place, message } = describeJsonProblem(text, first);
  throw new ConfigError(file, [{ path: place, message }]);
}

/** Every name is kept, `__proto__` as well; of two fields of one name the last counts. */
function toValue({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(toValue);
  if (type !== 'object') return value;
  return Object.fromEntries(
    children.flatMap(({ children: [name, each] = [] }) => (name && each ? [[name.value, toValue(each)]] : [])),
  );
}

function toLine({ path, message }: Issue): string {
  return path === '' ? `  ${message}` : `  ${path}: ${message}`;
}
