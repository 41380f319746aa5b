// The configuration file: what is read, what each field does, and the path that a wrong one is reported with.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'jsonc-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, refusalOf, repository, startDaemon } from './support/daemon.js';
import { runDaemon } from './support/daemon-process.js';
import { dead, fixture } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Description } from './support/wire.js';

describe('a config file', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    const { command, args } = fixture();
    const text = `{
      // Comments and trailing commas are fine.
      "$schema": "./config.schema.json",
      "somethingElse": { "of": "another program" },
      "tool_timeout_ms": 1,
      "toolTimeoutMs": 20000,
      /* servers by id */
      "mcpServers": {
        "with_Env-1": {
          "command": ${JSON.stringify(command)},
          "args": ${JSON.stringify([...args, '--flag of the test'])},
          "env": { "COLOUR": "blue" },
          "note": "mine",
        },
        "plain": { "command": ${JSON.stringify(command)}, "args": ${JSON.stringify(args)}, "env": {} },
      },
      "capabilityAliases": {
        "say": "plain.echo",
        "wait": { "target": "plain.sleep", "summary": "Wait", "description": "Waits.", "passthrough": true },
      },
      "resourceAliases": { "hello": { "target": "plain.fixture://text" } },
      "promptAliases": { "welcome": "plain.greet" },
      "profiles": { "one": { "servers": ["plain"], "description": "One of them" } },
    }`;
    daemon = await startDaemon(text);
    await daemon.connected();
  });

  it('may hold comments and keys that Portico does not know; the log names those [config-file-comments] [config-file-unknown-keys]', () => {
    expect(daemon.log()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        unknownFields: ['somethingElse', 'tool_timeout_ms', 'mcpServers.with_Env-1.note'],
      }),
    );
  });

  it('spells its fields in camelCase; snake_case is a key like any other [config-file-camel-case]', async () => {
    expect((await daemon.call('plain.sleep', { ms: 30 })).status).toBe(200); // tool_timeout_ms: 1 has no effect
  });

  it('maps server ids to servers, whose children get command, args and env [config-file-servers] [config-file-stdio-fields]', async () => {
    const { body } = await daemon.get<{ servers: { id: string }[] }>('/v1/servers');
    expect(body.servers.map(({ id }) => id)).toEqual(['with_Env-1', 'plain']);
    const child = (await daemon.call('with_Env-1.whoami')).body.data.structuredContent;
    expect(child.argv).toEqual(['--flag of the test']);
    expect(child.env.COLOUR).toBe('blue');
    expect((await daemon.call('plain.whoami')).body.data.structuredContent.env).not.toHaveProperty('COLOUR');
  });

  it('gives aliases as target or object, for capabilities with passthrough [config-file-aliases] [config-file-alias-object] [config-file-alias-passthrough]', async () => {
    expect(await daemon.ids('capabilities')).toEqual(expect.arrayContaining(['say', 'wait']));
    expect(await daemon.ids('resources')).toContain('hello');
    expect(await daemon.ids('prompts')).toContain('welcome');
    const { body } = await daemon.get<Description>('/v1/capabilities/wait');
    expect(body.capability.description).toBe('Waits.');
    const item = (await daemon.list('capabilities')).body.capabilities.find(({ id }) => id === 'wait');
    expect(item?.summary).toBe('Wait');
  });

  it('gives profiles as lists of servers [config-file-profiles]', async () => {
    const { status, body } = await daemon.list('prompts', { 'x-service-profile': 'one' });
    expect([status, new Set(body.prompts.map(({ server }) => server))]).toEqual([200, new Set(['plain'])]);
  });

  it('needs no more than mcpServers [config-file-defaults] [config-file-aliases] [config-file-profiles]', async () => {
    const minimal = await startDaemon({ mcpServers: {} });
    const lists = await Promise.all(
      (['capabilities', 'resources', 'prompts'] as const).map((name) => minimal.ids(name)),
    );
    expect(lists).toEqual([[], [], []]);
    expect((await minimal.list('capabilities', { 'x-service-profile': 'any' })).status).toBe(404);
  });

  it('sets resilience for all servers, and a server overrides it field by field [config-file-resilience-root] [config-file-resilience-override]', async () => {
    const other = await startDaemon({
      resilience: { failureThreshold: 1, cooldownMs: 600_000 },
      mcpServers: { shared: dead, own: { ...dead, resilience: { failureThreshold: 2 } } },
    });
    await eventually(async () => {
      expect([(await other.server('shared')).status, (await other.server('own')).status]).toEqual([
        'degraded',
        'degraded',
      ]);
    });
    const statuses = async (id: string) => [
      (await other.call(id)).status,
      (await other.call(id)).status,
      (await other.call(id)).status,
    ];
    expect(await statuses('shared.x')).toEqual([502, 503, 503]);
    expect(await statuses('own.x')).toEqual([502, 502, 503]);
    for (const id of ['shared', 'own']) {
      expect((await other.server(id)).circuit.remaining_ms).toBeGreaterThan(500_000); // the cooldown is the root's
    }
  });
});

const stdio = { command: 'node' };
const remote = { url: 'http://127.0.0.1:9/mcp' };
const withServer = (server: unknown) => ({ mcpServers: { s: server } });

/** A wrong file and the path of what is wrong in it, by what it shows. */
const refused: readonly (readonly [string, string, unknown])[] = [
  ['[config-file-servers-required]', 'mcpServers', {}],
  ['[config-file-servers-required] [daemon-exit-2-config]', 'mcpServers', { mcpServers: [] }],
  ['[config-file-port]', 'port', { mcpServers: {}, port: '9090' }],
  ['[config-file-port]', 'port', { mcpServers: {}, port: 65_536 }],
  ['[config-file-tool-timeout-invalid]', 'toolTimeoutMs', { mcpServers: {}, toolTimeoutMs: 0 }],
  ['[config-file-tool-timeout-invalid]', 'toolTimeoutMs', { mcpServers: {}, toolTimeoutMs: '1s' }],
  ['[config-file-aliases]', 'resourceAliases', { mcpServers: {}, resourceAliases: [] }],
  ['[config-file-alias-object]', 'capabilityAliases.a', { mcpServers: {}, capabilityAliases: { a: { summary: 'x' } } }],
  [
    '[config-file-alias-passthrough]',
    'capabilityAliases.a',
    { mcpServers: {}, capabilityAliases: { a: { target: 's.t', passthrough: 'yes' } } },
  ],
  ['[catalog-alias-chain-refused]', 'promptAliases.a', { mcpServers: {}, promptAliases: { a: 'b', b: 's.p' } }],
  ['[config-file-profiles]', 'profiles.p.servers', { mcpServers: {}, profiles: { p: { description: 'x' } } }],
  [
    '[config-file-profile-unknown-server]',
    'profiles.p.servers[1]',
    { ...withServer(stdio), profiles: { p: { servers: ['s', 'nope'] } } },
  ],
  ['[config-file-server-id]', 'mcpServers["a.b"]', { mcpServers: { 'a.b': stdio } }],
  ['[config-file-server-id]', `mcpServers.${'x'.repeat(65)}`, { mcpServers: { ['x'.repeat(65)]: stdio } }],
  ['[config-file-one-transport]', 'mcpServers.s', withServer({ ...stdio, ...remote })],
  ['[config-file-one-transport]', 'mcpServers.s', withServer({ args: [] })],
  ['[config-file-stdio-fields]', 'mcpServers.s.args', withServer({ ...stdio, args: 'x' })],
  ['[config-file-stdio-fields]', 'mcpServers.s.env.A', withServer({ ...stdio, env: { A: 1 } })],
  ['[config-file-http-fields]', 'mcpServers.s.url', withServer({ url: 7 })],
  ['[config-file-http-fields]', 'mcpServers.s.allowStateless', withServer({ ...remote, allowStateless: 'yes' })],
  [
    '[config-file-http-fields]',
    'mcpServers.s.allowedAddressClasses[0]',
    withServer({ ...remote, allowedAddressClasses: ['link-local'] }),
  ],
  ['[config-file-http-fields]', 'mcpServers.s.headers', withServer({ ...remote, headers: [] })],
  ['[config-file-http-fields]', 'mcpServers.s.auth', withServer({ ...remote, auth: 'x' })],
  [
    '[config-file-protocol-version] [config-file-enum-path]',
    'mcpServers.s.protocolVersion',
    withServer({ ...remote, protocolVersion: '2024-11-05' }),
  ],
  [
    '[config-file-resilience-fields]',
    'resilience.failureThreshold',
    { mcpServers: {}, resilience: { failureThreshold: 1.5 } },
  ],
  [
    '[config-file-resilience-fields]',
    'mcpServers.s.resilience.autoRestart',
    withServer({ ...stdio, resilience: { autoRestart: 1 } }),
  ],
  [
    '[config-file-resilience-fields]',
    'resilience.healthCheckIntervalSecs',
    { mcpServers: {}, resilience: { healthCheckIntervalSecs: '5' } },
  ],
  ['[config-file-auth-token]', 'authToken', { mcpServers: {}, authToken: 12 }],
  [
    '[upstream-auth-unknown-type] [config-file-enum-path]',
    'mcpServers.s.auth',
    withServer({ ...remote, auth: { type: 'digest' } }),
  ],
  ['[upstream-auth-bearer-one-source]', 'mcpServers.s.auth', withServer({ ...remote, auth: { type: 'bearer' } })],
  [
    '[upstream-auth-bearer-one-source]',
    'mcpServers.s.auth',
    withServer({ ...remote, auth: { type: 'bearer', token: 'a', tokenEnv: 'B' } }),
  ],
  [
    '[upstream-auth-basic-one-source]',
    'mcpServers.s.auth',
    withServer({ ...remote, auth: { type: 'basic', username: 'u' } }),
  ],
  [
    '[upstream-auth-basic-one-source]',
    'mcpServers.s.auth',
    withServer({ ...remote, auth: { type: 'basic', username: 'u', password: 'p', passwordEnv: 'P' } }),
  ],
  ['[upstream-url-scheme]', 'mcpServers.s.url', withServer({ url: 'ftp://files.example/' })],
];

describe('a config file that cannot be used ends the start with 2 and the path', () => {
  it.each(refused)('%s %s', async (_, path, config) => {
    const { code, stderr } = await refusalOf(config);
    expect(code).toBe(2);
    const [head, ...problems] = stderr.trimEnd().split('\n');
    expect(head).toMatch(/^configuration \/.*config\.json cannot be used:$/);
    expect(problems.map((line) => line.startsWith(`  ${path}`))).toContain(true);
  });

  it('of every problem, each on a line of its own [daemon-exit-2-config]', async () => {
    const { code, stdout, stderr } = await runDaemon({
      port: -1,
      toolTimeoutMs: 'x',
      mcpServers: { s: { command: 1 } },
    });
    const paths = stderr
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(':')[0]);
    expect([code, stdout, paths.sort()]).toEqual([2, '', ['mcpServers.s.command', 'port', 'toolTimeoutMs']]);
  });
});

describe('the JSON Schema of the config file', () => {
  const schema = JSON.parse(readFileSync(join(repository, 'docs/config.schema.json'), 'utf8'));
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

  it('accepts the example and refuses what the daemon refuses [config-file-json-schema]', () => {
    expect(validate(parse(readFileSync(join(repository, 'docs/examples/mcp_servers.json'), 'utf8')))).toBe(true);
    expect(validate({ mcpServers: {}, port: '9090' })).toBe(false);
    expect(validate.errors?.map(({ instancePath }) => instancePath)).toEqual(['/port']);
    expect(validate({})).toBe(false);
  });
});
