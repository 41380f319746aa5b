// Snapshots: what one change means for the search index of other servers.
import { type Config, resolveConfig, type UpstreamDefinitions } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { searchCatalog } from '../search/search-catalog.js';
import { tool } from '../testing/start-plane.js';
import { initialState, type PlaneState, reduce } from './plane-state.js';

const file = {
  mcpServers: { a: { command: 'a' }, b: { command: 'b' } },
  capabilityAliases: { 'b.x': 'a.hidden' },
  profiles: { onlyA: { servers: ['a'] } },
};

function configOf(given: object): Config {
  const config = resolveConfig(given);
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  return config.value;
}

const start = (): PlaneState => initialState(configOf(file));

const read = (state: PlaneState, server: string, ...names: readonly string[]) => {
  const definitions: UpstreamDefinitions = {
    tools: names.map((name) => tool(name, { description: 'Finds it.' })),
    resources: [],
    resourceTemplates: [],
    prompts: [],
  };
  return reduce(state, { kind: 'definitions_read', server, definitions });
};

const idsOf = (state: PlaneState, profile: string | null) =>
  searchCatalog(state, { profile, role: null }, { query: 'finds' }).capabilities.map(
    ({ id, server }) => `${server}: ${id}`,
  );

describe('an alias that equals an id which appears later', () => {
  it('gives way to it everywhere, search included, and its target is found under its own id', () => {
    const before = read(start(), 'a', 'hidden');
    expect(idsOf(before, null)).toEqual(['a: b.x']);
    const after = read(before, 'b', 'x');
    expect(idsOf(after, null)).toEqual(['a: a.hidden', 'b: b.x']);
    expect(idsOf(after, 'onlyA')).toEqual(['a: a.hidden']);
    expect(after.catalog.capabilities.map(({ id }) => id)).toEqual(['a.hidden', 'b.x']);
  });

  it('is back in force when that id disappears', () => {
    const after = read(read(read(start(), 'a', 'hidden'), 'b', 'x'), 'b');
    expect(idsOf(after, null)).toEqual(['a: b.x']);
  });
});

describe('another configuration', () => {
  const before = read(read(start(), 'a', 'one'), 'b', 'two');
  const replaced = (given: object) => reduce(before, { kind: 'config_replaced', config: configOf(given) });

  it('leaves the search index as it is where every server lists what it has listed', () => {
    const { a, b } = file.mcpServers;
    expect(replaced({ ...file, mcpServers: { a, b, c: { command: 'c' } } }).search).toBe(before.search);
  });

  it('renews it for what is listed otherwise, or not any more', () => {
    expect(idsOf(replaced({ ...file, capabilityAliases: { uno: 'a.one' } }), null)).toEqual(['b: b.two', 'a: uno']);
    expect(idsOf(replaced({ mcpServers: { b: file.mcpServers.b } }), null)).toEqual(['b: b.two']);
    expect(idsOf(replaced({ ...file, policy: { allow: ['b.*'] } }), null)).toEqual(['b: b.two']);
  });
});
