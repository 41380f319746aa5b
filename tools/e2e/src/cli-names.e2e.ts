// Names that are misspelt, and what a failed command says to people and to programs.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { porticoAt } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { argsOf, cliMain, type DaemonFiles, placeOf } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';

const runFile = promisify(execFile);

vi.setConfig({ testTimeout: 120_000 }); // a process for every command, and the machine may be busy

/** Characters that a shell would run, expand, split or take for a flag. */
const untypeable = [';id', '$(id)', '`id`', '*', '&id', ' id', '|id', '>id', "'", '"', '{a,b}', '!1', '#', 'é'];

let place: DaemonFiles;
let daemon: Daemon;
let portico: ReturnType<typeof porticoAt>;

beforeAll(async () => {
  const upstream = scripted({
    tools: [
      tool('get-sum'),
      tool('add-all'),
      tool('gated'),
      tool('read_graph'),
      ...untypeable.map((end) => tool(`odd${end}`)),
      tool('odd'),
    ],
    resources: [{ uri: 'test://doc', name: 'doc' }],
    prompts: [{ name: 'greet' }],
  });
  place = placeOf({
    mcpServers: { everything: upstream.server },
    profiles: { reading: { servers: ['everything'] } },
    capabilityAliases: { total: { target: 'everything.add-all' }, '--yes': { target: 'everything.add-all' } },
    policy: { requireApproval: ['everything.gated'] },
  });
  daemon = await startDaemon(undefined, place);
  await daemon.connected();
  portico = porticoAt(place);
});

describe('a misspelt name', () => {
  it.each([
    [['call', 'everything.get-smu'], 1, 'did you mean "everything.get-sum" or "everything.gated"?'],
    [['call', 'evrything.get-sum'], 1, 'did you mean "everything.get-sum"?'],
    [['call', 'get-sum'], 1, 'did you mean "everything.get-sum"?'],
    [['call', 'totla'], 1, 'did you mean "total"?'],
    [['describe', 'everything.read_grph'], 1, 'did you mean "everything.read_graph"?'],
    [['read', 'everything.test://dco'], 1, 'did you mean everything.test://doc?'],
    [['prompt', 'everything.gret'], 1, 'did you mean everything.greet?'],
    [['server', 'get', 'evrything'], 1, 'did you mean everything?'],
    [['server', 'restart', 'evrything'], 1, 'did you mean everything?'],
    [['list', '--profile', 'raeding'], 1, 'did you mean reading?'],
    [['config', 'profile', 'remove', 'raeding'], 1, 'did you mean reading?'],
    [['config', 'alias', 'remove', 'totl'], 1, 'did you mean total?'],
    [['lsit'], 2, 'Did you mean list?'],
    [['server', 'lst'], 2, 'Did you mean list?'],
    [['list', '--wdie'], 2, 'Did you mean --wide?'],
    [['audit', 'events', '--since', 'yestrday'], 2, 'Did you mean yesterday? Accepted are: yesterday, today, now, '],
    [['doctor', '--explain', 'port-takn'], 2, 'did you mean "port-taken"?'],
  ])('%j is answered with the one that is close', async (args, code, said) => {
    const result = await portico(args);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toContain(said);
  });

  it('that is like no other gets no suggestion', async () => {
    for (const args of [
      ['call', 'memory.search'],
      ['server', 'get', 'x'],
      ['list', '--profile', 'nobody'],
    ])
      expect((await portico(args)).stderr).not.toMatch(/did you mean/i);
  });
});

describe('a failure with --json', () => {
  const failure = (message: RegExp) => ({
    ok: false,
    error: { code: null, message: expect.stringMatching(message), retryable: false },
  });

  it.each([
    [['call', 'everything.nothing'], 1, { ok: false, data: null, error: { code: 'TOOL_NOT_FOUND' } }],
    [['call', 'everything.get-sum', 'word'], 2, failure(/"word" is no argument/)],
    [['list', '--url', 'http://127.0.0.1:9'], 3, failure(/^no daemon answers/)],
    [['list', '--nope'], 2, failure(/^unknown option '--nope'/)],
    [['server', 'get', 'nothing'], 1, failure(/no server "nothing"/)],
    [['doctor', '--explain', 'nothing'], 2, failure(/known are/)],
  ])('%j is one document on stdout, with the same exit code and the words on stderr', async (args, code, document) => {
    const result = await portico([...args, '--json']);
    expect(result.code).toBe(code);
    expect(result.json()).toMatchObject(document);
    expect(result.stderr).not.toBe('');
  });
});

describe('what the service says of its query string', () => {
  it('names the flags of the command', async () => {
    const said = async (...args: readonly string[]) => (await portico(args)).stderr.split('\n', 1)[0];
    expect(await said('audit', 'events', '--type', 'call')).toMatch(/^INVALID_ARGS: --type: expected one of /);
    expect(await said('audit', 'events', '--limit', '9999')).toMatch(/^INVALID_ARGS: --limit: /);
  });
});

describe('completion', () => {
  const suggested = async (...words: readonly string[]) =>
    (await portico(['__complete', '--', ...argsOf(place), ...words])).stdout.trim().split('\n');

  it('knows the ids of the running daemon', async () => {
    await daemon.call('everything.gated');
    const [id = ''] = await suggested('approvals', 'show', '');
    expect(id).toMatch(/^appr-/);
    expect(await suggested('approvals', 'approve', id.slice(0, -1))).toEqual([id]);
    expect(await suggested('server', 'get', 'ev')).toEqual(['everything']);
    expect(await suggested('call', 'everything.get')).toEqual(['everything.get-sum']);
    expect(await suggested('describe', 'tot')).toEqual(['total']);
    expect(await suggested('read', '')).toEqual(['everything.test://doc']);
    expect(await suggested('prompt', '')).toEqual(['everything.greet']);
    expect(await suggested('config', 'alias', 'remove', '')).toEqual(['total']);
    expect(await suggested('config', 'profile', 'remove', 're')).toEqual(['reading']);
    expect(await suggested('config', 'profile', 'set', 'new', 'everything', 'e')).toEqual(['everything']);
    expect(await suggested('list', '--profile', 're')).toEqual(['reading']);
    expect(await suggested('search', 'x', '--server', 'e')).toEqual(['everything']);
  });

  it('leaves out ids that a shell would not take for one plain word', async () => {
    const { body } = await daemon.list('capabilities');
    const ids = body.capabilities.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['--yes', ...untypeable.map((end) => `everything.odd${end}`)]));
    expect(await suggested('call', 'everything.odd')).toEqual(['everything.odd']);
    expect(await suggested('call', '')).not.toContain('--yes');
  });

  it('is silent where no daemon answers, or the one that does refuses', async () => {
    const away = await portico(['__complete', '--', '--url', 'http://127.0.0.1:9', 'server', 'get', '']);
    expect([away.code, away.stdout, away.stderr]).toEqual([0, '', '']);
  });

  const shells = [
    [
      'bash',
      'COMP_WORDS=(portico {words}); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _portico; printf "%s\\n" "${COMPREPLY[@]}"',
    ],
    [
      'zsh',
      'compadd() { printf "%s\\n" "${found[@]}"; }; _files() { :; }; words=(portico {words}); CURRENT=${#words}; _portico',
    ],
    ['fish', 'complete -C "portico {words}"'],
  ] as const;

  const isHere = ([shell]: (typeof shells)[number]) => spawnSync(shell, ['-c', 'true']).error === undefined;

  it.each(shells.filter(isHere))('of %s has them', async (shell, ask) => {
    const run = '"$NODE" "$CLI"';
    const portico =
      shell === 'fish' ? `function portico; ${run} $argv; end` : `compdef() { :; }; portico() { ${run} "$@"; }`;
    const load = shell === 'fish' ? 'portico completion fish | source' : `eval "$(portico completion ${shell})"`;
    const env = { ...process.env, NODE: process.execPath, CLI: cliMain, PORTICO_URL: daemon.url };
    const complete = async (words: string) => {
      const script = [portico, load, ask.replace('{words}', words)].join('\n');
      const { stdout, stderr } = await runFile(shell, ['-c', script], { env });
      return [stdout.trim().split('\n'), stderr];
    };
    expect(await complete('server get ev')).toEqual([['everything'], '']);
    expect(await complete('call everything.get')).toEqual([['everything.get-sum'], '']);
  });

  it('of bash takes ids with a colon, at which it breaks words', async () => {
    const env = { ...process.env, NODE: process.execPath, CLI: cliMain, PORTICO_URL: daemon.url };
    const script = [
      'portico() { "$NODE" "$CLI" "$@"; }; eval "$(portico completion bash)"',
      'COMP_WORDS=(portico read everything.test : //d); COMP_CWORD=4; _portico; echo "${COMPREPLY[@]}"',
    ].join('\n');
    expect((await runFile('bash', ['-c', script], { env })).stdout).toBe('//doc\n');
  });
});
