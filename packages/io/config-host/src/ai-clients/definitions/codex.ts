// Codex: `[mcp_servers.<name>]` with `command` or `url`, and names of environment variables beside literal values.
import type { KnownFields } from '../client.js';
import { isRecord } from '../formats/file-format.js';
import { checkedDefinition, type ReadDefinition, unusable } from './definition.js';

export const codexFields: KnownFields = {
  process: ['enabled', 'command', 'args', 'cwd', 'env', 'env_vars'],
  address: ['enabled', 'url', 'http_headers', 'env_http_headers', 'bearer_token_env_var'],
};

export const readCodexDefinition: ReadDefinition = (raw) => {
  if (!isRecord(raw)) return unusable('is not a table');
  if (raw.enabled === false) return unusable('is turned off in that client');
  const { command, args, url, cwd, bearer_token_env_var: tokenEnv } = raw;
  if (url === undefined) return checkedDefinition({ command, args, cwd, env: merge(raw.env, forwarded(raw.env_vars)) });
  return checkedDefinition({
    command,
    url,
    headers: merge(raw.http_headers, named(raw.env_http_headers)),
    auth: tokenEnv === undefined ? undefined : { type: 'bearer', tokenEnv },
  });
};

/** `env_vars`: variables that are handed on, as names or as tables with a name. */
function forwarded(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const names = list.map((item: unknown) => (isRecord(item) ? item.name : item));
  return Object.fromEntries(names.map((name) => [name, `env://${name}`]));
}

/** `env_http_headers`: headers whose values are names of variables. */
function named(map: unknown): unknown {
  if (!isRecord(map)) return map;
  return Object.fromEntries(Object.entries(map).map(([header, name]) => [header, `env://${name}`]));
}

/** Other values than tables are left to the check of the whole. */
function merge(literal: unknown, references: unknown): unknown {
  if (literal === undefined) return references;
  return isRecord(literal) && isRecord(references) ? { ...references, ...literal } : literal;
}
