// The tried servers, with their calls. They need no network, and do not change from run to run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from './install.js';
import { repository } from './repository.js';

export const serversFolder = fileURLToPath(new URL('../servers/', import.meta.url));

/** Where a server's package comes from: the workspace itself, npm in a folder of its own, or PyPI. */
export type Source = 'workspace' | 'npm' | 'python';

export interface Call {
  readonly method: 'tools/call' | 'resources/read' | 'prompts/get';
  /** The tool's or the prompt's name, or the resource's URI. */
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The surroundings of the servers. */
export interface Surroundings {
  /** A folder with `note.txt`, which nothing writes to; also a Git repository of one commit. */
  readonly folder: string;
  /** Origin of a web server on this machine that has one page. */
  readonly site: string;
  /** A folder of the session's own. */
  readonly scratch: string;
}

export interface Server {
  /** Its id in Portico's configuration. */
  readonly id: string;
  readonly package: string;
  readonly version: string;
  readonly source: Source;
  /** For Python the file of requirements. */
  readonly requirements?: string;
  /** A program without which it does not start. */
  readonly needs?: string;
  /** The command of the package. */
  readonly command: string;
  readonly args?: (where: Surroundings) => readonly string[];
  readonly env?: (where: Surroundings) => Readonly<Record<string, string>>;
  readonly calls?: (where: Surroundings) => readonly Call[];
}

const tool = (name: string, args: Call['args'] = {}): Call => ({ method: 'tools/call', name, args });

export const servers: readonly Server[] = [
  {
    ...fromWorkspace('everything', '@modelcontextprotocol/server-everything', 'mcp-server-everything'),
    args: () => ['stdio'],
    calls: () => [
      tool('echo', { message: 'héllo ✓ "quoted"' }),
      tool('get-sum', { a: 1.5, b: 2 }),
      tool('get-structured-content', { location: 'New York' }),
      tool('get-annotated-message', { messageType: 'error', includeImage: true }),
      tool('get-resource-links', { count: 3 }),
      tool('get-tiny-image'),
      { method: 'resources/read', name: 'demo://resource/static/document/features.md' },
      { method: 'prompts/get', name: 'args-prompt', args: { city: 'Paris' } },
    ],
  },
  {
    ...fromWorkspace('filesystem', '@modelcontextprotocol/server-filesystem', 'mcp-server-filesystem'),
    args: ({ folder }) => [folder],
    calls: ({ folder }) => [
      tool('list_allowed_directories'),
      tool('list_directory', { path: folder }),
      tool('read_text_file', { path: join(folder, 'note.txt') }),
      tool('get_file_info', { path: join(folder, 'note.txt') }),
      tool('read_text_file', { path: join(folder, 'missing.txt') }),
    ],
  },
  {
    ...fromWorkspace('memory', '@modelcontextprotocol/server-memory', 'mcp-server-memory'),
    env: ({ scratch }) => ({ MEMORY_FILE_PATH: join(scratch, 'memory.jsonl') }),
    calls: () => [
      tool('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['wrote'] }] }),
      tool('read_graph'),
      tool('search_nodes', { query: 'Ada' }),
    ],
  },
  {
    ...fromNpm('thinking', '@modelcontextprotocol/server-sequential-thinking', 'mcp-server-sequential-thinking'),
    calls: () => [
      tool('sequentialthinking', { thought: 'One', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 }),
    ],
  },
  {
    ...fromNpm('playwright', '@playwright/mcp', 'playwright-mcp'),
    args: () => ['--headless', '--isolated'],
  },
  { ...fromNpm('chrome', 'chrome-devtools-mcp', 'chrome-devtools-mcp'), args: () => ['--no-usage-statistics'] },
  fromNpm('context7', '@upstash/context7-mcp', 'context7-mcp'),
  { ...fromNpm('tavily', 'tavily-mcp', 'tavily-mcp'), env: () => ({ TAVILY_API_KEY: 'tvly-none' }) },
  { ...fromNpm('firecrawl', 'firecrawl-mcp', 'firecrawl-mcp'), env: () => ({ FIRECRAWL_API_KEY: 'fc-none' }) },
  {
    ...fromNpm('notion', '@notionhq/notion-mcp-server', 'notion-mcp-server'),
    env: () => ({ NOTION_TOKEN: 'ntn_none' }),
  },
  {
    ...fromPython('time', 'mcp-server-time', 'sdk-2.txt'),
    args: () => ['--local-timezone', 'UTC'],
    calls: () => [tool('convert_time', { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' })],
  },
  {
    ...fromPython('git', 'mcp-server-git', 'sdk-2.txt'),
    needs: 'git',
    calls: ({ folder }) => [
      tool('git_status', { repo_path: folder }),
      tool('git_log', { repo_path: folder }),
      tool('git_show', { repo_path: folder, revision: 'HEAD' }),
      tool('git_show', { repo_path: folder, revision: 'missing' }),
    ],
  },
  {
    ...fromPython('fetch', 'mcp-server-fetch', 'sdk-2.txt'),
    calls: ({ site }) => [
      tool('fetch', { url: `${site}/page` }),
      tool('fetch', { url: `${site}/missing` }),
      { method: 'prompts/get', name: 'fetch', args: { url: `${site}/page` } },
    ],
  },
  {
    ...fromPython('sqlite', 'mcp-server-sqlite', 'sdk-1.txt'),
    args: ({ scratch }) => ['--db-path', join(scratch, 'data.sqlite')],
    calls: () => [
      tool('create_table', { query: 'CREATE TABLE person (name TEXT, born INTEGER)' }),
      tool('write_query', { query: "INSERT INTO person VALUES ('Ada', 1815)" }),
      tool('read_query', { query: 'SELECT * FROM person' }),
      tool('read_query', { query: 'SELECT * FROM missing' }),
      { method: 'resources/read', name: 'memo://insights' },
      { method: 'prompts/get', name: 'mcp-demo', args: { topic: 'people' } },
    ],
  },
  fromPython('duckduckgo', 'duckduckgo-mcp-server', 'sdk-2.txt'),
];

/** How a server's program is started, given the folder that its packages were installed in. */
export function programOf(server: Server, installed: string, where: Surroundings): Program {
  const args = server.args?.(where) ?? [];
  if (server.source === 'python') return { command: join(installed, binFolder, server.command), args };
  const folder = join(installed, 'node_modules', server.package);
  const { bin }: { readonly bin: string | Readonly<Record<string, string>> } = readJson(join(folder, 'package.json'));
  const main = typeof bin === 'string' ? bin : bin[server.command];
  if (main === undefined) throw new Error(`${server.package} has no command ${server.command}`);
  return { command: process.execPath, args: [join(folder, main), ...args] };
}

const binFolder = process.platform === 'win32' ? 'Scripts' : 'bin';

function fromWorkspace(id: string, name: string, command: string): Server {
  const { devDependencies }: { readonly devDependencies: Readonly<Record<string, string>> } = readJson(
    join(repository, 'package.json'),
  );
  return { id, package: name, version: devDependencies[name] ?? '', source: 'workspace', command };
}

function fromNpm(id: string, name: string, command: string): Server {
  const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = readJson(
    join(serversFolder, 'npm/package.json'),
  );
  return { id, package: name, version: dependencies[name] ?? '', source: 'npm', command };
}

function fromPython(id: string, name: string, requirements: string): Server {
  const text = readFileSync(join(serversFolder, 'python', requirements), 'utf8');
  const version =
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}==`))
      ?.slice(name.length + 2) ?? '';
  return { id, package: name, version, source: 'python', requirements, command: name };
}

function readJson<Shape>(file: string): Shape {
  return JSON.parse(readFileSync(file, 'utf8'));
}
