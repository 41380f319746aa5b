// The effect of each change on the file, as an object.
import { type JsonObject, mask } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { applyEdits, type ConfigEdit, InvalidConfig } from './config-source.js';
import { aliasEdits, deleteServerEdits, policyEdits, profileEdits, upsertServerEdits } from './edits.js';

const after = (file: JsonObject, edits: (file: JsonObject) => readonly ConfigEdit[]) => applyEdits(file, edits(file));
const pathsOf = (edits: readonly ConfigEdit[]) => edits.map(({ path }) => path.join('/'));
const upsert = (name: string, given: JsonObject) => (file: JsonObject) => upsertServerEdits(file, name, given);

describe('upsert', () => {
  const file = {
    other: 1,
    mcpServers: {
      git: {
        command: 'node',
        args: ['a'],
        env: { A: '1', B: '2' },
        note: 'mine',
        resilience: { maxRestarts: 1, x: 1 },
      },
    },
  };

  it('adds a server whole', () => {
    expect(after({}, upsert('new', { command: 'x', note: 1 }))).toEqual({
      mcpServers: { new: { command: 'x', note: 1 } },
    });
  });

  it('drops known fields that are not given, and keeps unknown ones', () => {
    expect(after(file, upsert('git', { url: 'https://h' }))).toEqual({
      other: 1,
      mcpServers: { git: { url: 'https://h', note: 'mine' } },
    });
  });

  it('touches only what differs', () => {
    const given = { command: 'node', args: ['a', 'b'], env: { A: '1', C: '3' }, resilience: { maxRestarts: 1, x: 1 } };
    expect(pathsOf(upsertServerEdits(file, 'git', given))).toEqual([
      'mcpServers/git/args',
      'mcpServers/git/env/B',
      'mcpServers/git/env/C',
    ]);
    expect(upsertServerEdits(file, 'git', file.mcpServers.git)).toEqual([]);
  });

  it('puts the stored secrets in the place of their masks', () => {
    const given = { command: 'node', env: { A: mask, B: 'new' } };
    expect(after(file, upsert('git', given))).toMatchObject({ mcpServers: { git: { env: { A: '1', B: 'new' } } } });
    expect(() => upsertServerEdits(file, 'web', given)).toThrow(InvalidConfig);
    expect(() => upsertServerEdits(file, 'web', given)).toThrow(/^server\.env\.A: holds \*{8}, but nothing is stored/);
  });

  it('takes __proto__ for a name like any other', () => {
    const made = after(
      { mcpServers: {} },
      upsert('__proto__', { command: 'x', env: JSON.parse('{"__proto__": "1"}') }),
    );
    expect(JSON.stringify(made)).toBe('{"mcpServers":{"__proto__":{"command":"x","env":{"__proto__":"1"}}}}');
    expect(upsertServerEdits(made, '__proto__', { command: 'x', env: JSON.parse('{"__proto__": "1"}') })).toEqual([]);
  });
});

describe('delete', () => {
  it('takes the server out of the profiles that name it, and keeps its aliases', () => {
    const file = {
      mcpServers: { git: { command: 'x' }, web: { command: 'y' } },
      capabilityAliases: { ship: 'git.push' },
      profiles: { a: { servers: ['git', 'web', 'git'], note: 1 }, b: { servers: ['web'] }, c: null },
    };
    const edits = deleteServerEdits(file, 'git');
    expect(pathsOf(edits)).toEqual(['mcpServers/git', 'profiles/a/servers']);
    expect(applyEdits(file, edits)).toEqual({
      ...file,
      mcpServers: { web: { command: 'y' } },
      profiles: { ...file.profiles, a: { servers: ['web'], note: 1 } },
    });
  });
});

describe('an alias', () => {
  const file = { capabilityAliases: { ship: 'git.push', show: { target: 'git.log', summary: 'Shows.', note: 1 } } };
  const aliases = (request: Parameters<typeof aliasEdits>[1]) => after(file, (current) => aliasEdits(current, request));
  const tool = { kind: 'tool' } as const;

  it('is a text as long as there is nothing but its target', () => {
    expect(aliases({ ...tool, alias: 'ship', target: 'git.tag' })).toMatchObject({
      capabilityAliases: { ship: 'git.tag' },
    });
    expect(aliases({ ...tool, alias: 'ship', target: 'git.tag', passthrough: false })).toMatchObject({
      capabilityAliases: { ship: { target: 'git.tag', passthrough: false } },
    });
  });

  it('keeps what is not given, and loses what is null', () => {
    expect(aliases({ ...tool, alias: 'show', target: 'git.x', description: 'D' })).toMatchObject({
      capabilityAliases: { show: { target: 'git.x', summary: 'Shows.', description: 'D', note: 1 } },
    });
    expect(aliases({ ...tool, alias: 'show', target: 'git.x', summary: null })).toMatchObject({
      capabilityAliases: { show: { target: 'git.x', note: 1 } },
    });
  });

  it.each([null, undefined])('is removed by the target %s', (target) => {
    expect(aliases({ ...tool, alias: 'ship', target })).toEqual({
      capabilityAliases: { show: file.capabilityAliases.show },
    });
  });

  it.each([
    ['resource', 'resourceAliases'],
    ['prompt', 'promptAliases'],
  ] as const)('of a %s is in %s', (kind, field) => {
    expect(aliases({ kind, alias: 'a.b', target: 'x.y' })).toEqual({ ...file, [field]: { 'a.b': 'x.y' } });
  });
});

describe('the policy', () => {
  const webhook = { url: 'https://u:p@h/?k=v', secret: 's', headers: { A: '1' }, note: 'mine' };
  const file = { policy: { allow: ['git.*'], deny: ['git.rm'], approvalTimeoutSecs: 5, note: 1, webhook } };
  const policy = (request: Parameters<typeof policyEdits>[1], of: JsonObject = file) =>
    after(of, (current) => policyEdits(current, request));

  it('gets what is given, keeps what is absent, and loses what is null', () => {
    expect(policy({ deny: [], approval_timeout_secs: null, require_approval: ['*'] })).toEqual({
      policy: { allow: ['git.*'], deny: [], requireApproval: ['*'], note: 1, webhook },
    });
    expect(policy({ webhook: null })).toEqual({
      policy: { allow: ['git.*'], deny: ['git.rm'], approvalTimeoutSecs: 5, note: 1 },
    });
  });

  it('loses nothing where there is none', () => {
    for (const of of [{}, { policy: null }]) expect(policy({ allow: null, webhook: null }, of)).toEqual(of);
  });

  it('takes a masked webhook back, and keeps what it does not know of it', () => {
    const shown = { url: `https://${mask}:${mask}@h/?k=${mask}`, secret: mask, headers: { A: mask } };
    expect(policy({ webhook: shown })).toEqual(file);
    expect(policy({ webhook: { url: shown.url, secret_env: 'NAME', secret: null } })).toMatchObject({
      policy: { webhook: { url: webhook.url, secretEnv: 'NAME', note: 'mine' } },
    });
    expect(() => policy({ webhook: { url: 'https://h', auth_header: mask } })).toThrow(/^webhook\.authHeader: holds/);
  });
});

describe('a profile', () => {
  it('keeps its policy, and its description unless that is given', () => {
    const file = { profiles: { dev: { servers: ['a'], description: 'D', policy: { deny: ['a.x'] } } } };
    const put = (description?: string | null) =>
      after(file, () =>
        profileEdits({ name: 'dev', servers: ['b'], ...(description === undefined ? {} : { description }) }),
      );
    const policy = { deny: ['a.x'] };
    expect(put()).toEqual({ profiles: { dev: { servers: ['b'], description: 'D', policy } } });
    expect(put('E')).toEqual({ profiles: { dev: { servers: ['b'], description: 'E', policy } } });
    expect(put(null)).toEqual({ profiles: { dev: { servers: ['b'], policy } } });
  });
});
