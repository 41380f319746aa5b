// Every rule of the configuration file with the path it reports, and what a valid file resolves to.
import { describe, expect, it } from 'vitest';
import type { Config } from './config.js';
import { defaultAudit } from './config.js';
import { resolveConfig } from './resolve-config.js';
import { unknownConfigFields } from './unknown-fields.js';

const stdio = { command: 'node' };
const remote = { url: 'https://mcp.example/mcp' };
const oauth2 = { type: 'oauth2', clientId: 'portico', authorizationServerUrl: 'https://as.test/tenant' };

/** A valid file with one server of each transport and the given fields on top. */
function fileOf(fields: object = {}): object {
  return { mcpServers: { git: stdio, web: remote }, ...fields };
}

function withServer(server: object): object {
  return { mcpServers: { git: server } };
}

function resolved(file: unknown): Config {
  const result = resolveConfig(file);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

function issuesOf(file: unknown): readonly string[] {
  const result = resolveConfig(file);
  return result.ok ? [] : result.issues.map(({ path, message }) => `${path}: ${message}`);
}

const defaults = {
  failureThreshold: 3,
  cooldownMs: 30_000,
  consecutiveSuccesses: 2,
  autoRestart: true,
  maxRestarts: 5,
  healthCheckIntervalSecs: null,
};

describe('resolveConfig', () => {
  it('fills in every default', () => {
    expect(resolved(fileOf())).toEqual({
      port: 9090,
      toolTimeoutMs: 15_000,
      maxToolTimeoutMs: 600_000,
      taskTimeoutMs: 1_800_000,
      aliases: { capability: new Map(), resource: new Map(), prompt: new Map() },
      profiles: new Map(),
      servers: new Map<string, unknown>([
        [
          'git',
          {
            transport: { kind: 'stdio', command: 'node', args: [], env: {} },
            lifecycle: { kind: 'eager' },
            resilience: defaults,
          },
        ],
        [
          'web',
          {
            transport: {
              kind: 'http',
              url: 'https://mcp.example/mcp',
              protocolVersion: '2026-07-28',
              allowStateless: false,
              allowPrivateMetadata: false,
              allowedAddressClasses: [],
              headers: {},
              auth: null,
            },
            lifecycle: { kind: 'eager' },
            resilience: defaults,
          },
        ],
      ]),
      authToken: null,
      access: { otherUsers: 'none', operatorToken: false, requireTokenOnLoopback: false },
      policy: {
        allow: [],
        deny: [],
        requireApproval: [],
        approvalTimeoutSecs: 300,
        redactKeys: null,
        webhook: null,
      },
      idempotencyTtlSecs: 86_400,
      mcpHttpServer: null,
      mcpExposure: 'facade',
      mcp: { firstListWaitMs: 5000 },
      supervisor: { retryGivenUpSecs: 300 },
      inspect: { isEnabled: false, maxMb: 64, bodies: 'redacted', maxBodyKb: 64 },
      lock: { mode: 'off', newTools: 'hold', file: 'tools.lock', accept: ['cosmetic', 'narrowed'], servers: new Map() },
      loops: null,
      budgets: [],
      prices: new Map(),
      approvals: { publicUrl: null, notices: [] },
      rbac: null,
      storage: null,
      audit: {
        isEnabled: true,
        filePath: null,
        durability: 'buffered',
        bufferCapacity: 10_000,
        flushIntervalMs: 250,
        maxBatchSize: 100,
        checkpointRecords: 1000,
        checkpointIntervalMs: 60_000,
        maxFileMb: 256,
        keepDays: null,
        digests: 'exceptions',
        siemTargets: [],
      },
      sampling: { provider: null, tickets: 'auto' },
      roots: [],
      search: { semantic: 'builtin', embeddings: null },
      limits: {
        validationSteps: 2_500_000,
        maxStallMs: 30_000,
        approvals: 1000,
        samplingTickets: 1000,
        waitingCharacters: 64_000_000,
        parkedCalls: 1000,
        tasks: 1000,
        sessions: 1000,
        streams: 1000,
        queuedCalls: 10_000,
        keptCharacters: 2_000_000_000,
        uriCharacters: 4096,
        listedUriCharacters: 2_000_000,
        resumableEvents: 1000,
        resumableBytes: 1_000_000,
        listedTemplates: 200,
        messageNames: 100_000,
      },
    });
  });

  it('keeps what is given', () => {
    const file = {
      port: 0,
      toolTimeoutMs: 100,
      authToken: 'a-token',
      capabilityAliases: { push: 'git.push', pull: { target: 'git.pull', summary: 'Pull', passthrough: true } },
      resourceAliases: { readme: { target: 'git.file:///README.md', description: 'Read me' } },
      promptAliases: { review: 'git.review' },
      profiles: { dev: { servers: ['web', 'git', 'git'], description: 'All' }, none: { servers: [] } },
      mcpServers: {
        git: { command: 'git-mcp', args: ['--stdio'], env: { HOME: '/tmp' } },
        web: {
          ...remote,
          protocolVersion: '2025-11-25',
          allowStateless: true,
          allowPrivateMetadata: true,
          allowedAddressClasses: ['private', 'loopback'],
          headers: { 'X-Team': 'a' },
          auth: { type: 'basic', username: 'u', passwordEnv: 'P' },
        },
      },
    };
    const config = resolved(file);
    expect([config.port, config.toolTimeoutMs, config.authToken]).toEqual([0, 100, 'a-token']);
    expect(config.aliases).toEqual({
      capability: new Map<string, unknown>([
        ['push', { target: 'git.push' }],
        ['pull', { target: 'git.pull', summary: 'Pull', passthrough: true }],
      ]),
      resource: new Map([['readme', { target: 'git.file:///README.md', description: 'Read me' }]]),
      prompt: new Map([['review', { target: 'git.review' }]]),
    });
    expect(config.profiles).toEqual(
      new Map<string, unknown>([
        ['dev', { servers: ['git', 'web'], description: 'All', policy: null }],
        ['none', { servers: [], description: null, policy: null }],
      ]),
    );
    expect([...config.servers.values()].map(({ transport }) => transport)).toEqual([
      { kind: 'stdio', command: 'git-mcp', args: ['--stdio'], env: { HOME: '/tmp' } },
      {
        kind: 'http',
        url: 'https://mcp.example/mcp',
        protocolVersion: '2025-11-25',
        allowStateless: true,
        allowPrivateMetadata: true,
        allowedAddressClasses: ['private', 'loopback'],
        headers: { 'X-Team': 'a' },
        auth: { type: 'basic', username: 'u', passwordEnv: 'P' },
      },
    ]);
  });

  it('has a lazy server stop after five minutes without use, or after the time that it says', () => {
    const config = resolved(
      fileOf({
        mcpServers: { a: { ...stdio, lifecycle: 'lazy' }, b: { ...stdio, lifecycle: 'lazy', idleStopSecs: 1 } },
      }),
    );
    expect([...config.servers.values()].map(({ lifecycle }) => lifecycle)).toEqual([
      { kind: 'lazy', idleStopSecs: 300 },
      { kind: 'lazy', idleStopSecs: 1 },
    ]);
  });

  it('has the processes of a server limited where it says so', () => {
    const config = resolved(fileOf({ mcpServers: { a: stdio, b: { ...stdio, maxProcesses: 1 } } }));
    const [a, b] = [...config.servers.values()].map(({ transport }) => transport);
    expect([a, b]).toMatchObject([{ kind: 'stdio' }, { maxProcesses: 1 }]);
    expect(a).not.toHaveProperty('maxProcesses');
  });

  it('lays resilience of the server over that of the file over the defaults', () => {
    const config = resolved({
      resilience: { failureThreshold: 9, cooldownMs: 0, healthCheckIntervalSecs: 30 },
      mcpServers: {
        own: { ...stdio, resilience: { failureThreshold: 1, autoRestart: false, healthCheckIntervalSecs: null } },
        shared: stdio,
      },
    });
    expect([...config.servers.values()].map(({ resilience }) => resilience)).toEqual([
      { ...defaults, failureThreshold: 1, cooldownMs: 0, autoRestart: false },
      { ...defaults, failureThreshold: 9, cooldownMs: 0, healthCheckIntervalSecs: 30 },
    ]);
  });

  it('reads null as absent if the format allows it', () => {
    const config = resolved({
      mcpServers: {
        git: { command: 'node', url: null, protocolVersion: null, allowStateless: null, auth: null },
        web: { ...remote, command: null, protocolVersion: null, allowStateless: null, auth: null },
      },
      policy: null,
      audit: null,
      mcpHttpServer: null,
    });
    expect([...config.servers.values()].map(({ transport }) => transport.kind)).toEqual(['stdio', 'http']);
  });

  it('keeps names that JavaScript objects have of their own', () => {
    const names = ['constructor', 'prototype', 'toString', 'hasOwnProperty'];
    const named = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
    const config = resolved({
      mcpServers: {
        ...named(stdio),
        git: { command: 'x', env: named('value') },
        web: { ...remote, headers: named('v') },
      },
      capabilityAliases: named('git.push'),
      profiles: named({ servers: names }),
    });
    expect([...config.servers.keys()]).toEqual([...names, 'git', 'web']);
    expect(config.servers.get('git')?.transport).toMatchObject({ env: named('value') });
    expect(config.servers.get('web')?.transport).toMatchObject({ headers: named('v') });
    expect([...config.aliases.capability.keys()]).toEqual(names);
    expect(config.profiles.get('constructor')?.servers).toEqual([...names].sort());
  });

  it.each([
    ['no object', 'x', ': expected Object, got string'],
    ['a list of servers', { mcpServers: [stdio] }, 'mcpServers: expected Object, got array'],
    ['a list of variables', withServer({ ...stdio, env: [] }), 'mcpServers.git.env: expected Object, got array'],
    ['no servers', {}, 'mcpServers: is required'],
    ['a port that is text', fileOf({ port: '9090' }), 'port: expected number, got string'],
    ['a port out of range', fileOf({ port: 65_536 }), 'port: expected <=65535, got 65536'],
    ['a broken port', fileOf({ port: 1.5 }), 'port: expected integer, got 1.5'],
    ['no time for tools', fileOf({ toolTimeoutMs: 0 }), 'toolTimeoutMs: expected >=1, got 0'],
    ['an empty authToken', fileOf({ authToken: '' }), 'authToken: expected a length of >=1, got 0'],
    [
      'an unknown protocol',
      withServer({ ...remote, protocolVersion: '1' }),
      'mcpServers.git.protocolVersion: expected ("2026-07-28" | "2025-11-25"), got "1"',
    ],
    [
      'an argument that is no text',
      withServer({ ...stdio, args: ['a', 1] }),
      'mcpServers.git.args[1]: expected string, got number',
    ],
    [
      'a variable that is no text',
      withServer({ ...stdio, env: { N: 1 } }),
      'mcpServers.git.env.N: expected string, got number',
    ],
    ['an empty command', withServer({ command: '' }), 'mcpServers.git.command: expected a length of >=1, got 0'],
    ['neither transport', withServer({}), 'mcpServers.git: needs exactly one of `command` and `url`; it has neither'],
    [
      'both transports',
      withServer({ ...stdio, ...remote }),
      'mcpServers.git: needs exactly one of `command` and `url`; it has both',
    ],
    ['headers of a child', withServer({ ...stdio, headers: {} }), 'mcpServers.git.headers: does not go with `command`'],
    [
      'a protocol version of a child',
      withServer({ ...stdio, protocolVersion: '2025-11-25' }),
      'mcpServers.git.protocolVersion: does not go with `command`',
    ],
    ['arguments of an address', withServer({ ...remote, args: [] }), 'mcpServers.git.args: does not go with `url`'],
    ['an environment of an address', withServer({ ...remote, env: {} }), 'mcpServers.git.env: does not go with `url`'],
    [
      'an address of a file',
      withServer({ url: 'file:///etc/passwd' }),
      'mcpServers.git.url: must be an http: or https: address',
    ],
    [
      'an address without a host',
      withServer({ url: 'http:///x' }),
      'mcpServers.git.url: must be an http: or https: address',
    ],
    [
      'a header name with a space',
      withServer({ ...remote, headers: { 'X Y': 'a' } }),
      'mcpServers.git.headers["X Y"]: is not a header name',
    ],
    [
      'a header value with a line break',
      withServer({ ...remote, headers: { X: 'a\r\nEvil: b' } }),
      'mcpServers.git.headers.X: must not hold a line break',
    ],
    [
      'an unknown kind of auth',
      withServer({ ...remote, auth: { type: 'digest' } }),
      'mcpServers.git.auth.type: expected an object whose type is "bearer", "basic" or "oauth2"',
    ],
    [
      'oauth2 without a client',
      withServer({ ...remote, auth: { type: 'oauth2', authorizationServerUrl: 'https://as.test' } }),
      'mcpServers.git.auth.clientId: is required',
    ],
    [
      'oauth2 at an authorization server that is no address',
      withServer({ ...remote, auth: { ...oauth2, authorizationServerUrl: 'as.test' } }),
      'mcpServers.git.auth.authorizationServerUrl: must be an http: or https: address without query',
    ],
    [
      'two scopes in one',
      withServer({ ...remote, auth: { ...oauth2, scopes: ['a b'] } }),
      'mcpServers.git.auth.scopes[0]: is not a scope: printable, no spaces',
    ],
    [
      'a client metadata document that is no https',
      withServer({ ...remote, auth: { ...oauth2, clientMetadataUrl: 'http://c.test/doc' } }),
      'mcpServers.git.auth.clientMetadataUrl: must be an https: address with a path',
    ],
    [
      'oauth2 with two client secrets',
      withServer({ ...remote, auth: { ...oauth2, clientSecret: 's', clientSecretEnv: 'S' } }),
      'mcpServers.git.auth: needs at most one of `clientSecret` and `clientSecretEnv`; it has both',
    ],
    [
      'a pattern that is no text',
      fileOf({ profiles: { p: { servers: [], policy: { deny: [1] } } } }),
      'profiles.p.policy.deny[0]: expected string, got number',
    ],
    ['an empty pattern', fileOf({ policy: { allow: [''] } }), 'policy.allow[0]: expected a length of >=1, got 0'],
    ['one pattern for a list', fileOf({ policy: { deny: 'git.*' } }), 'policy.deny: expected Array, got string'],
    [
      'an approval that never expires',
      fileOf({ policy: { approvalTimeoutSecs: 0 } }),
      'policy.approvalTimeoutSecs: expected >=1, got 0',
    ],
    [
      'a webhook without an address',
      fileOf({ policy: { webhook: { secret: 's' } } }),
      'policy.webhook.url: is required',
    ],
    [
      'a webhook that is no HTTP',
      fileOf({ policy: { webhook: { url: 'ftp://x' } } }),
      'policy.webhook.url: must be an http: or https: address',
    ],
    [
      'a webhook with two secrets',
      fileOf({ policy: { webhook: { url: 'http://x', secret: 's', secretEnv: 'S' } } }),
      'policy.webhook: needs at most one of `secret` and `secretEnv`; it has both',
    ],
    [
      'a webhook header that begins another',
      fileOf({ policy: { webhook: { url: 'http://x', headers: { A: 'x\r\nB: y' } } } }),
      'policy.webhook.headers.A: must not hold a line break',
    ],
    [
      'records that are gone at once',
      fileOf({ idempotency: { ttlSecs: 0 } }),
      'idempotency.ttlSecs: expected >=1, got 0',
    ],
    ['a list for an object', fileOf({ resilience: [] }), 'resilience: expected Object, got array'],
    [
      'an alias that no URL can carry',
      fileOf({ capabilityAliases: { '..': 'git.push' } }),
      'capabilityAliases[".."]: an alias needs a name that a URL can carry',
    ],
    [
      'a null character in a variable',
      withServer({ command: 'git', env: { KEY: 'secret\0' } }),
      'mcpServers.git.env.KEY: must not hold a null character',
    ],
    [
      'a variable name that is none',
      withServer({ command: 'git', env: { 'A=B': 'x' } }),
      'mcpServers.git.env["A=B"]: is not a variable name',
    ],
    [
      'a null character in an argument',
      withServer({ command: 'git', args: ['a\0'] }),
      'mcpServers.git.args: must not hold a null character',
    ],
    [
      'bearer auth with two secrets',
      withServer({ ...remote, auth: { type: 'bearer', token: 'a', tokenEnv: 'B' } }),
      'mcpServers.git.auth: needs exactly one of `token` and `tokenEnv`',
    ],
    [
      'bearer auth without a secret',
      withServer({ ...remote, auth: { type: 'bearer' } }),
      'mcpServers.git.auth: needs exactly one of `token` and `tokenEnv`',
    ],
    [
      'basic auth without a password',
      withServer({ ...remote, auth: { type: 'basic', username: 'u' } }),
      'mcpServers.git.auth: needs exactly one of `password` and `passwordEnv`',
    ],
    [
      'a server id with a dot',
      { mcpServers: { 'a.b': stdio } },
      'mcpServers["a.b"]: server id must be 1 to 64 of A-Z a-z 0-9 _ - (no dot)',
    ],
    [
      'an empty server id',
      { mcpServers: { '': stdio } },
      'mcpServers[""]: server id must be 1 to 64 of A-Z a-z 0-9 _ - (no dot)',
    ],
    [
      'a server id that is too long',
      { mcpServers: { ['x'.repeat(65)]: stdio } },
      `mcpServers.${'x'.repeat(65)}: server id must be 1 to 64 of A-Z a-z 0-9 _ - (no dot)`,
    ],
    [
      'no process at all',
      withServer({ ...stdio, maxProcesses: 0 }),
      'mcpServers.git.maxProcesses: expected >=1, got 0',
    ],
    [
      'processes of a server behind an address',
      withServer({ url: 'http://127.0.0.1:1/mcp', maxProcesses: 2 }),
      'mcpServers.git.maxProcesses: does not go with `url`',
    ],
    [
      'a time without use of an eager server',
      withServer({ ...stdio, idleStopSecs: 60 }),
      'mcpServers.git.idleStopSecs: goes only with `lifecycle: "lazy"`; remove it, or make the server lazy',
    ],
    [
      'no time without use',
      withServer({ ...stdio, lifecycle: 'lazy', idleStopSecs: 0 }),
      'mcpServers.git.idleStopSecs: expected >=1, got 0',
    ],
    [
      'a lifecycle that there is not',
      withServer({ ...stdio, lifecycle: 'cold' }),
      'mcpServers.git.lifecycle: expected ("eager" | "lazy"), got "cold"',
    ],
    [
      'no failures to count',
      withServer({ ...stdio, resilience: { failureThreshold: 0 } }),
      'mcpServers.git.resilience.failureThreshold: expected >=1, got 0',
    ],
    [
      'a cooldown longer than a timer',
      fileOf({ resilience: { cooldownMs: 2 ** 31 } }),
      'resilience.cooldownMs: expected <=2147483647, got 2147483648',
    ],
    [
      'an alias that is a number',
      fileOf({ capabilityAliases: { a: 1 } }),
      'capabilityAliases.a: expected a target such as "server.tool", or an object with `target`',
    ],
    [
      'an alias without a name',
      fileOf({ capabilityAliases: { '': 'git.push' } }),
      'capabilityAliases[""]: an alias needs a name that a URL can carry',
    ],
    [
      'an alias of an alias',
      fileOf({ promptAliases: { a: 'b', b: 'git.x' } }),
      'promptAliases.a: points at another alias, "b"; name its target',
    ],
    [
      'an alias of itself',
      fileOf({ promptAliases: { 'git.x': 'git.x' } }),
      'promptAliases["git.x"]: points at another alias, "git.x"; name its target',
    ],
    [
      'an alias whose target has no dot',
      fileOf({ resourceAliases: { a: 'git' } }),
      'resourceAliases.a: target "git" must be of the form <server>.<name>',
    ],
    [
      'an alias whose target ends at the dot',
      fileOf({ resourceAliases: { a: { target: 'git.' } } }),
      'resourceAliases.a: target "git." must be of the form <server>.<name>',
    ],
    [
      'an alias whose target has no server',
      fileOf({ capabilityAliases: { a: '.push' } }),
      'capabilityAliases.a: target ".push" must be of the form <server>.<name>',
    ],
    [
      'an alias with half a character',
      fileOf({ capabilityAliases: { 'a\ud800': 'git.push' } }),
      'capabilityAliases["a\\ud800"]: is not valid Unicode text',
    ],
    [
      'a target with half a character',
      fileOf({ capabilityAliases: { a: 'git.\udc00' } }),
      'capabilityAliases.a: is not valid Unicode text',
    ],
    [
      'a summary with half a character',
      fileOf({ capabilityAliases: { a: { target: 'git.x', summary: '\ud800' } } }),
      'capabilityAliases.a.summary: is not valid Unicode text',
    ],
    [
      'a pattern with half a character',
      fileOf({ policy: { deny: ['a', '\ud800'] } }),
      'policy.deny[1]: is not valid Unicode text',
    ],
    [
      'a variable with half a character',
      withServer({ ...stdio, env: { A: '\udc00' } }),
      'mcpServers.git.env.A: is not valid Unicode text',
    ],
    [
      'a profile with an unknown server',
      fileOf({ profiles: { dev: { servers: ['git', 'gti'] } } }),
      'profiles.dev.servers[1]: no server "gti" in mcpServers',
    ],
    [
      'a profile with a bad id',
      fileOf({ profiles: { 'd v': { servers: [] } } }),
      'profiles["d v"]: profile id must be 1 to 64 of A-Z a-z 0-9 _ - (no dot)',
    ],
    ['a profile without servers', fileOf({ profiles: { dev: {} } }), 'profiles.dev.servers: is required'],
  ])('refuses %s', (_what, file, issue) => {
    expect(issuesOf(file)).toEqual([issue]);
  });

  it.each([
    'postgres://me:pw@db.test:5433/portico',
    'postgresql:///portico?host=/run/postgresql',
    'env://DATABASE_URL',
  ])('keeps state where storage.url says: %s', (url) => {
    expect(resolved(fileOf({ storage: { url } })).storage).toEqual({ url });
  });

  it.each([null, undefined])('keeps state in SQLite where storage is %s', (storage) => {
    expect(resolved(fileOf({ storage })).storage).toBeNull();
  });

  it.each([
    [{}, 'storage.url: is required'],
    [
      { url: 'mysql://h/db' },
      'storage.url: must be a postgres:// or postgresql:// address, or a secret URI (env://, op://, keychain://) of one',
    ],
    [
      { url: '' },
      'storage.url: must be a postgres:// or postgresql:// address, or a secret URI (env://, op://, keychain://) of one',
    ],
  ])('refuses the storage block %j', (storage, issue) => {
    expect(issuesOf(fileOf({ storage }))).toEqual([issue]);
  });

  it('fills in what the block of the MCP listener leaves open', () => {
    const defaults = {
      port: 9191,
      bind: '127.0.0.1',
      sseKeepAliveMs: 15_000,
      ssePollMs: null,
      jsonResponse: true,
      profile: null,
      allowedHosts: [],
      allowedOrigins: [],
    };
    expect(resolved(fileOf({ mcpHttpServer: {} })).mcpHttpServer).toEqual(defaults);
    expect(resolved(fileOf({ mcpHttpServer: null })).mcpHttpServer).toBeNull();
    const own = {
      port: 0,
      bind: '::1',
      sseKeepAliveMs: null,
      ssePollMs: 50,
      jsonResponse: false,
      profile: 'dev',
      allowedHosts: ['mcp.example'],
      allowedOrigins: ['https://app.example'],
    };
    const config = resolved(fileOf({ mcpHttpServer: own, profiles: { dev: { servers: [] } }, mcpExposure: 'both' }));
    expect([config.mcpHttpServer, config.mcpExposure]).toEqual([own, 'both']);
  });

  it.each([
    ['port', { port: 70_000 }, 'mcpHttpServer.port: expected <=65535, got 70000'],
    ['bind', { bind: 'mcp.example' }, 'mcpHttpServer.bind: expected an IP address or localhost'],
    ['sseKeepAliveMs', { sseKeepAliveMs: 0 }, 'mcpHttpServer.sseKeepAliveMs: expected >=1, got 0'],
    ['profile', { profile: 'gone' }, 'mcpHttpServer.profile: no profile "gone" in profiles'],
    ['allowedHosts', { allowedHosts: 'x' }, 'mcpHttpServer.allowedHosts: expected Array, got string'],
  ])('refuses a listener with an invalid %s', (_field, mcpHttpServer, issue) => {
    expect(issuesOf(fileOf({ mcpHttpServer }))).toEqual([issue]);
  });

  it('fills in how long a first list waits', () => {
    expect(resolved(fileOf({ mcp: null })).mcp).toEqual({ firstListWaitMs: 5000 });
    expect(resolved(fileOf({ mcp: {} })).mcp).toEqual({ firstListWaitMs: 5000 });
    expect(resolved(fileOf({ mcp: { firstListWaitMs: 0 } })).mcp).toEqual({ firstListWaitMs: 0 });
  });

  it.each([
    [{ firstListWaitMs: -1 }, 'mcp.firstListWaitMs: expected >=0, got -1'],
    [{ firstListWaitMs: 60_001 }, 'mcp.firstListWaitMs: expected <=60000, got 60001'],
    [{ firstListWaitMs: '5s' }, 'mcp.firstListWaitMs: expected number, got string'],
  ])('refuses the block %j of MCP clients', (mcp, issue) => {
    expect(issuesOf(fileOf({ mcp }))).toEqual([issue]);
  });

  it('fills in the limits that are left open', () => {
    const all = resolved(fileOf({})).limits;
    for (const none of [{ limits: null }, { limits: {} }]) expect(resolved(fileOf(none)).limits).toEqual(all);
    const limits = { approvals: 1, samplingTickets: 2, waitingCharacters: 3, parkedCalls: 4 };
    const others = {
      tasks: 5,
      sessions: 6,
      streams: 7,
      queuedCalls: 8,
      keptCharacters: 9,
      uriCharacters: 10,
      listedUriCharacters: 11,
      resumableEvents: 13,
      resumableBytes: 14,
      listedTemplates: 12,
      messageNames: 15,
      validationSteps: 1000,
      maxStallMs: 0,
    };
    expect(resolved(fileOf({ limits })).limits).toEqual({ ...all, ...limits });
    expect(resolved(fileOf({ limits: { ...limits, ...others } })).limits).toEqual({ ...limits, ...others });
  });

  it('takes the given lock, and rules of a server only where they are stricter', () => {
    const servers = { a: { mode: 'enforce' }, b: { mode: 'off', newTools: 'allow' } };
    expect(resolved(fileOf({ lock: { mode: 'warn', file: 'l', accept: [], servers } })).lock).toEqual({
      mode: 'warn',
      newTools: 'hold',
      file: 'l',
      accept: [],
      servers: new Map([
        ['a', { mode: 'enforce', newTools: 'hold' }],
        ['b', { mode: 'warn', newTools: 'hold' }],
      ]),
    });
    expect(issuesOf(fileOf({ lock: { accept: ['identity'] } }))).toEqual([expect.stringMatching(/^lock\.accept/)]);
    expect(issuesOf(fileOf({ lock: { mod: 'warn' } }))).toEqual([expect.stringMatching(/^lock\.mod: .*mode/)]);
    expect(issuesOf(fileOf({ lock: { servers: { a: { accept: [] } } } }))).toEqual([
      expect.stringMatching(/^lock\.servers\.a\.accept/),
    ]);
  });

  it('takes the given inspector, and refuses unknown fields of it', () => {
    const inspect = { enabled: true, maxMb: 8, bodies: 'shape', maxBodyKb: 1 };
    expect(resolved(fileOf({ inspect })).inspect).toEqual({ isEnabled: true, maxMb: 8, bodies: 'shape', maxBodyKb: 1 });
    expect(issuesOf(fileOf({ inspect: { maxMb: 0 } }))).toEqual(['inspect.maxMb: expected >=1, got 0']);
    expect(issuesOf(fileOf({ inspect: { bodys: 'off' } }))).toEqual([
      expect.stringMatching(/^inspect\.bodys: .*bodies/),
    ]);
  });

  it('fills in the loops block, leaves it off without one, and refuses invalid values and unknown fields', () => {
    const defaults = { identical: 5, withinSecs: 600, alternating: true, onDetected: 'deny', except: [] };
    expect(resolved(fileOf({ loops: {} })).loops).toEqual(defaults);
    expect(resolved(fileOf({ loops: null })).loops).toBeNull();
    const given = { identical: 2, withinSecs: 1, alternating: false, onDetected: 'warn', except: ['jobs.*'] };
    expect(resolved(fileOf({ loops: given })).loops).toEqual(given);
    for (const identical of [0, 1, -1, 101, 2.5, '5', 1e300])
      expect(issuesOf(fileOf({ loops: { identical } }))).toEqual([
        expect.stringMatching(/^loops\.identical: expected/),
      ]);
    expect(issuesOf(fileOf({ loops: { withinSecs: 86_401 } }))).toEqual([
      'loops.withinSecs: expected <=86400, got 86401',
    ]);
    expect(issuesOf(fileOf({ loops: { onDetected: 'block' } }))).toEqual([
      expect.stringMatching(/^loops\.onDetected: /),
    ]);
  });

  it('fills in budgets and prices, in whole units', () => {
    const scope = { by: 'actor', match: 's.*', only: 'night-*' };
    const budget = {
      id: 'b',
      scope,
      window: 'week',
      upstreamSecs: 2,
      cost: 0.1,
      warnAt: 1,
      onExhausted: 'requireApproval',
    };
    const prices = { 's.a': 0.005, 's.*': 0 };
    const config = resolved(fileOf({ budgets: [{ id: 'a', calls: 1, scope: null }, budget], prices }));
    const defaults = { by: 'global', match: null, only: null, window: 'day', warnAt: 0.8, onExhausted: 'deny' };
    expect(config.budgets).toEqual([
      { id: 'a', ...defaults, limits: { calls: 1 } },
      {
        id: 'b',
        ...scope,
        window: 'week',
        limits: { upstreamUs: 2_000_000, costMicros: 100_000 },
        warnAt: 1,
        onExhausted: 'requireApproval',
      },
    ]);
    expect([...config.prices]).toEqual([
      ['s.a', 5000],
      ['s.*', 0],
    ]);
    expect(resolved(fileOf({ budgets: null, prices: null }))).toMatchObject({ budgets: [], prices: new Map() });
  });

  it.each<[object, string]>([
    [{ budgets: [{ id: 'a' }] }, 'budgets[0]: needs a limit: calls, resultBytes, resultTokens, upstreamSecs or cost'],
    [
      {
        budgets: [
          { id: 'a', calls: 1 },
          { id: 'a', calls: 1 },
        ],
      },
      'budgets[1].id: "a" is there twice',
    ],
    [{ budgets: [{ id: 'a b', calls: 1 }] }, 'budgets[0].id: must be 1 to 64 of A-Z a-z 0-9 _ -'],
    [{ budgets: [{ id: 'a', calls: 0 }] }, 'budgets[0].calls: expected >=1, got 0'],
    [{ budgets: [{ id: 'a', resultBytes: -1 }] }, 'budgets[0].resultBytes: expected >=1, got -1'],
    [{ budgets: [{ id: 'a', resultTokens: 1e300 }] }, 'budgets[0].resultTokens: expected <=1000000000000, got 1e+300'],
    [{ budgets: [{ id: 'a', cost: 0 }] }, 'budgets[0].cost: expected >=0.000001, got 0'],
    [{ prices: { 's.a': -1 } }, 'prices["s.a"]: expected >=0, got -1'],
    [{ prices: { 's.a': 1e-7 } }, 'prices["s.a"]: must be 0 or at least 0.000001'],
    [
      { budgets: [{ id: 'a', calls: 1, scope: { only: 'night-*' } }] },
      'budgets[0].scope.only: needs "by" beside it, such as actor: the account of all calls has no name',
    ],
    [{ budgets: {} }, 'budgets: expected Array, got object'],
  ])('refuses %j', (file, issue) => {
    expect(issuesOf(fileOf(file))).toEqual([issue]);
  });

  it('refuses invalid limits, and points out misspelt ones', () => {
    expect(issuesOf(fileOf({ limits: { tasks: 0 } }))).toEqual(['limits.tasks: expected >=1, got 0']);
    expect(issuesOf(fileOf({ limits: { queuedCalls: 1.5 } }))).toEqual([
      'limits.queuedCalls: expected integer, got 1.5',
    ]);
    expect(issuesOf(fileOf({ limits: { uriCharacters: 1_000_001 } }))).toEqual([
      'limits.uriCharacters: expected <=1000000, got 1000001',
    ]);
    expect(issuesOf(fileOf({ limits: [] }))).toEqual(['limits: expected Object, got array']);
    expect(issuesOf(fileOf({ limits: { task: 1 } }))).toEqual([
      'limits.task: is no field that Portico knows; did you mean "tasks"?',
    ]);
  });

  it('fills in what an embeddings provider leaves open, and has none by default', () => {
    const openai = { provider: 'openai', url: 'http://127.0.0.1:11434/v1', model: 'm' };
    const local = { provider: 'transformers', model: '/models/m' };
    expect(resolved(fileOf({ search: { embeddings: openai } })).search).toEqual({
      semantic: 'builtin',
      embeddings: { ...openai, apiKeyEnv: null, dimensions: null },
    });
    const whole = { ...openai, apiKeyEnv: 'KEY', dimensions: 256 };
    expect(resolved(fileOf({ search: { embeddings: whole } })).search).toMatchObject({ embeddings: whole });
    expect(resolved(fileOf({ search: { embeddings: local } })).search).toMatchObject({ embeddings: local });
    for (const none of [{}, { search: null }, { search: {} }, { search: { embeddings: null } }]) {
      expect(resolved(fileOf(none)).search).toEqual({ semantic: 'builtin', embeddings: null });
    }
  });

  it('uses meaning unless it is turned off', () => {
    const semanticOf = (semantic: unknown) => resolved(fileOf({ search: { semantic } })).search.semantic;
    expect([null, 'builtin', 'off'].map(semanticOf)).toEqual(['builtin', 'builtin', 'off']);
    expect(issuesOf(fileOf({ search: { semantic: 'on' } }))).toEqual([expect.stringContaining('search.semantic')]);
  });

  it.each<[string, unknown, string]>([
    ['without a provider', { model: 'm' }, 'search.embeddings.provider: is required'],
    [
      'with another provider',
      { provider: 'cohere', model: 'm' },
      'search.embeddings.provider: expected ("openai" | "transformers"), got "cohere"',
    ],
    ['without a model', { provider: 'transformers' }, 'search.embeddings.model: is required'],
    [
      'without an address',
      { provider: 'openai', url: 'file:///x', model: 'm' },
      'search.embeddings.url: must be an http: or https: address',
    ],
    [
      'with vectors of no length',
      { provider: 'openai', url: 'http://x', model: 'm', dimensions: 0 },
      'search.embeddings.dimensions: expected >=1, got 0',
    ],
    ['that is a list', [], 'search.embeddings: expected Object, got array'],
  ])('refuses an embeddings provider %s', (_what, embeddings, issue) => {
    expect(issuesOf(fileOf({ search: { embeddings } }))).toEqual([issue]);
  });

  it('points out misspelt fields of an embeddings provider', () => {
    const unknown = (embeddings: unknown) => unknownConfigFields(fileOf({ search: { embeddings, x: 1 } }));
    expect(unknown({ provider: 'openai', url: 'http://x', model: 'm', apikeyEnv: 'K' })).toEqual([
      'search.x',
      'search.embeddings.apikeyEnv',
    ]);
    expect(unknown({ provider: 'transformers', model: 'm', url: 'http://x' })).toEqual([
      'search.x',
      'search.embeddings.url',
    ]);
    expect(unknown(7)).toEqual(['search.x']);
  });

  it('fills in what a sampling provider leaves open, and has none by default', () => {
    const provider = { url: 'https://llm.example/v1', model: 'm' };
    expect(resolved(fileOf({ sampling: { provider } })).sampling).toEqual({
      provider: { ...provider, apiKeyEnv: null, maxTokens: null },
      tickets: 'auto',
    });
    expect(resolved(fileOf({ sampling: { tickets: 'always' } })).sampling.tickets).toBe('always');
    for (const none of [{}, { sampling: null }, { sampling: {} }, { sampling: { provider: null } }]) {
      expect(resolved(fileOf(none)).sampling).toEqual({ provider: null, tickets: 'auto' });
    }
  });

  it.each([
    ['without a model', { url: 'https://llm.example' }, 'sampling.provider.model: is required'],
    ['without an address', { url: 'llm', model: 'm' }, 'sampling.provider.url: must be an http: or https: address'],
    [
      'without tokens',
      { url: 'https://llm.example', model: 'm', maxTokens: 0 },
      'sampling.provider.maxTokens: expected >=1, got 0',
    ],
  ])('refuses a sampling provider %s', (_what, provider, issue) => {
    expect(issuesOf(fileOf({ sampling: { provider } }))).toEqual([issue]);
  });

  it('refuses a rule for tickets that there is not', () => {
    expect(issuesOf(fileOf({ sampling: { tickets: 'never' } }))).toEqual([
      'sampling.tickets: expected ("auto" | "always"), got "never"',
    ]);
  });

  it.each<[unknown, unknown]>([
    [undefined, undefined],
    [null, undefined],
    [{}, { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }],
    [{ sampling: false }, { elicitation: { form: {}, url: {} }, roots: {} }],
    [
      { elicitation: 'form', roots: false },
      { elicitation: { form: {} }, sampling: {} },
    ],
    [{ elicitation: 'url', sampling: false, roots: false }, { elicitation: { url: {} } }],
    [
      { elicitation: false, sampling: true, roots: true },
      { sampling: {}, roots: {} },
    ],
  ])('declares to a server with clientCapabilities %j what MCP calls %j', (clientCapabilities, declared) => {
    const config = resolved(withServer({ ...stdio, clientCapabilities }));
    expect(config.servers.get('git')?.clientCapabilities).toEqual(declared);
  });

  const kinds = 'known are elicitation, sampling, roots';
  it.each<[unknown, string]>([
    [['sampling'], ': expected an object such as {"sampling": false}'],
    ['none', ': expected an object such as {"sampling": false}'],
    [{ samplng: false }, `.samplng: is no kind of question; did you mean "sampling"? (${kinds})`],
    [{ tools: false }, `.tools: is no kind of question; ${kinds}`],
    [{ sampling: {} }, '.sampling: expected true or false'],
    [{ elicitation: 'forms' }, '.elicitation: expected true, false, "form" or "url"'],
  ])('refuses clientCapabilities %j', (clientCapabilities, issue) => {
    expect(issuesOf(withServer({ ...stdio, clientCapabilities }))).toEqual([
      `mcpServers.git.clientCapabilities${issue}`,
    ]);
  });

  it('takes roots as they are, and none by default', () => {
    const roots = [
      { uri: 'file:///home/ann/a%20b', name: 'A' },
      { uri: 'file:///C:/work', name: null },
      { uri: 'file://host/share' },
    ];
    expect(resolved(fileOf({ roots })).roots).toEqual([
      { uri: 'file:///home/ann/a%20b', name: 'A' },
      { uri: 'file:///C:/work' },
      { uri: 'file://host/share' },
    ]);
    expect(resolved(fileOf({ roots: null })).roots).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{}, ': expected Array, got object'],
    [['file:///a'], '[0]: expected an object such as {"uri": "file:///home/ann/project"}'],
    [[{ name: 'a' }], '[0].uri: is required'],
    [[{ uri: '/home/ann' }], '[0].uri: must be a file:// URI, such as file:///home/ann/project'],
    [[{ uri: 'https://x/a' }], '[0].uri: must be a file:// URI, such as file:///home/ann/project'],
    [
      [{ uri: 'file://home' }],
      '[0].uri: must be a file:// URI with an absolute path, such as file:///home/ann/project, without ? and #',
    ],
    [[{ uri: 'file:///a b' }], '[0].uri: must not hold spaces or control characters; write a space as %20'],
    [[{ uri: 'file:///100%' }], '[0].uri: has a % without two hexadecimal digits; write it as %25'],
    [[{ uri: 'file:///a', nam: 'a' }], '[0].nam: is no field of a root; did you mean "name"? (known are uri, name)'],
    [[{ uri: 'file:///a', name: '' }], '[0].name: expected a length of >=1, got 0'],
    [Array.from({ length: 1001 }, () => ({ uri: 'file:///a' })), ': at most 1000 roots (a fixed limit)'],
  ])('refuses roots such as %.60j', (roots, issue) => {
    expect(issuesOf(fileOf({ roots }))).toEqual([`roots${issue}`]);
  });

  it('fills in what a policy leaves open', () => {
    const webhook = { url: 'https://hooks.example/x', secretEnv: 'HOOK' };
    const file = { policy: { deny: ['git.*'], webhook }, profiles: { p: { servers: [], policy: { allow: ['a.*'] } } } };
    const config = resolved({ ...fileOf(file), idempotency: { ttlSecs: 60 } });
    expect([config.policy, config.profiles.get('p')?.policy, config.idempotencyTtlSecs]).toEqual([
      {
        allow: [],
        deny: ['git.*'],
        requireApproval: [],
        approvalTimeoutSecs: 300,
        redactKeys: null,
        webhook: { ...webhook, secret: null, authHeader: null, headers: {} },
      },
      { allow: ['a.*'], deny: [], requireApproval: [] },
      60,
    ]);
  });

  it.each([
    [{ maxUses: 0 }, 'maxUses: expected >=1, got 0'],
    [{ maxUses: -1 }, 'maxUses: expected >=1, got -1'],
    [{ maxUses: 1e9 }, 'maxUses: expected <=10000, got 1000000000'],
    [{ maxTtlSecs: 1.5 }, 'maxTtlSecs: expected integer, got 1.5'],
    [{ maxTtlSecs: 1e300 }, 'maxTtlSecs: expected <=2592000, got 1e+300'],
    [{ mayOffer: [''] }, 'mayOffer[0]: expected a length of >=1, got 0'],
    [{ enabled: 'yes' }, 'enabled: expected boolean, got string'],
  ])('refuses grants with %j', (grants, issue) => {
    expect(issuesOf(fileOf({ policy: { grants } }))).toEqual([`policy.grants.${issue}`]);
  });

  it.each([
    [null, undefined],
    [{}, undefined],
    [{ enabled: false, maxUses: 3 }, undefined],
    [{ enabled: true }, { maxTtlSecs: 28_800, maxUses: 100, mayOffer: null }],
    [
      { enabled: true, maxUses: 3, maxTtlSecs: 60, mayOffer: ['a.*'] },
      { maxTtlSecs: 60, maxUses: 3, mayOffer: ['a.*'] },
    ],
  ])('has grants only where they are enabled: %j', (grants, rules) => {
    expect(resolved(fileOf({ policy: { grants } })).policy.grants).toEqual(rules);
  });

  it('fills in what an audit block leaves open', () => {
    const targets = [
      { type: 'webhook', url: 'https://siem.example/x', headers: { 'X-Team': 'a' } },
      { type: 'splunk_hec', url: 'https://splunk.example', token: 't', index: 'main' },
    ];
    const { audit } = resolved(fileOf({ audit: { filePath: 'audit.jsonl', maxBatchSize: 5, siem: { targets } } }));
    expect(audit).toEqual({
      ...defaultAudit,
      filePath: 'audit.jsonl',
      maxBatchSize: 5,
      siemTargets: [
        { kind: 'webhook', url: 'https://siem.example/x', authHeader: null, headers: { 'X-Team': 'a' } },
        { kind: 'splunk_hec', url: 'https://splunk.example', token: 't', index: 'main', source: null },
      ],
    });
    expect(resolved(fileOf({ audit: { enabled: false, durability: 'strict', siem: null } })).audit).toEqual({
      ...defaultAudit,
      isEnabled: false,
      durability: 'strict',
    });
  });

  it.each([
    [{ enabled: 'no' }, /^audit\.enabled: /],
    [{ durability: 'sometimes' }, /^audit\.durability: /],
    [{ bufferCapacity: 0 }, /^audit\.bufferCapacity: /],
    [{ flushIntervalMs: 1.5 }, /^audit\.flushIntervalMs: /],
    [{ filePath: '' }, /^audit\.filePath: /],
    [{ filePath: 'a\0b' }, /^audit\.filePath: must not hold a null character$/],
    [{ siem: [] }, /^audit\.siem: /],
    [{ siem: { targets: [{ type: 'syslog', url: 'http://x' }] } }, /^audit\.siem\.targets\[0\]/],
    [{ siem: { targets: [{ type: 'webhook', url: 'ftp://x' }] } }, /^audit\.siem\.targets\[0\]\.url: must be/],
    [{ siem: { targets: [{ type: 'splunk_hec', url: 'http://x' }] } }, /^audit\.siem\.targets\[0\]\.token: /],
    [
      { siem: { targets: [{ type: 'splunk_hec', url: 'http://x', token: 'a\nb' }] } },
      /^audit\.siem\.targets\[0\]\.token: must not hold a line break$/,
    ],
    [
      { siem: { targets: [{ type: 'webhook', url: 'http://x', headers: { 'a b': 'c' } }] } },
      /^audit\.siem\.targets\[0\]\.headers\["a b"\]: /,
    ],
    [
      { siem: { targets: [{ type: 'webhook', url: 'http://x', authHeader: 'a\rb' }] } },
      /^audit\.siem\.targets\[0\]\.authHeader: must not hold a line break$/,
    ],
  ])('refuses the audit block %j', (audit, issue) => {
    expect(issuesOf(fileOf({ audit }))).toEqual([expect.stringMatching(issue)]);
  });

  it('reports all problems of one kind at once', () => {
    expect(issuesOf({ mcpServers: { a: {}, 'b.c': stdio }, profiles: { p: { servers: ['x'] } } })).toEqual([
      'mcpServers.a: needs exactly one of `command` and `url`; it has neither',
      'mcpServers["b.c"]: server id must be 1 to 64 of A-Z a-z 0-9 _ - (no dot)',
      'profiles.p.servers[0]: no server "x" in mcpServers',
    ]);
  });

  it('never shows a value that may be a secret', () => {
    const secret = 's3cr3t-value';
    const files = [
      { authToken: { value: secret }, mcpServers: {} },
      withServer({ ...stdio, env: { A: [secret] }, args: secret }),
      withServer({ ...stdio, headers: { A: secret }, auth: { type: 'bearer', token: secret } }),
      withServer({ url: `ftp://user:${secret}@host/?token=${secret}` }),
      withServer({ ...remote, headers: { A: `${secret}\n` } }),
      withServer({ ...remote, auth: { type: 'bearer', token: secret, tokenEnv: secret } }),
      withServer({ ...remote, auth: { type: 'basic', username: 1, password: secret } }),
      withServer({ ...remote, auth: secret }),
      withServer({ ...remote, env: { A: secret }, command: `run --token ${secret}` }),
      secret,
      { mcpServers: secret },
      fileOf({ port: secret, toolTimeoutMs: secret, resilience: secret, profiles: secret, capabilityAliases: secret }),
    ];
    for (const file of files) {
      const issues = issuesOf(file);
      expect(issues).not.toEqual([]);
      expect(issues.join('\n')).not.toContain(secret);
    }
  });
});

describe('unknownConfigFields', () => {
  it('names fields that the format does not have, in the file and in its servers', () => {
    const file = {
      $schema: 'x',
      prot: 1,
      profiles: { p: { servers: [], serves: [] } },
      idempotency: { ttl: 1 },
      mcpServers: { git: { comand: 'x', env: {} }, 'a b': { 'c d': 1 } },
    };
    expect(unknownConfigFields(file)).toEqual([
      'prot',
      'mcpServers.git.comand',
      'mcpServers["a b"]["c d"]',
      'idempotency.ttl',
      'profiles.p.serves',
    ]);
  });

  it.each([null, 1, [], { mcpServers: [] }, { mcpServers: { a: 1 } }])('finds none in %j', (file) => {
    expect(unknownConfigFields(file)).toEqual([]);
  });
});
