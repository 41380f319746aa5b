// The clients that are tried, their versions, and how each is started.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Language = 'npm' | 'python' | 'go';

export type Target =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string };

export interface Client {
  /** Given to `--clients`. */
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly language: Language;
  /** Over which transports it reaches Portico; by the first it reaches the fixture itself. */
  readonly routes: readonly Target['kind'][];
  readonly command: string;
  readonly args: readonly string[];
}

const folder = fileURLToPath(new URL('../clients/', import.meta.url));
const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

const npmClient = (id: string, title: string, dependency: string, routes: Client['routes'] = ['stdio', 'http']) => ({
  id,
  title,
  version: manifest.dependencies[dependency]?.replace(/^npm:.*@/, '') ?? '',
  language: 'npm' as const,
  routes,
  command: process.execPath,
  args: [join(folder, `typescript/${id}.mjs`)],
});

export const npmClients: readonly Client[] = [
  npmClient('sdk-1-10', 'TypeScript SDK', 'sdk-1-10'),
  npmClient('sdk-1-32', 'TypeScript SDK', '@modelcontextprotocol/sdk'),
  npmClient('sdk-2', 'TypeScript SDK', '@modelcontextprotocol/client'),
  npmClient('ai-sdk', '@ai-sdk/mcp', '@ai-sdk/mcp'),
  npmClient('mcp-remote', 'mcp-remote', 'mcp-remote', ['http']),
];
