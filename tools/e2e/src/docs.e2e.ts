// The documentation does what it says: its requests are sent, its answers compared, its files and scripts are there.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '@portico/config-host';
import { Ajv } from 'ajv';
import { parse } from 'jsonc-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { type Daemon, repository, startDaemon } from './support/daemon.js';
import { isThere, markdownIn, read } from './support/documents.js';
import { expectAnswer, requestsOf } from './support/guided-requests.js';
import { fencedBlocks, relativeLinks } from './support/markdown.js';
import { cliMain, hello, run } from './support/mcp.js';
import { shellWords } from './support/shell-words.js';

const runFile = promisify(execFile);
const readme = fencedBlocks(read('README.md'));

const requests = requestsOf(readme);

const commands = readme.filter(({ language, text }) => language === 'sh' && text.startsWith('npm '));

const documents = ['README.md', ...markdownIn('docs')];
/** Documents about the repository itself. */
const aboutTheRepository = ['CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'CHANGELOG.md'];

describe('the README', () => {
  const replies = new Map<number, Awaited<ReturnType<Daemon['send']>>>();

  /** One after the other, as a reader sends them. */
  beforeAll(async () => {
    const daemon = await startDaemon(read('docs/examples/mcp_servers.json'));
    await daemon.connected();
    for (const { line, method, url, headers, body } of requests) {
      const path = `${url.pathname}${url.search}`;
      replies.set(line, await daemon.send(path, { method, headers, ...(body === undefined ? {} : { body }) }));
    }
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
    (line, _method, _path, { url, expected }) => {
      expect(url.origin).toBe('http://127.0.0.1:9090');
      const reply = replies.get(line);
      if (reply === undefined) throw new Error(`the request in line ${line} was not sent`);
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

  /** A reader types them one after the other. Those left out write to the files of AI clients: other tests run them. */
  it('has commands that do what it says', async () => {
    const { daemon, token } = await startExample();
    await daemon.connected();
    const lines = readme.flatMap(({ language, text }) => (language === 'sh' ? text.trimEnd().split('\n') : []));
    const own = lines.filter((line) => /^\.\/portico (?!init|clients)/.test(line));
    expect(own.length).toBeGreaterThan(5);
    const env = { PORTICO_URL: daemon.url, PORTICO_TOKEN: token };
    let ticket = '';
    for (const line of own) {
      const words = shellWords(line.replace('<id>', ticket)).slice(1);
      const { code, stdout, stderr } = await portico(words, { cwd: repository, env });
      ticket = /appr-[\w-]+/.exec(stdout + stderr)?.[0] ?? ticket;
      if (line.includes('memory.delete_entities'))
        expect([code, stderr.split(':')[0]]).toEqual([1, 'APPROVAL_PENDING']);
      else expect([line, code, stderr]).toEqual([line, 0, '']);
    }
    expect(ticket).not.toBe('');
  });

  it('has the command of the checkout run by its file, which needs no npx', () => {
    expect(read('README.md')).toMatch(/^\.\/portico /m);
    expect(read('README.md')).not.toMatch(/npx .*portico/);
    expect(existsSync(join(repository, 'portico'))).toBe(true);
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
  it.each([
    ...[...documents, ...aboutTheRepository, ...markdownIn('examples')],
    ...[...markdownIn('packages'), ...markdownIn('apps')],
  ])('%s links to files that exist, and to headings that are in them', (document) => {
    const broken = relativeLinks(read(document)).filter((link) => !isThere(document, link));
    expect(broken).toEqual([]);
  });
});

describe('the pictures in the documents', () => {
  const pictures = documents.flatMap((document) =>
    [...read(document).matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(([, text = '', target = '']) => ({
      text,
      path: join(dirname(document), target),
    })),
  );

  it.each(pictures)('$path is a picture, and says what it shows', ({ path, text }) => {
    expect(readFileSync(join(repository, path)).subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
    expect(text.length).toBeGreaterThan(10);
  });

  it('has one in the README, with the text by which the browser tests see when it is old', () => {
    const [picture] = [...read('README.md').matchAll(/!\[[^\]]+\]\((\S+)\.png\)/g)].map(([, path = '']) => path);
    expect(read(`${picture}.txt`)).toMatch(/\nOverview\nNeeds you \(#\)\nActivity\n/);
  });
});

describe('the commands in the documents', () => {
  const files = [...documents, ...markdownIn('packages'), ...markdownIn('apps'), 'tools/build/start.mjs'];
  const commands = files.flatMap((path) =>
    [...read(path).matchAll(/\b(?:npx|npm exec|npm x)\b[^\n`]*\bportico(?!\/)[\w-]*/g)].map(([text]) => ({
      path,
      text,
    })),
  );

  it('run nothing from a registry in place of Portico', () => {
    expect(commands.filter(({ text }) => !/^npx --no-install portico(-\w+)*$/.test(text))).toEqual([]);
    expect(commands.length).toBeGreaterThan(5);
  });
});

describe('the security model', () => {
  const defended = /## What is defended\n([\s\S]*?)\n## /.exec(read('docs/security-model.md'))?.[1] ?? '';
  const promises = defended
    .split('\n')
    .filter((line) => /^\| (?!Promise )/.test(line))
    .map((line) => {
      const cells = line.split(' | ');
      return { promise: cells[0]?.slice(2) ?? '', shownBy: cells.at(-1) ?? '' };
    });

  it('has promises', () => {
    expect(promises.length).toBeGreaterThan(20);
  });

  it.each(promises)('names a test for the promise: $promise', ({ promise, shownBy }) => {
    expect(promise).not.toBe('');
    expect(shownBy).toMatch(/\(\.\.\/[^)]+\.(e2e|test)\.ts\)/);
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
      'docs/budgets.md',
      'docs/budgets.md',
      'docs/budgets.md',
      'docs/budgets.md',
      'docs/configuration.md',
      'docs/getting-started.md',
      'docs/grants.md',
      'docs/lifecycle.md',
      'docs/mcp-clients.md',
      'docs/mcp-clients.md',
      'docs/mcp-clients.md',
      'docs/policy.md',
      'docs/policy.md',
      'docs/policy.md',
      'docs/sampling.md',
      'docs/sampling.md',
      'docs/search.md',
      'docs/search.md',
      'docs/secrets.md',
      'docs/several-daemons.md',
      'docs/storage.md',
      'docs/tools-lock.md',
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
    const { daemon, token } = await startExample();
    await daemon.connected();
    const guided = requestsOf(fencedBlocks(read('docs/live-configuration.md')));
    expect(guided).toHaveLength(9);
    for (const { method, url, headers, body, expected } of guided) {
      const path = `${url.pathname}${url.search}`;
      const sent = { ...headers, authorization: `Bearer ${token}` };
      expectAnswer(
        await daemon.send(path, { method, headers: sent, ...(body === undefined ? {} : { body }) }),
        expected,
      );
    }
  });
});

// A reader types them one after the other, and so are they run in a shuffled run.
describe('the guide to the command', { shuffle: false }, () => {
  const lines = fencedBlocks(read('docs/cli.md')).flatMap(({ text }) => text.trimEnd().split('\n'));
  let daemon: Daemon;
  let token: string;

  beforeAll(async () => {
    ({ daemon, token } = await startExample());
    await daemon.connected();
  });

  it('has command lines', () => {
    expect(lines.length).toBeGreaterThan(25);
  });

  it.each(lines)('has a line that does what it says: %s', async (line) => {
    const env = { PORTICO_URL: daemon.url, PORTICO_TOKEN: token };
    const words = simpleCommand(line);
    const { code, stderr } =
      words === undefined ? await inBash(line, env) : await portico(words, { cwd: repository, env });
    expect([code, stderr]).toEqual([0, '']);
  });

  /** The arguments that a shell would pass to the command; undefined for a line that needs one. */
  function simpleCommand(line: string): readonly string[] | undefined {
    try {
      const [program, ...words] = shellWords(line);
      return program === 'portico' ? words : undefined;
    } catch {
      return undefined;
    }
  }

  /** Rejects unless it ends with 0. */
  async function inBash(line: string, own: Readonly<Record<string, string>>) {
    const script = `portico() { "$NODE" "$CLI" "$@"; }\n${line}`;
    const env = { ...process.env, NODE: process.execPath, CLI: cliMain, ...own };
    return { code: 0, stderr: (await runFile('bash', ['-c', script], { cwd: repository, env })).stderr };
  }
});

/** With the token of its operator, which guides send that administer. */
async function startExample() {
  const stateDir = join(tempFolder(), 'state');
  const daemon = await startDaemon(read('docs/examples/mcp_servers.json'), { stateDir });
  return { daemon, token: readFileSync(join(stateDir, 'operator-token'), 'utf8').trim() };
}
