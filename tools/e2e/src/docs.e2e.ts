// The documentation does what it says: its requests are sent, its answers compared, its files and scripts are there.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { loadConfig } from '@portico/config-host';
import { Ajv } from 'ajv';
import { parse } from 'jsonc-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import type { Reply } from './support/client.js';
import { type Daemon, repository, startDaemon } from './support/daemon.js';
import { type Block, fencedBlocks, relativeLinks } from './support/markdown.js';
import { hello, run } from './support/mcp.js';
import { parseCurl } from './support/shell-words.js';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');

const readme = fencedBlocks(read('README.md'));

const requests = requestsOf(readme);

const commands = readme.filter(({ language, text }) => language === 'sh' && !text.startsWith('curl '));

const documents = [
  'README.md',
  ...readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
];

describe('the README', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    const config = read('docs/examples/mcp_servers.json');
    daemon = await startDaemon(config, { cwd: repository });
    await daemon.connected();
  });

  it('has requests, commands and a configuration to check', () => {
    expect(requests.length).toBeGreaterThan(5);
    expect(commands.length).toBeGreaterThan(1);
    expect(readme.filter(({ language }) => language === 'jsonc')).toHaveLength(1);
    const known = ['sh', 'json', 'http', 'jsonc'];
    expect(readme.filter(({ language }) => !known.includes(language))).toEqual([]);
  });

  it.each(requests.map((request) => [request.line, request.method, request.url.pathname, request] as const))(
    'in line %i: %s %s is answered as it says',
    async (_line, method, _path, { url, headers, body, expected }) => {
      expect(url.origin).toBe('http://127.0.0.1:9090');
      const path = `${url.pathname}${url.search}`;
      const reply = await daemon.send(path, { method, headers, ...(body === undefined ? {} : { body }) });
      expectAnswer(reply, expected);
    },
  );

  it('names scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const names = commands
      .flatMap(({ text }) => text.trim().split('\n'))
      .map((line) => {
        const [, name] = /^npm (?:run )?([\w:]+)(?: -- .*)?$/.exec(line) ?? [];
        return name ?? line;
      });
    expect(names).toEqual(expect.arrayContaining(['start', 'test']));
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
    const inline = [...read('README.md').matchAll(/`npm run ([\w:]+)`/g)].map(([, name = '']) => name);
    expect(inline.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('shows a configuration that the daemon loads and the JSON Schema accepts [config-file-json-schema]', async () => {
    const text = readme.find(({ language }) => language === 'jsonc')?.text ?? '';
    const file = join(tempFolder(), 'mcp_servers.json');
    writeFileSync(file, text);
    const { config, unknownFields } = await loadConfig(file);
    expect([[...config.servers.keys()], unknownFields]).toEqual([['files', 'tracker'], []]);
    const validate = new Ajv({ strict: false }).compile(JSON.parse(read('docs/config.schema.json')));
    expect([validate(parse(text)), validate.errors]).toEqual([true, null]);
  });
});

describe('the documents', () => {
  it.each(documents)('%s links to files that exist', (document) => {
    const folder = dirname(join(repository, document));
    const broken = relativeLinks(read(document)).filter((target) => !existsSync(join(folder, target)));
    expect(broken.map((target) => relative(repository, join(folder, target)))).toEqual([]);
  });
});

describe('the configurations in the documents', () => {
  const blocks = documents
    .filter((document) => document !== 'README.md')
    .flatMap((document) => fencedBlocks(read(document)).map((block) => ({ document, ...block })))
    .filter(({ language }) => language === 'jsonc');

  it.each(blocks)('$document, line $line: load, and have no unknown fields', async ({ text }) => {
    const file = join(tempFolder(), 'mcp_servers.json');
    writeFileSync(file, JSON.stringify({ mcpServers: {}, ...parse(text) }));
    expect((await loadConfig(file)).unknownFields).toEqual([]);
  });

  it('are there', () => {
    expect(blocks.map(({ document }) => document)).toEqual([
      'docs/access.md',
      'docs/audit.md',
      'docs/configuration.md',
      'docs/mcp-clients.md',
      'docs/mcp-clients.md',
      'docs/policy.md',
      'docs/sampling.md',
      'docs/search.md',
    ]);
  });
});

describe('the entry for an AI client', () => {
  const [entry] = fencedBlocks(read('docs/mcp-clients.md')).filter(({ language }) => language === 'json');

  it('starts a server that its client can talk to', async () => {
    const { portico } = JSON.parse(entry?.text ?? '').mcpServers;
    expect(portico.command).toBe('node');
    const [main = '', ...flags] = portico.args as readonly string[];
    const stateDir = join(tempFolder(), 'state');
    const args = flags.map((flag) => (flag.endsWith('.json') ? join(repository, flag) : flag));
    const { child, line } = run(join(repository, main), [...args, '--state-dir', stateDir]);
    child.stdin.write(`${JSON.stringify(hello(0))}\n`);
    expect(JSON.parse(await line('"id":0'))).toMatchObject({ result: { serverInfo: { name: 'portico' } } });
  });
});

describe('the guide to live configuration', () => {
  it('has requests that are answered as it says, one after the other', async () => {
    const daemon = await startDaemon(read('docs/examples/mcp_servers.json'), { cwd: repository });
    await daemon.connected();
    const guided = requestsOf(fencedBlocks(read('docs/live-configuration.md')));
    expect(guided).toHaveLength(9);
    for (const { method, url, headers, body, expected } of guided) {
      const path = `${url.pathname}${url.search}`;
      expectAnswer(await daemon.send(path, { method, headers, ...(body === undefined ? {} : { body }) }), expected);
    }
  });
});

/** The `curl` blocks, each with the block that says what comes back, where the next one does. */
function requestsOf(blocks: readonly Block[]) {
  return blocks.flatMap((block, index) => {
    if (block.language !== 'sh' || !block.text.startsWith('curl ')) return [];
    const next = blocks[index + 1];
    const expected = next?.language === 'json' || next?.language === 'http' ? next : undefined;
    return [{ ...parseCurl(block.text.trimEnd()), line: block.line, expected }];
  });
}

/** Nothing expected means 200; "…" in an expected text stands for anything. */
function expectAnswer({ status, body }: Reply, expected: Block | undefined): void {
  if (expected?.language === 'http') {
    expect(`HTTP/1.1 ${status}`).toBe(expected.text.split(' ').slice(0, 2).join(' '));
    return;
  }
  if (expected === undefined) {
    expect(status).toBe(200);
    return;
  }
  const wanted = JSON.parse(expected.text);
  expect(body).toEqual(withWildcards(wanted));
  expect(status === 200).toBe(wanted.ok !== false);
}

function withWildcards(value: unknown): unknown {
  if (typeof value === 'string' && value.endsWith('…')) {
    const start = value.slice(0, -1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return start === '' ? expect.anything() : expect.stringMatching(new RegExp(`^${start}`));
  }
  if (Array.isArray(value)) return value.map(withWildcards);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withWildcards(inner)]));
}
