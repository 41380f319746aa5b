// Configuration files as people write them, and what is said when one cannot be used. On a real file system.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from './load-config.js';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-config-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function fileOf(text: string | Uint8Array): Promise<string> {
  const file = join(directory, 'mcp_servers.json');
  await writeFile(file, text);
  return file;
}

/** The lines of the error, without the first one, which names the file. */
async function problemsOf(text: string | Uint8Array): Promise<readonly string[]> {
  const file = await fileOf(text);
  const error: unknown = await loadConfig(file).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('the file was accepted');
  const [head, ...lines] = error.message.split('\n');
  expect(head).toBe(`configuration ${file} cannot be used:`);
  return lines;
}

describe('loadConfig', () => {
  it('takes comments, trailing commas and a byte order mark', async () => {
    const text = `\uFEFF// Servers of this machine.
{
  /* none yet */
  "port": 9191,
  "mcpServers": { "git": { "command": "git-mcp", "args": ["a//b", "/* c */",], }, },
}`;
    const { config, unknownFields } = await loadConfig(await fileOf(text));
    expect(config.port).toBe(9191);
    expect(config.servers.get('git')?.transport).toMatchObject({ args: ['a//b', '/* c */'] });
    expect(unknownFields).toEqual([]);
  });

  it('loads the example of the documentation', async () => {
    const example = fileURLToPath(new URL('../../../../docs/examples/mcp_servers.json', import.meta.url));
    const { config, unknownFields } = await loadConfig(example);
    expect([...config.servers.keys()]).toEqual(['everything', 'memory', 'filesystem']);
    expect(unknownFields).toEqual([]);
  });

  it('reports unknown fields, and loads the rest', async () => {
    const { unknownFields } = await loadConfig(
      await fileOf('{"prot": 1, "mcpServers": {"git": {"command": "x", "comandArgs": []}}}'),
    );
    expect(unknownFields).toEqual(['prot', 'mcpServers.git.comandArgs']);
  });

  it.each([
    ['', '  line 1, column 1: not valid JSON: a value is expected here'],
    ['{\n  "port" 9090\n}', '  line 2, column 10: not valid JSON: a colon is expected here'],
    ['{\r\n  "port" 9090\r\n}', '  line 2, column 10: not valid JSON: a colon is expected here'],
    ['\uFEFF{"port" 9090}', '  line 1, column 9: not valid JSON: a colon is expected here'],
    ['{"a": 1', '  line 1, column 8: not valid JSON: a closing } is expected here'],
    ['{"a": 1} {}', '  line 1, column 10: not valid JSON: more follows after the end'],
    ["{'a': 1}", '  line 1, column 2: not valid JSON: an unknown word; texts need double quotes'],
  ])('names line and column where %j is no JSON', async (text, line) => {
    expect(await problemsOf(text)).toEqual([line]);
  });

  it('never shows a part of a file that is no JSON, which may hold secrets', async () => {
    expect((await problemsOf('{"authToken": "s3cret" "x"}')).join()).not.toContain('s3cret');
  });

  it('refuses what is not UTF-8, which a change would write as something else', async () => {
    const bytes = Buffer.concat([Buffer.from('{"mcpServers": {} // caf'), Buffer.from([0xe9]), Buffer.from('\n}')]);
    expect(await problemsOf(bytes)).toEqual(['  it is not UTF-8']);
  });

  it('names every problem with the path of its field', async () => {
    const text = '{"port": 9090, "mcpServers": {"a": {}, "b": {"command": "x", "url": "http://y"}}}';
    expect(await problemsOf(text)).toEqual([
      '  mcpServers.a: needs exactly one of `command` and `url`; it has neither',
      '  mcpServers.b: needs exactly one of `command` and `url`; it has both',
    ]);
  });

  it.each(['postgres://db.test:99999/x', 'postgres://me:100%@db.test/x'])(
    'refuses %s as an address of a database',
    async (url) => {
      const text = JSON.stringify({ mcpServers: {}, storage: { url } });
      expect(await problemsOf(text)).toEqual(['  storage.url: is not a valid address']);
    },
  );

  it('says so of a file that holds no object', async () => {
    expect(await problemsOf('[]')).not.toEqual([]);
    expect(await problemsOf('"x"')).toEqual(['  expected Object, got string']);
  });

  it('says how to name another file where there is none', async () => {
    const file = join(directory, 'missing.json');
    await expect(loadConfig(file)).rejects.toThrow(
      `configuration ${file} cannot be used:\n  there is no such file; name one with --config FILE`,
    );
  });

  it('says why a file cannot be read', async () => {
    await expect(loadConfig(directory)).rejects.toThrow('it is not a file');
  });

  it('gives its problems as values too', async () => {
    const error: unknown = await loadConfig(await fileOf('{}')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ConfigError', issues: [{ path: 'mcpServers', message: 'is required' }] });
  });
});
