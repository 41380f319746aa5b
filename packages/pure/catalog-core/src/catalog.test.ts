// The catalog: what is listed under which id, what is found, and what changes its digest.
import type { Alias, Aliases, UpstreamDefinitions } from '@portico/contracts';
import { compilePolicy, foldedGuardName, guardName, strictest } from '@portico/policy-engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Catalog, createCatalog, noRules, splitId, type VisibilityRules } from './catalog.js';
import { toServerEntries } from './entries.js';
import { profileView, wholeView } from './view.js';

type Offer = Partial<UpstreamDefinitions>;

const inputSchema = { type: 'object' };
const tool = (name: string, more: object = {}) => ({ name, inputSchema, ...more });

const git: Offer = {
  tools: [tool('push', { description: 'Pushes commits. Needs a remote.' }), tool('log')],
  resources: [{ uri: 'file:///README.md', name: 'README', description: 'Read me', mimeType: 'text/markdown' }],
  resourceTemplates: [{ uriTemplate: 'git://{commit}/{path}', name: 'blob' }],
  prompts: [{ name: 'review', title: 'Review', arguments: [{ name: 'branch', required: true }] }],
};

function aliasesOf(aliases: Partial<Record<keyof Aliases, Record<string, Alias>>> = {}): Aliases {
  const kind = (name: keyof Aliases) => new Map(Object.entries(aliases[name] ?? {}));
  return { capability: kind('capability'), resource: kind('resource'), prompt: kind('prompt') };
}

function entriesOf(id: string, offer: Offer) {
  return toServerEntries(id, { tools: [], resources: [], resourceTemplates: [], prompts: [], ...offer });
}

function catalogOf(servers: Record<string, Offer>, aliases?: Parameters<typeof aliasesOf>[0]): Catalog {
  return createCatalog(
    new Map(Object.entries(servers).map(([id, offer]) => [id, entriesOf(id, offer)])),
    aliasesOf(aliases),
  );
}

const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

describe('splitId', () => {
  it.each([
    ['git.push', { server: 'git', name: 'push' }],
    ['git.a.b', { server: 'git', name: 'a.b' }],
    ['git.file:///a.b', { server: 'git', name: 'file:///a.b' }],
    ['git', undefined],
    ['git.', undefined],
    ['.push', undefined],
    ['', undefined],
  ])('splits %s at its first dot', (id, parts) => {
    expect(splitId(id)).toEqual(parts);
  });
});

describe('list entries', () => {
  it('of capabilities have exactly five fields', () => {
    expect(catalogOf({ git }).findCapability('git.push')?.item).toStrictEqual({
      id: 'git.push',
      summary: 'Pushes commits.',
      server: 'git',
      tool: 'push',
      tags: ['git'],
    });
  });

  it('of resources and templates carry the URI, and description and MIME type where there are any', () => {
    expect(catalogOf({ git }).resources.map(({ item }) => item)).toStrictEqual([
      {
        id: 'git.file:///README.md',
        server: 'git',
        uri: 'file:///README.md',
        name: 'README',
        tags: ['git'],
        description: 'Read me',
        mime_type: 'text/markdown',
      },
      { id: 'git.git://{commit}/{path}', server: 'git', uri: 'git://{commit}/{path}', name: 'blob', tags: ['git'] },
    ]);
  });

  it('of prompts carry their arguments as the server gave them', () => {
    expect(catalogOf({ git }).prompts.map(({ item }) => item)).toStrictEqual([
      {
        id: 'git.review',
        server: 'git',
        name: 'review',
        arguments: [{ name: 'branch', required: true }],
        tags: ['git'],
        title: 'Review',
      },
    ]);
  });

  it('are sorted by id by code point across servers', () => {
    const names = ['b', 'B', '\u{1F600}', '\uffff', 'a.b', 'a-b'];
    const catalog = catalogOf({ s: { tools: names.map((name) => tool(name)) }, a: { tools: [tool('z')] } });
    expect(ids(catalog.capabilities)).toEqual(['a.z', 's.B', 's.a-b', 's.a.b', 's.b', 's.\uffff', 's.\u{1F600}']);
  });

  it.each([
    ['the server in lower case', {}, ['server']],
    [
      'the hints that hold',
      {
        annotations: { readOnlyHint: true, destructiveHint: true, idempotentHint: true, openWorldHint: true },
      },
      ['destructive', 'idempotent', 'open-world', 'read-only', 'server'],
    ],
    ['no hint that does not', { annotations: { readOnlyHint: false } }, ['server']],
    [
      'tags of the upstream, in lower case, once, texts only',
      { _meta: { tags: ['Web', 'web', '', 7, null, 'server'] } },
      ['server', 'web'],
    ],
    ['nothing of tags that are no list', { _meta: { tags: 'web' } }, ['server']],
  ])('have as tags %s', (_what, more, tags) => {
    expect(catalogOf({ Server: { tools: [tool('t', more)] } }).capabilities[0]?.item.tags).toEqual(tags);
  });

  it('are read by a tool that says so of itself, and written by any other', () => {
    const catalog = catalogOf({ s: { tools: [tool('r', { annotations: { readOnlyHint: true } }), tool('w')] } });
    expect(catalog.capabilities.map(({ mode }) => mode)).toEqual(['read', 'write']);
  });

  it('keep two servers with the same names apart', () => {
    const catalog = catalogOf({ a: { tools: [tool('run')] }, b: { tools: [tool('run')] } });
    expect(ids(catalog.capabilities)).toEqual(['a.run', 'b.run']);
    expect(catalog.findCapability('b.run')?.server).toBe('b');
  });
});

describe('definitions that cannot be listed', () => {
  it('take the first of two with one name and name the other', () => {
    const entries = entriesOf('s', {
      tools: [tool('a', { description: 'first' }), tool('a', { description: 'second' })],
    });
    expect(entries.capabilities.map(({ description }) => description)).toEqual(['first']);
    expect(entries.rejected).toEqual(['a']);
  });

  it('leave out one with half a character or nesting without end, and keep the others', () => {
    const cycle: Record<string, object> = {};
    cycle.self = cycle;
    const entries = entriesOf('s', {
      tools: [
        tool('broken', { description: '\ud800' }),
        tool('deep', { inputSchema: cycle }),
        tool('\udc00'),
        tool('ok'),
      ],
      resources: [{ uri: 'x:\ud800', name: 'broken' }],
      prompts: [{ name: 'p', description: '\ud800' }],
    });
    expect(ids(entries.capabilities)).toEqual(['s.ok']);
    expect([entries.resources, entries.prompts]).toEqual([[], []]);
    expect(entries.rejected).toEqual(['broken', 'deep', '\udc00', 'x:\ud800', 'p']);
  });

  it('take a valid one whose namesake before it was not', () => {
    const entries = entriesOf('s', { tools: [tool('a', { description: '\ud800' }), tool('a')] });
    expect(ids(entries.capabilities)).toEqual(['s.a']);
  });
});

describe('aliases', () => {
  const twice = {
    capability: {
      push: { target: 'git.push', summary: 'Send commits', description: 'Sends all commits', passthrough: true },
      p: { target: 'git.push' },
      gone: { target: 'git.nothing' },
    },
    resource: { readme: { target: 'git.file:///README.md', summary: 'The manual' } },
    prompt: { rv: { target: 'git.review', description: 'Reviews a branch' } },
  };
  const catalog = catalogOf({ git }, twice);

  it('list an entry once per alias in place of its canonical id, and a dangling one not at all', () => {
    expect(ids(catalog.capabilities)).toEqual(['git.log', 'p', 'push']);
    expect(ids(catalog.resources)).toEqual(['git.git://{commit}/{path}', 'readme']);
    expect(ids(catalog.prompts)).toEqual(['rv']);
  });

  it('still find the entry under its canonical id', () => {
    expect(catalog.findCapability('git.push')).toMatchObject({ id: 'git.push', tool: 'push' });
    expect(catalog.findResource('git.file:///README.md')?.uri).toBe('file:///README.md');
    expect(catalog.findPrompt('git.review')?.name).toBe('review');
    expect(catalog.findCapability('gone')).toBeUndefined();
  });

  it('show their own summary and description, and those of the entry where they have none', () => {
    expect(catalog.findCapability('push')).toMatchObject({
      id: 'push',
      canonicalId: 'git.push',
      server: 'git',
      tool: 'push',
      description: 'Sends all commits',
      passthrough: true,
      item: { id: 'push', summary: 'Send commits', server: 'git', tool: 'push', tags: ['git'] },
    });
    expect(catalog.findCapability('p')).toMatchObject({
      description: 'Pushes commits. Needs a remote.',
      passthrough: false,
      item: { id: 'p', summary: 'Pushes commits.' },
    });
    expect(catalog.findResource('readme')?.entry.item.description).toBe('The manual');
    expect(catalog.findPrompt('rv')?.item.description).toBe('Reviews a branch');
  });

  it('never hide an entry whose canonical id they took, and are named as refused', () => {
    const colliding = catalogOf({ git }, { capability: { 'git.log': { target: 'git.push' } } });
    expect(ids(colliding.capabilities)).toEqual(['git.log', 'git.push']);
    expect(colliding.findCapability('git.log')?.tool).toBe('log');
    expect(colliding.refusedAliases).toEqual(['git.log']);
  });

  it('may have names that JavaScript objects have of their own', () => {
    const odd = catalogOf({ git }, { capability: JSON.parse('{"__proto__": {"target": "git.log"}}') });
    expect(ids(odd.capabilities)).toEqual(['__proto__', 'git.push']);
    expect(odd.findCapability('constructor')).toBeUndefined();
  });
});

describe('resource templates', () => {
  const catalog = catalogOf({ git, other: { resourceTemplates: [{ uriTemplate: 'x://{a}', name: 'x' }] } });

  it('are found by the URIs they expand to, of their own server only', () => {
    expect(catalog.findResource('git.git://abc/src/a.ts')).toMatchObject({
      uri: 'git://abc/src/a.ts',
      entry: { id: 'git.git://{commit}/{path}' },
    });
    expect(catalog.findResource('other.git://abc/src/a.ts')).toBeUndefined();
    expect(catalog.findResource('missing.x://1')).toBeUndefined();
    expect(catalog.findResource('x://1')).toBeUndefined();
  });

  it('come after a resource that has the very URI', () => {
    const both = catalogOf({
      s: { resources: [{ uri: 'x://1', name: 'one' }], resourceTemplates: [{ uriTemplate: 'x://{n}', name: 'any' }] },
    });
    expect(both.findResource('s.x://1')?.entry.item.name).toBe('one');
    expect(both.findResource('s.x://2')?.entry.item.name).toBe('any');
  });
});

describe('catalog version', () => {
  const base = { a: { tools: [tool('t', { description: 'D' })] }, b: git };
  const version = (servers: Record<string, Offer>, aliases?: Parameters<typeof aliasesOf>[0]) =>
    catalogOf(servers, aliases).version;

  it('is SHA-256 in lower-case hex over canonical JSON: these for these catalogs', () => {
    expect(version({ a: { tools: [tool('t')] } }, { capability: { x: { target: 'a.t' } } })).toBe(
      'sha256:31e06100c5e50753ecc94449bb13fa90c73d8d343223b2c4248153729baace08',
    );
    expect(version({})).toBe('sha256:f9f8d1f7b94c3e2dd0703c62a42c53fddeb3eeaa002dba0dd25968a12b770d73');
  });

  it('is the same for the same content, with servers, definitions, keys and aliases in any order', () => {
    const offer = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }).map((names) => ({
      tools: names.map((name) => tool(name, { description: name })),
    }));
    const servers = fc.dictionary(fc.constantFrom('s', 't', 'u'), offer, { minKeys: 1 });
    fc.assert(
      fc.property(servers, (given) => {
        const aliases = { x: { target: 's.a', summary: 'X' }, y: { target: 't.b' } };
        const reversed = Object.fromEntries(
          Object.entries(given)
            .reverse()
            .map(([id, { tools }]) => [
              id,
              {
                tools: [...tools]
                  .reverse()
                  .map((own) => Object.fromEntries(Object.entries(own).reverse()) as typeof own),
              },
            ]),
        );
        const back = { y: { target: 't.b' }, x: { summary: 'X', target: 's.a' } };
        expect(version(reversed, { capability: back })).toBe(version(given, { capability: aliases }));
      }),
    );
  });

  it.each<[string, Record<string, Offer>, Parameters<typeof aliasesOf>[0]?]>([
    ['a description', { ...base, a: { tools: [tool('t', { description: 'E' })] } }],
    [
      'a schema',
      { ...base, a: { tools: [tool('t', { description: 'D', inputSchema: { type: 'object', title: 'x' } })] } },
    ],
    ['an output schema', { ...base, a: { tools: [tool('t', { description: 'D', outputSchema: {} })] } }],
    [
      'an annotation',
      { ...base, a: { tools: [tool('t', { description: 'D', annotations: { readOnlyHint: true } })] } },
    ],
    ['a field nobody knows', { ...base, a: { tools: [tool('t', { description: 'D', icons: [] })] } }],
    ['a name', { ...base, a: { tools: [tool('t2', { description: 'D' })] } }],
    ['the server of a tool', { c: base.a, b: git }],
    ['a tool less', { b: git }],
    ['a MIME type', { ...base, b: { ...git, resources: [{ uri: 'file:///README.md', name: 'README' }] } }],
    ['an argument of a prompt', { ...base, b: { ...git, prompts: [{ name: 'review', title: 'Review' }] } }],
    ['an alias', base, { capability: { x: { target: 'a.t' } } }],
    ['a dangling alias', base, { capability: { x: { target: 'a.none' } } }],
  ])('changes with %s', (_what, servers, aliases) => {
    expect(version(servers, aliases)).not.toBe(version(base));
  });

  it('changes with what an alias says, and comes back with it', () => {
    const with_ = (alias: Alias) => version(base, { capability: { x: alias } });
    expect(with_({ target: 'a.t', summary: 'S' })).not.toBe(with_({ target: 'a.t' }));
    expect(with_({ target: 'a.t', passthrough: true })).not.toBe(with_({ target: 'a.t' }));
    expect(with_({ target: 'a.t' })).toBe(with_({ target: 'a.t' }));
  });
});

describe('views', () => {
  const catalog = catalogOf({ a: { tools: [tool('x')] }, git }, { capability: { push: { target: 'git.push' } } });

  it('of everything have the catalog version as their ETag', () => {
    const view = wholeView(catalog);
    expect([view.etag, view.catalogVersion]).toEqual([catalog.version, catalog.version]);
    expect(ids(view.capabilities)).toEqual(['a.x', 'git.log', 'push']);
    expect(view.hasServer('anything')).toBe(true);
  });

  it('of a profile have the entries of its servers, aliased ones included', () => {
    const view = profileView(catalog, 'dev', { servers: ['git'], rules: null });
    expect(ids(view.capabilities)).toEqual(['git.log', 'push']);
    expect(ids(view.prompts)).toEqual(['git.review']);
    expect([view.hasServer('git'), view.hasServer('a')]).toEqual([true, false]);
  });

  it('of a profile have an ETag of version, profile and a hash of its servers', () => {
    const etag = (profile: string, servers: readonly string[]) =>
      profileView(catalog, profile, { servers, rules: null }).etag;
    expect(etag('dev', ['git'])).toMatch(new RegExp(`^${catalog.version}-p:dev:[0-9a-f]{16}$`));
    expect(etag('dev', ['git', 'a'])).not.toBe(etag('dev', ['git']));
    expect(etag('dev', ['git', 'a'])).toBe(etag('dev', ['a', 'git', 'a']));
    expect(etag('ops', ['git'])).not.toBe(etag('dev', ['git']));
  });

  it('of an empty profile show nothing, never everything', () => {
    const view = profileView(catalog, 'none', { servers: [], rules: null });
    expect([view.capabilities, view.resources, view.prompts]).toEqual([[], [], []]);
    expect(view.hasServer('a')).toBe(false);
  });
});

describe('rules', () => {
  const hide = (...hidden: readonly string[]): VisibilityRules => ({
    digestible: { hidden: [...hidden] },
    isVisible: (names) => !names.some((name) => hidden.includes(name)),
  });
  const servers = new Map([['git', entriesOf('git', git)]]);
  const aliases = aliasesOf({
    capability: { ship: { target: 'git.push' } },
    resource: { readme: { target: 'git.file:///README.md' } },
    prompt: { look: { target: 'git.review' } },
  });
  const listed = (rules: VisibilityRules) => {
    const { capabilities, resources, prompts } = createCatalog(servers, aliases, rules);
    return [...capabilities, ...resources, ...prompts].map(({ id }) => id);
  };

  it.each([
    ['git.push', ['git.log', 'git.git://{commit}/{path}', 'readme', 'look']],
    ['ship', ['git.log', 'git.git://{commit}/{path}', 'readme', 'look']],
    ['readme', ['git.log', 'ship', 'git.git://{commit}/{path}', 'look']],
    ['git.file:///README.md', ['git.log', 'ship', 'git.git://{commit}/{path}', 'look']],
    ['git.review', ['git.log', 'ship', 'git.git://{commit}/{path}', 'readme']],
  ])('that hide %s hide the thing under every name, and still find it', (hidden, rest) => {
    expect(listed(hide(hidden))).toEqual(rest);
    const catalog = createCatalog(servers, aliases, hide(hidden));
    expect([catalog.findCapability('ship')?.tool, catalog.findPrompt('look')?.name]).toEqual(['push', 'review']);
  });

  it('count in the digest, and in the ETag of a profile that has its own', () => {
    const version = (rules: VisibilityRules) => createCatalog(servers, aliases, rules).version;
    expect(new Set([version(noRules), version(hide()), version(hide('x'))]).size).toBe(3);
    expect(version(hide('x'))).toBe(version(hide('x')));
    const catalog = createCatalog(servers, aliases);
    const etag = (rules: VisibilityRules | null) => profileView(catalog, 'p', { servers: ['git'], rules }).etag;
    expect(new Set([etag(null), etag(hide()), etag(hide('x'))]).size).toBe(3);
  });

  it('of a profile hide more, and never show what the base hides', () => {
    const catalog = createCatalog(servers, aliases, hide('git.log'));
    const view = profileView(catalog, 'p', { servers: ['git'], rules: hide('look') });
    expect([ids(view.capabilities), ids(view.resources), ids(view.prompts)]).toEqual([
      ['ship'],
      ['git.git://{commit}/{path}', 'readme'],
      [],
    ]);
    const listedUnder = (id: string) => view.lists(catalog.findCapability(id) ?? expect.fail(id));
    expect([listedUnder('ship'), listedUnder('git.push'), listedUnder('git.log')]).toEqual([true, true, false]);
  });

  it('on a template cover every URI that it matches, listed ones too, and so do those on an alias of it', () => {
    const offer: Offer = {
      resources: [
        { uri: 'file:///a', name: 'a' },
        { uri: 'x:b', name: 'b' },
      ],
      resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 'files' }],
    };
    const files = aliasesOf({ resource: { all: { target: 's.file:///{path}' }, one: { target: 's.file:///b' } } });
    const listedUnder = (...hidden: readonly string[]) =>
      ids(createCatalog(new Map([['s', entriesOf('s', offer)]]), files, hide(...hidden)).resources);
    expect([listedUnder(), listedUnder('s.file:///{path}'), listedUnder('all')]).toEqual([
      ['all', 's.file:///a', 's.x:b'],
      ['s.x:b'],
      ['s.x:b'],
    ]);
    const { resourceNames } = createCatalog(new Map([['s', entriesOf('s', offer)]]), files);
    expect(resourceNames('s', 'file:///b')).toEqual([
      [
        ...['s.file:///b', 'one', 's.file:///{path}', 'all'],
        ...[foldedGuardName('s.file:///b'), guardName('s.file:///%7Bpath%7D')],
      ],
    ]);
  });

  it('see a URI that only matches a template under every spelling, each with the names of what it may be', () => {
    const { resourceNames } = createCatalog(servers, aliases);
    expect(resourceNames('git', 'git://main/a')).toEqual([['git.git://main/a', 'git.git://{commit}/{path}']]);
    expect(resourceNames('git', 'file:///x/../README%2Emd')).toEqual([
      [
        'git.file:///x/../README%2Emd',
        ...['x/../README%2Emd', 'README.md', 'README%2Emd', 'x/../README.md'].map((path) =>
          foldedGuardName(`git.file:///${path}`),
        ),
        ...['git.file:///README.md', 'readme'].map(guardName),
      ],
      ['git.file:///README.md', 'readme'],
      ['git.file:///README%2Emd'],
    ]);
  });

  const template = { uriTemplate: 'file:///srv/{+path}', name: 'srv' };
  const exact = { uri: 'file:///srv/Listed.key', name: 'listed' };
  const escaped = ['file:///srv/%7Eme', 'https://x/%7Eme'].map((uri) => ({ uri, name: uri }));
  const escapedTemplate = { uriTemplate: 'https://x/%7Eyou/{+path}', name: 'you' };
  const decide = (uri: string, rules: Partial<Record<'allow' | 'deny' | 'requireApproval', readonly string[]>>) => {
    const entries = entriesOf('s', {
      resources: [exact, ...escaped],
      resourceTemplates: [template, escapedTemplate],
    });
    const { resourceNames } = createCatalog(new Map([['s', entries]]), {
      capability: new Map(),
      prompt: new Map(),
      resource: new Map([
        ['named', { target: 's.file:///srv/Listed.key' }],
        ['my file', { target: 's.file:///srv/%7Eme' }],
        ['my page', { target: 's.https://x/%7Eme' }],
        ['your pages', { target: 's.https://x/%7Eyou/{+path}' }],
      ]),
    });
    const policy = compilePolicy({ allow: [], deny: [], requireApproval: [], ...rules });
    return strictest(resourceNames('s', uri).map((names) => policy.decide(names))).kind;
  };

  it.each([
    ['file:///srv/PRIVATE.key', { deny: ['s.file:///srv/private.key'] }, 'deny'],
    ['file:///srv/private.key', { deny: ['s.file:///srv/PRIVATE*'] }, 'deny'],
    ['file:///srv/cafe\u0301', { requireApproval: ['s.file:///srv/caf\u00e9'] }, 'require_approval'],
    ['file:///srv/pri\u200dvate.key', { deny: ['s.file:///srv/private.key'] }, 'deny'],
    ['file:///srv/private.\u212aey', { deny: ['*.key'] }, 'deny'],
    ['file:///srv/listed.KEY', { deny: ['named'] }, 'deny'],
    ['file:///srv/listed.key#x', { deny: ['named'] }, 'deny'],
    ['file:///SRV/other', { deny: ['s.file:///srv/{+path}'] }, 'deny'],
    ['https://x/a?q', { deny: ['s.https://x/a'] }, 'deny'],
    ['https://x/A', { deny: ['s.https://x/a'] }, 'allow'],
    ['file:///srv/~me', { deny: ['my file'] }, 'deny'],
    ['file:///srv/~ME#x', { deny: ['my file'] }, 'deny'],
    ['https://x/~me', { requireApproval: ['my page'] }, 'require_approval'],
    ['https://x/~you/a', { deny: ['your pages'] }, 'deny'],
    ['https://x/~you/a', { deny: ['s.https://x/%7Eyou/*'] }, 'deny'],
    ['https://x/~them', { deny: ['my page', 'your pages', 'my file'] }, 'allow'],
  ])('that narrow see %j under %j: %s', (uri, rules, expected) => {
    expect(decide(uri, rules)).toBe(expected);
  });

  it.each([
    ['file:///srv/Public/a', { allow: ['s.file:///srv/Public/*'] }, 'allow'],
    ['file:///srv/public/a', { allow: ['s.file:///srv/Public/*'] }, 'not_allowed'],
    ['file:///srv/PUBLIC/a', { allow: ['*/public/*'] }, 'not_allowed'],
    ['file:///srv/private.key#.txt', { allow: ['s.*.txt'] }, 'not_allowed'],
    ['file:///srv/private.key?.txt', { allow: ['s.*.txt'] }, 'not_allowed'],
    ['file:///srv/a.txt#part', { allow: ['s.*.txt'] }, 'not_allowed'],
    ['file:///srv/a.txt#part', { allow: ['s.file:///srv/{+path}'] }, 'allow'],
    ['file:///srv/a.txt#part', { allow: ['s.file:///srv/*'] }, 'allow'],
    ['https://x/search?q=1', { allow: ['s.https://x/search?q=*'] }, 'allow'],
  ])('that allow cover every reading of %j: %j, %s', (uri, rules, expected) => {
    expect(decide(uri, rules)).toBe(expected);
  });

  it('that deny a file hold for every text that a URL parser and a file system make that file of', () => {
    const rules = { deny: ['s.file:///srv/private.key'] };
    const disguise = fc.constantFrom<(uri: string) => string>(
      (uri) => `${uri}#`,
      (uri) => `${uri}?v=1`,
      (uri) => `${uri};v=1`,
      (uri) => `${uri}%00.txt`,
      (uri) => `${uri}/`,
      (uri) => `${uri}.`,
      (uri) => uri.replace('/srv/', '/srv//x/..//'),
      (uri) => uri.replace('/srv/', '/srv/%2e/'),
      (uri) => uri.replace('/srv/', '\\srv\\'),
      (uri) => uri.replace('srv', '%73rv'),
      (uri) => uri.replace('key', '%256bey'),
      (uri) => uri.replace('file://', 'file://localhost'),
      (uri) => uri.replace('file:///', 'file:/'),
      (uri) => uri.replace('file:', 'FILE:'),
      (uri) => uri.replace('private', 'PRIvate'),
      (uri) => uri.replace('private', 'ｐrivate'),
      (uri) => ` ${uri}\t`,
    );
    fc.assert(
      fc.property(fc.uniqueArray(disguise, { maxLength: 3 }), (disguises) => {
        const uri = disguises.reduce((text, next) => next(text), 'file:///srv/private.key');
        expect([uri, decide(uri, rules)]).toEqual([uri, 'deny']);
      }),
      { numRuns: 1000 },
    );
  });
});
