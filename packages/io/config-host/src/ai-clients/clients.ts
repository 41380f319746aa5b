// The AI clients that Portico knows. Where each format is documented: docs/ai-clients.md.
import type { JsonObject } from '@portico/contracts';
import {
  type ClientKind,
  joinAt,
  type ServeCommand,
  settingsFolder,
  type UserEnvironment,
  xdgFolder,
} from './client.js';
import { codexFields, readCodexDefinition } from './definitions/codex.js';
import { openCodeFields, readOpenCodeDefinition } from './definitions/open-code.js';
import { bracedKinds, bracedNames, noReferences, shellNames } from './definitions/references.js';
import { createStandardReader, standardFields } from './definitions/standard.js';
import { isRecord, type Path, valueAt } from './formats/file-format.js';
import { createJsonFormat } from './formats/json-format.js';
import { tomlFormat } from './formats/toml-format.js';

const json = createJsonFormat({ comments: false, trailingCommas: false });
const jsonWithComments = createJsonFormat({ comments: true, trailingCommas: false });
const jsonc = createJsonFormat({ comments: true, trailingCommas: true });

const plainEntry = ({ command, args }: ServeCommand): JsonObject => ({ command, args: [...args] });
const stdioEntry = (command: ServeCommand): JsonObject => ({ type: 'stdio', ...plainEntry(command) });

/** The client has no field that leaves a server out. */
const removed = () => null;

const at = (...path: readonly string[]) => ({ servers: () => [path], home: () => path });

const claudeDesktop: ClientKind = {
  id: 'claude-desktop',
  name: 'Claude Desktop',
  folder: (user) => joinAt(user, settingsFolder(user), 'Claude'),
  files: (user) => [joinAt(user, settingsFolder(user), 'Claude', 'claude_desktop_config.json')],
  format: json,
  ...at('mcpServers'),
  readDefinition: createStandardReader(noReferences),
  fields: standardFields,
  offFlag: removed,
  toEntry: plainEntry,
};

const claudeFolder = (user: UserEnvironment) => user.env.CLAUDE_CONFIG_DIR || joinAt(user, user.home, '.claude');

/** User scope at the root, local scope under the folder of each project. */
const claudeCode: ClientKind = {
  id: 'claude-code',
  name: 'Claude Code',
  folder: claudeFolder,
  files: (user) => [joinAt(user, user.env.CLAUDE_CONFIG_DIR || user.home, '.claude.json')],
  format: json,
  servers(root) {
    const projects = isRecord(root.projects) ? Object.keys(root.projects) : [];
    return [['mcpServers'], ...projects.map((project) => ['projects', project, 'mcpServers'])];
  },
  home: () => ['mcpServers'],
  readDefinition: createStandardReader(bracedNames),
  fields: standardFields,
  offFlag: removed,
  toEntry: stdioEntry,
};

const cursor: ClientKind = {
  id: 'cursor',
  name: 'Cursor',
  folder: (user) => joinAt(user, user.home, '.cursor'),
  files: (user) => [joinAt(user, user.home, '.cursor', 'mcp.json')],
  format: jsonc,
  ...at('mcpServers'),
  readDefinition: createStandardReader(bracedKinds),
  fields: standardFields,
  offFlag: removed,
  toEntry: plainEntry,
};

const windsurf: ClientKind = {
  id: 'windsurf',
  name: 'Windsurf',
  folder: (user) => joinAt(user, user.home, '.codeium', 'windsurf'),
  files: (user) => [joinAt(user, user.home, '.codeium', 'windsurf', 'mcp_config.json')],
  format: jsonc,
  ...at('mcpServers'),
  readDefinition: createStandardReader(bracedKinds),
  fields: standardFields,
  offFlag: () => ({ field: 'disabled', value: true }),
  toEntry: plainEntry,
};

const vsCode: ClientKind = {
  id: 'vscode',
  name: 'VS Code',
  folder: (user) => joinAt(user, settingsFolder(user), 'Code', 'User'),
  files: (user) => [joinAt(user, settingsFolder(user), 'Code', 'User', 'mcp.json')],
  format: jsonc,
  ...at('servers'),
  readDefinition: createStandardReader(bracedKinds),
  fields: standardFields,
  offFlag: removed,
  toEntry: stdioEntry,
};

/** Under ~/.config on macOS too. */
const zedFolder = (user: UserEnvironment) =>
  user.platform === 'win32'
    ? joinAt(user, settingsFolder(user), 'Zed')
    : joinAt(user, user.platform === 'linux' ? xdgFolder(user) : joinAt(user, user.home, '.config'), 'zed');

const zed: ClientKind = {
  id: 'zed',
  name: 'Zed',
  folder: zedFolder,
  files: (user) => [joinAt(user, zedFolder(user), 'settings.json')],
  format: jsonc,
  ...at('context_servers'),
  readDefinition: createStandardReader(noReferences),
  fields: standardFields,
  offFlag: () => ({ field: 'enabled', value: false }),
  toEntry: plainEntry,
};

const codexFolder = (user: UserEnvironment) => user.env.CODEX_HOME || joinAt(user, user.home, '.codex');

const codex: ClientKind = {
  id: 'codex',
  name: 'Codex',
  folder: codexFolder,
  files: (user) => [joinAt(user, codexFolder(user), 'config.toml')],
  format: tomlFormat,
  ...at('mcp_servers'),
  readDefinition: readCodexDefinition,
  fields: codexFields,
  offFlag: () => ({ field: 'enabled', value: false }),
  toEntry: plainEntry,
};

const gemini: ClientKind = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  folder: (user) => joinAt(user, user.home, '.gemini'),
  files: (user) => [joinAt(user, user.home, '.gemini', 'settings.json')],
  format: jsonWithComments,
  ...at('mcpServers'),
  readDefinition: createStandardReader(shellNames),
  fields: standardFields,
  offFlag: removed,
  toEntry: plainEntry,
};

/** Version 2 keeps servers under `mcp.servers`; it reads those of version 1, directly under `mcp`, as well. */
const hasServersMap = (root: JsonObject) => {
  const servers = valueAt(root, ['mcp', 'servers']);
  return isRecord(servers) && typeof servers.type !== 'string' && typeof servers.enabled !== 'boolean';
};

const openCode: ClientKind = {
  id: 'opencode',
  name: 'OpenCode',
  folder: (user) => joinAt(user, xdgFolder(user), 'opencode'),
  files(user) {
    const folder = joinAt(user, xdgFolder(user), 'opencode');
    return [joinAt(user, folder, 'opencode.json'), joinAt(user, folder, 'opencode.jsonc')];
  },
  format: jsonc,
  servers: (root): readonly Path[] => (hasServersMap(root) ? [['mcp', 'servers']] : [['mcp']]),
  home: (root) => (hasServersMap(root) ? ['mcp', 'servers'] : ['mcp']),
  readDefinition: readOpenCodeDefinition,
  fields: openCodeFields,
  offFlag: (root) => (hasServersMap(root) ? { field: 'disabled', value: true } : { field: 'enabled', value: false }),
  toEntry: ({ command, args }, root) => ({
    type: 'local',
    command: [command, ...args],
    ...(hasServersMap(root) ? {} : { enabled: true }),
  }),
};

export const clientKinds: readonly ClientKind[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  windsurf,
  vsCode,
  zed,
  codex,
  gemini,
  openCode,
];
