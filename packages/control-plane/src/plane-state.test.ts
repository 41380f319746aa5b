// Snapshots: what one change means for the search index of other servers.
import { resolveConfig, type UpstreamDefinitions } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { initialState, type PlaneState, reduce } from './plane-state.js';
import { searchCatalog } from './search-catalog.js';
import { tool } from './testing/start-plane.js';

function start(): PlaneState {
  const config = resolveConfig({
    mcpServers: { a: { command: 'a' }, b: { command: 'b' } },
    capabilityAliases: { 'b.x': 'a.hidden' },
    profiles: { onlyA: { servers: ['a'] } },
  });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  return initialState(config.value);
}

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
