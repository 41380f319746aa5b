// The clients that are tried, their versions, and how each is started.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const languages = ['npm', 'python', 'go'] as const;

export type Language = (typeof languages)[number];

export type Target =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string };

export interface Client {
  /** Given to `--clients`. */
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly language: Language;
  /** Over which transports it reaches Portico, and the fixture itself. */
  readonly routes: readonly Target['kind'][];
  /** The program without the folder of its language; for Python also its file of requirements. */
  readonly program: string;
  readonly requirements?: string;
}

export const clientsFolder = fileURLToPath(new URL('../clients/', import.meta.url));

const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

const both: Client['routes'] = ['stdio', 'http'];

const npm = (id: string, title: string, dependency: string, routes = both): Client => ({
  id,
  title,
  version: manifest.dependencies[dependency]?.replace(/^npm:.*@/, '') ?? '',
  language: 'npm',
  routes,
  program: `${id}.mjs`,
});

const python = (id: string, title: string, file: string, name: string, program: string): Client => ({
  id,
  title,
  version: pinned(readFileSync(join(clientsFolder, 'python/requirements', file), 'utf8'), `${name}==`),
  language: 'python',
  routes: both,
  program,
  requirements: file,
});

export const clients: readonly Client[] = [
  npm('sdk-1-10', 'TypeScript SDK', 'sdk-1-10'),
  npm('sdk-1-32', 'TypeScript SDK', '@modelcontextprotocol/sdk'),
  npm('sdk-2', 'TypeScript SDK', '@modelcontextprotocol/client'),
  npm('ai-sdk', '@ai-sdk/mcp', '@ai-sdk/mcp'),
  npm('mcp-remote', 'mcp-remote', 'mcp-remote', ['http']),
  python('python-sdk', 'Python SDK', 'sdk-2.txt', 'mcp', 'mcp_sdk.py'),
  python('fastmcp', 'FastMCP', 'sdk-2.txt', 'fastmcp', 'fastmcp_client.py'),
  python('langchain', 'LangChain MCP adapters', 'sdk-1.txt', 'langchain-mcp-adapters', 'langchain_adapters.py'),
  python('openai-agents', 'OpenAI Agents SDK', 'sdk-2.txt', 'openai-agents', 'openai_agents.py'),
  python('pydantic-ai', 'Pydantic AI', 'sdk-2.txt', 'pydantic-ai-slim', 'pydantic_ai_client.py'),
  {
    id: 'go-sdk',
    title: 'Go SDK',
    version: pinned(readFileSync(join(clientsFolder, 'go/go.mod'), 'utf8'), 'modelcontextprotocol/go-sdk v'),
    language: 'go',
    routes: both,
    program: 'interop-client',
  },
];

/** The version after this text, in a file that names each package once. */
function pinned(text: string, before: string): string {
  const line = text.split('\n').find((each) => each.startsWith(before) || each.includes(`/${before}`));
  if (line === undefined) throw new Error(`no line has ${before}`);
  return line.slice(line.indexOf(before) + before.length).trim();
}
