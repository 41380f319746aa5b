// OpenCode: `type` is `local` or `remote`, and the command is one list. Version 2 says `disabled` for `enabled: false`.
import type { KnownFields } from '../client.js';
import { isRecord } from '../formats/file-format.js';
import { type ReadDefinition, unusable } from './definition.js';
import { openCodeNames } from './references.js';
import { finishDefinition } from './standard.js';

export const openCodeFields: KnownFields = {
  process: ['type', 'enabled', 'disabled', 'command', 'environment', 'cwd'],
  address: ['type', 'enabled', 'disabled', 'url', 'headers'],
};

export const readOpenCodeDefinition: ReadDefinition = (raw) => {
  if (!isRecord(raw)) return unusable('is not an object');
  if (raw.enabled === false || raw.disabled === true) return unusable('is turned off in that client');
  const secrets = { env: raw.environment, headers: raw.headers };
  if (raw.type === 'remote') {
    return finishDefinition({ command: undefined, args: undefined, url: raw.url }, secrets, openCodeNames);
  }
  if (raw.type !== 'local') return unusable('type: expected local or remote');
  if (!Array.isArray(raw.command)) return unusable('command: expected a list');
  const [command, ...args] = raw.command;
  return finishDefinition({ command, args, url: undefined, cwd: raw.cwd ?? undefined }, secrets, openCodeNames);
};
