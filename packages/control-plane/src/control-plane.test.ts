// The plane as facades use it: views, search, descriptions, completion, servers and what changes them.
import { UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import {
  caller,
  connectPlane,
  correlation,
  everything,
  hang,
  idleTimers,
  inProfile,
  startPlane,
  tool,
  traceId,
} from './testing/start-plane.js';

const readOnly = { annotations: { readOnlyHint: true } };
const git = {
  tools: [
    tool('push', { description: 'Push commits to a remote.', _meta: { tags: ['vcs'] } }),
    tool('log', { description: 'Show the commits of a branch.', ...readOnly }),
  ],
  resourceTemplates: [{ uriTemplate: 'git://{commit}', name: 'commit' }],
  prompts: [{ name: 'review' }],
};
const web = { tools: [tool('fetch', { description: 'Fetch a page. Commits nothing.', ...readOnly })] };
const servers = { git: { definitions: git }, web: { definitions: web } };
const profiles = { dev: { servers: ['git'] }, empty: { servers: [] } };

const thrownBy = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error instanceof Error && 'code' in error ? [error.code, error.message] : error;
  }
};

describe('state', () => {
  it('has an empty catalog before any server is there, and a new one with each that comes', async () => {
    const { plane, clock, log } = startPlane({ git: { definitions: git } });
    const before = plane.state();
    expect(before.catalog.capabilities).toEqual([]);
    await clock.advance(0);
    expect(plane.state().catalog.capabilities.map(({ id }) => id)).toEqual(['git.log', 'git.push']);
    expect(before.catalog.capabilities).toEqual([]);
    expect(log).toContainEqual({
      level: 'info',
      message: 'the catalog changed',
      fields: { server: 'git', catalog_version: plane.state().catalog.version },
    });
  });

  it('follows the lists of a server: removed entries disappear, from search too', async () => {
    const { plane, clock, server } = await connectPlane(servers);
    const version = plane.state().catalog.version;
    server('git').change({ tools: [tool('tag')] });
    await clock.advance(0);
    expect(plane.state().catalog.capabilities.map(({ id }) => id)).toEqual(['git.tag', 'web.fetch']);
    expect((await plane.search(everything, { query: 'push' })).capabilities).toEqual([]);
    expect(plane.state().catalog.version).not.toBe(version);
  });

  it('keeps its version over a restart of a server that says the same', async () => {
    const { plane, clock, server } = await connectPlane(servers);
    const version = plane.state().catalog.version;
    server('git').drop('crash');
    await clock.advance(500);
    expect(server('git').discoveries()).toBe(2);
    expect(plane.state().catalog.version).toBe(version);
  });

  it('has one version for one content, for any order of servers', async () => {
    const one = await connectPlane({ git: { definitions: git }, web: { definitions: web } });
    const reversed = await connectPlane({ web: { definitions: web }, git: { definitions: git } });
    expect(one.plane.state().catalog.version).toBe(reversed.plane.state().catalog.version);
  });

  it('warns of definitions that are left out and of aliases that took an id', async () => {
    const { log } = await connectPlane(
      { s: { definitions: { tools: [tool('a'), tool('a'), tool('b')] } } },
      { capabilityAliases: { 's.a': 's.b' } },
    );
    expect(log.filter(({ level }) => level === 'warn').slice(-2)).toEqual([
      { level: 'warn', message: 'aliases that equal an existing id are not in force', fields: { aliases: ['s.a'] } },
      {
        level: 'warn',
        message: 'definitions left out: repeated or not valid',
        fields: { server: 's', rejected: ['a'] },
      },
    ]);
  });
});

describe('view', () => {
  it('is the whole catalog without a profile, and the servers of a profile with one', async () => {
    const { plane } = await connectPlane(servers, { profiles });
    const idsOf = (profile: string | null) => plane.view(inProfile(profile), 'tool').capabilities.map(({ id }) => id);
    expect(idsOf(null)).toEqual(['git.log', 'git.push', 'web.fetch']);
    expect(idsOf('dev')).toEqual(['git.log', 'git.push']);
    expect(idsOf('empty')).toEqual([]);
  });

  it('is made once for one state', async () => {
    const { plane } = await connectPlane(servers, { profiles });
    expect(plane.view(inProfile('dev'), 'tool')).toBe(plane.view(inProfile('dev'), 'prompt'));
    expect(plane.view(everything, 'tool')).toBe(plane.view(everything, 'tool'));
  });

  it.each([
    ['tool', 'TOOL_NOT_FOUND'],
    ['resource', 'RESOURCE_NOT_FOUND'],
    ['prompt', 'PROMPT_NOT_FOUND'],
  ] as const)('of an unknown profile is not there, for a %s: %s', async (kind, code) => {
    const { plane } = startPlane({});
    expect(thrownBy(() => plane.view(inProfile('constructor'), kind))).toEqual([code, 'no profile "constructor"']);
  });
});

describe('search', () => {
  const found = (hits: { capabilities: { id: string }[] }) => hits.capabilities.map(({ id }) => id);

  it('answers with the fields of a hit and the version it searched', async () => {
    const { plane } = await connectPlane(servers);
    const { capabilities, ...head } = await plane.search(everything, { query: 'push', limit: 1 });
    expect(head).toEqual({ version: 'v1', catalog_version: plane.state().catalog.version });
    expect(capabilities).toEqual([
      {
        id: 'git.push',
        summary: 'Push commits to a remote.',
        server: 'git',
        tags: ['git', 'vcs'],
        mode: 'write',
        score: expect.any(Number),
        match_types: ['lexical'],
        why: 'push',
      },
    ]);
  });

  it('gives everything by id without a query, eight at most by default', async () => {
    const tools = Array.from({ length: 12 }, (_, i) => tool(`t${String(i).padStart(2, '0')}`));
    const { plane } = await connectPlane({ s: { definitions: { tools } } });
    expect(found(await plane.search(everything, {}))).toEqual([
      's.t00',
      's.t01',
      's.t02',
      's.t03',
      's.t04',
      's.t05',
      's.t06',
      's.t07',
    ]);
    expect((await plane.search(everything, { limit: 100, query: null })).capabilities).toHaveLength(12);
  });

  it('intersects its filters, and an empty one filters nothing', async () => {
    const { plane } = await connectPlane(servers);
    expect(found(await plane.search(everything, { server_ids: ['git', 'nope'] }))).toEqual(['git.log', 'git.push']);
    expect(found(await plane.search(everything, { server_ids: ['git'], modes: ['read'] }))).toEqual(['git.log']);
    expect(found(await plane.search(everything, { tags: ['VCS', 'git'] }))).toEqual(['git.push']);
    expect(found(await plane.search(everything, { tags: ['vcs', 'web'] }))).toEqual([]);
    const all = found(await plane.search(everything, {}));
    const empty = [{ server_ids: [] }, { tags: [] }, { modes: [] }];
    for (const filter of empty) expect(found(await plane.search(everything, filter))).toEqual(all);
    expect(found(await plane.search(everything, { server_ids: ['nope'] }))).toEqual([]);
  });

  it('finds nothing outside its profile, for any filters', async () => {
    const { plane } = await connectPlane(servers, { profiles });
    expect(found(await plane.search(inProfile('dev'), {}))).toEqual(['git.log', 'git.push']);
    expect(found(await plane.search(inProfile('dev'), { query: 'fetch page' }))).not.toContain('web.fetch');
    expect(found(await plane.search(inProfile('dev'), { server_ids: ['web'] }))).toEqual([]);
    expect(found(await plane.search(inProfile('dev'), { server_ids: [] }))).toEqual(['git.log', 'git.push']);
    expect(found(await plane.search(inProfile('dev'), { server_ids: ['web', 'git'] }))).toEqual([
      'git.log',
      'git.push',
    ]);
    expect(found(await plane.search(inProfile('empty'), { query: 'push' }))).toEqual([]);
    expect(found(await plane.search(inProfile('empty'), {}))).toEqual([]);
    await expect(plane.search(inProfile('nope'), {})).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: 'no profile "nope"',
    });
  });

  it('finds an entry under its aliases', async () => {
    const { plane } = await connectPlane(servers, {
      capabilityAliases: { ship: { target: 'git.push', summary: 'Ship it' } },
    });
    expect((await plane.search(everything, { query: 'ship' })).capabilities[0]).toMatchObject({
      id: 'ship',
      summary: 'Ship it',
    });
  });
});

describe('describe', () => {
  const inputSchema = { type: 'object', properties: { to: { type: 'string' } }, examples: [{ to: 'origin' }] };
  const full = {
    name: 'push',
    title: 'Push',
    description: 'Pushes. Needs a remote.',
    inputSchema,
    outputSchema: { type: 'object' },
    annotations: { destructiveHint: true, title: 'Push' },
  };
  const definitions = { tools: [full, tool('bare')] };

  it('gives all that an agent needs to call it', async () => {
    const { plane } = await connectPlane({ git: { definitions } });
    expect(plane.describe(everything, 'git.push').capability).toStrictEqual({
      id: 'git.push',
      server: 'git',
      tool: 'push',
      description: 'Pushes. Needs a remote.',
      input_schema: inputSchema,
      examples: [{ to: 'origin' }],
      tags: ['destructive', 'git'],
      title: 'Push',
      output_schema: { type: 'object' },
      annotations: { destructiveHint: true, title: 'Push' },
    });
    expect(plane.describe(everything, 'git.bare').capability).toStrictEqual({
      id: 'git.bare',
      server: 'git',
      tool: 'bare',
      description: '',
      input_schema: { type: 'object' },
      examples: [],
      tags: ['git'],
    });
  });

  it('has an ETag of its own, which only a change of this entry changes', async () => {
    const { plane, clock, server } = await connectPlane({ git: { definitions } });
    const { etag } = plane.describe(everything, 'git.push');
    expect(etag).toMatch(/^sha256:[0-9a-f]{64}$/);
    server('git').change({ tools: [full, tool('bare', { description: 'changed' })] });
    await clock.advance(50);
    expect(plane.describe(everything, 'git.push').etag).toBe(etag);
    server('git').change({ tools: [{ ...full, title: 'Push!' }] });
    await clock.advance(0);
    expect(plane.describe(everything, 'git.push').etag).not.toBe(etag);
  });

  it('knows aliases, and nothing outside the profile', async () => {
    const { plane } = await connectPlane(
      { git: { definitions }, web: {} },
      { capabilityAliases: { p: 'git.push' }, profiles: { other: { servers: ['web'] } } },
    );
    expect(plane.describe(everything, 'p').capability).toMatchObject({ id: 'p', tool: 'push' });
    expect(plane.describe(everything, 'git.push').capability.id).toBe('git.push');
    expect(thrownBy(() => plane.describe(inProfile('other'), 'p'))).toEqual(['TOOL_NOT_FOUND', 'no capability "p"']);
    expect(thrownBy(() => plane.describe(everything, 'git.nope'))).toEqual([
      'TOOL_NOT_FOUND',
      'no capability "git.nope"',
    ]);
  });
});

describe('complete', () => {
  const request = {
    ref_type: 'prompt',
    ref_name: 'git.review',
    argument_name: 'branch',
    argument_value: 'ma',
  } as const;
  const callOf = (more: object = {}) => ({
    request,
    correlation,
    caller,
    signal: new AbortController().signal,
    ...more,
  });

  it('asks the upstream and gives its values', async () => {
    const completion = { values: ['main', 'master', 3], total: 7, hasMore: true };
    const { plane, server } = await connectPlane({ git: { definitions: git, handle: () => ({ completion }) } });
    expect(await plane.complete(callOf())).toEqual({ values: ['main', 'master'], total: 7, has_more: true });
    expect(server('git').requests()).toEqual([
      {
        method: 'completion/complete',
        params: {
          ref: { type: 'ref/prompt', name: 'review' },
          argument: { name: 'branch', value: 'ma' },
          _meta: { traceparent: `00-${traceId}-${'b7'.repeat(8)}-01` },
        },
      },
    ]);
  });

  it('refers to a template by its URI, by alias too, with an empty value for a missing one', async () => {
    const { plane, server } = await connectPlane(
      { git: { definitions: git } },
      { resourceAliases: { commit: 'git.git://{commit}' } },
    );
    const template = { ref_type: 'resource', ref_name: 'commit', argument_name: 'commit' } as const;
    expect(await plane.complete(callOf({ request: template }))).toEqual({ values: [] });
    expect(server('git').requests()[0]?.params).toMatchObject({
      ref: { type: 'ref/resource', uri: 'git://{commit}' },
      argument: { name: 'commit', value: '' },
    });
  });

  it.each([
    ['an unknown prompt', { request: { ...request, ref_name: 'git.nope' } }, 'PROMPT_NOT_FOUND'],
    ['an unknown resource', { request: { ...request, ref_type: 'resource', ref_name: 'x.y' } }, 'RESOURCE_NOT_FOUND'],
    ['a prompt outside the profile', { caller: { ...caller, profile: 'empty' } }, 'PROMPT_NOT_FOUND'],
    ['an unknown profile', { caller: { ...caller, profile: 'nope' } }, 'PROMPT_NOT_FOUND'],
  ])('refuses %s without contacting anyone', async (_what, more, code) => {
    const { plane, server } = await connectPlane(
      { git: { definitions: git } },
      { profiles: { empty: { servers: [] } } },
    );
    await expect(plane.complete(callOf(more))).rejects.toMatchObject({ name: 'CallFailure', code });
    expect(server('git').requests()).toEqual([]);
  });

  it('ends at toolTimeoutMs and with an error of the upstream', async () => {
    const { plane, clock } = await connectPlane({ git: { definitions: git, handle: hang } }, { toolTimeoutMs: 50 });
    const late = expect(plane.complete(callOf())).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    await clock.advance(50);
    await late;
    expect(clock.sleeping()).toBe(idleTimers);

    const failing = await connectPlane({
      git: {
        definitions: git,
        handle: () => {
          throw new UpstreamFailure('no', { kind: 'rejected', error: { code: -32601, message: 'no' } });
        },
      },
    });
    await expect(failing.plane.complete(callOf())).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });
});

describe('servers', () => {
  it('are listed in the order of the configuration, with their logs by id', async () => {
    const { plane, server } = await connectPlane({ web: {}, git: { definitions: git } });
    expect(plane.servers().map(({ id, status, tools }) => [id, status, tools])).toEqual([
      ['web', 'connected', 0],
      ['git', 'connected', 2],
    ]);
    server('git').log('hello');
    expect(plane.serverLogs('git')?.map(({ text }) => text)).toEqual(['hello']);
    expect(plane.serverLogs('constructor')).toBeUndefined();
  });

  it('are contacted side by side: one that is dead delays no other', async () => {
    const { plane } = await connectPlane({ dead: { onConnect: hang }, git: { definitions: git } });
    expect(plane.servers().map(({ status }) => status)).toEqual(['connecting', 'connected']);
  });
});

describe('watching a resource', () => {
  it('that is denied leaves a record, as reading it does', async () => {
    const server = { definitions: { tools: [], resources: [{ uri: 'file:///a', name: 'a' }] } };
    const { plane, audit } = await connectPlane({ s: server }, { policy: { deny: ['s.file:///a'] } });
    const by = { principal: 'local', profile: null, role: null, actor: null };
    await expect(plane.watchResource(by, 's.file:///a')).rejects.toMatchObject({ code: 'POLICY_DENIED' });
    expect(audit.kept()).toMatchObject([
      {
        event_type: 'policy_violation',
        status: 'denied',
        capability_id: 's.file:///a',
        error_code: 'POLICY_DENIED',
        details: { method: 'resources/subscribe' },
      },
    ]);
  });
});
