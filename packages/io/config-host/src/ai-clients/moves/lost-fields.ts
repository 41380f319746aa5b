// Fields of a client's definition that have no equivalent in Portico, so that moving the server gives them up.
import type { KnownFields } from '../client.js';
import { isRecord } from '../formats/file-format.js';

/** Names of fields, `command.timeout` for one of an object. Fields that hold nothing are left out. */
export function lostFields({ process, address }: KnownFields, raw: unknown): readonly string[] {
  if (!isRecord(raw)) return [];
  const isProcess = raw.command !== undefined && raw.command !== null;
  const known = isProcess ? process : address;
  const restricting = restrictingFields(raw);
  const isLost = (field: string) => !known.includes(field) && (!isEmpty(raw[field]) || restricting.includes(field));
  return [...Object.keys(raw).filter(isLost), ...lostOfCommand(raw.command), ...lostOfVariables(raw.env_vars)];
}

/** Lists of the only tools that an agent gets: Codex, Gemini CLI, and clients that write them alike. */
const allowing: readonly string[] = ['enabled_tools', 'enabledTools', 'includeTools', 'allowedTools'];
/** Lists of tools that an agent does not get: Codex, Windsurf, Gemini CLI. */
const denying: readonly string[] = ['disabled_tools', 'disabledTools', 'excludeTools', 'disallowedTools'];

/** Fields by which the client gives the agent fewer tools than the server has. An empty list allows none. */
export function restrictingFields(raw: unknown): readonly string[] {
  if (!isRecord(raw)) return [];
  return Object.keys(raw).filter((field) =>
    allowing.includes(field)
      ? raw[field] !== undefined && raw[field] !== null
      : denying.includes(field) && !isEmpty(raw[field]),
  );
}

/** Old files of Zed hold the whole command in an object. */
function lostOfCommand(command: unknown): readonly string[] {
  if (!isRecord(command)) return [];
  const lost = Object.keys(command).filter((field) => !['path', 'args', 'env'].includes(field));
  return lost.filter((field) => !isEmpty(command[field])).map((field) => `command.${field}`);
}

/** Codex: a variable may be a table that names where it comes from. */
function lostOfVariables(list: unknown): readonly string[] {
  const items = Array.isArray(list) ? list.filter(isRecord) : [];
  const isRemote = items.some(({ source }) => source !== undefined && source !== 'local');
  return isRemote ? ['env_vars.source'] : [];
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
