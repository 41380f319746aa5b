// Rules that match nothing are named by their field, and only where what there is to match is known.
import { resolveConfig } from '@portico/contracts';
import { expect, it } from 'vitest';
import { initialState, reduce } from '../state/plane-state.js';
import { unmatchedRules } from './unmatched-rules.js';

const node = { command: 'node' };
const definitions = {
  tools: ['open', 'close'].map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  resources: [{ uri: 'file:///notes.md', name: 'notes' }],
  resourceTemplates: [],
  prompts: [],
};

function unmatched(file: object, more: object = {}): readonly string[] {
  const config = resolveConfig({ mcpServers: { git: node }, ...file });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  const read = { kind: 'definitions_read', server: 'git', definitions: { ...definitions, ...more } } as const;
  return unmatchedRules(reduce(initialState(config.value), read)).map(({ path, pattern }) => `${path} ${pattern}`);
}

const policy = {
  allow: ['git.open', 'git.opne'],
  deny: ['git.cl*', 'gti.*', 'git.file:///notes.md', 'git.file:///nots.md', 'nick'],
  requireApproval: ['*.delete_*', '*'],
};

it('names rules of the policy, of profiles and of roles, and targets of aliases', () => {
  expect(
    unmatched({
      policy,
      capabilityAliases: { nick: 'git.open', gone: { target: 'git.gone' } },
      profiles: { p: { servers: ['git'], policy: { allow: ['git.nothing'] } } },
      rbac: { roles: { reader: { deny: ['git.open', 'web.fetch'] } }, tokens: [] },
    }),
  ).toEqual([
    'policy.allow[1] git.opne',
    'policy.deny[1] gti.*',
    'policy.deny[3] git.file:///nots.md',
    'policy.requireApproval[0] *.delete_*',
    'profiles.p.policy.allow[0] git.nothing',
    'rbac.roles.reader.deny[1] web.fetch',
    'capabilityAliases.gone git.gone',
  ]);
});

it('judges no rule that may match a server that has not been read', () => {
  const file = { mcpServers: { git: node, slow: node }, policy: { deny: ['slow.x', 's*', '*.x', 'git.x', 'gti.x'] } };
  expect(unmatched(file)).toEqual(['policy.deny[3] git.x', 'policy.deny[4] gti.x']);
});

it('judges no URI of a server with templates', () => {
  const templates = { resourceTemplates: [{ uriTemplate: 'db:///{table}', name: 'rows' }] };
  expect(unmatched({ policy: { deny: ['git.file:///any', 'git.x'] } }, templates)).toEqual(['policy.deny[1] git.x']);
});

it('judges no rule that matches an alias of what a server that has not been read may have', () => {
  const mcpServers = { git: node, slow: node };
  const capabilityAliases = { later: { target: 'slow.x' }, now: { target: 'git.gone' } };
  const deny = ['later', 'lat*', 'now', 'latter'];
  expect(unmatched({ mcpServers, capabilityAliases, policy: { deny } })).toEqual([
    'policy.deny[2] now',
    'policy.deny[3] latter',
    'capabilityAliases.now git.gone',
  ]);
});

it('knows the pages that only tools name', () => {
  const inputSchema = { type: 'object' as const };
  const tools = [
    { name: 'show', inputSchema, _meta: { ui: { resourceUri: 'ui://page' } } },
    { name: 'draw', inputSchema, _meta: { 'ui/resourceUri': 'ui://other' } },
  ];
  const deny = ['git.ui://page', 'git.ui://oth*', 'git.ui://gone'];
  expect(unmatched({ policy: { deny } }, { tools })).toEqual(['policy.deny[2] git.ui://gone']);
});
