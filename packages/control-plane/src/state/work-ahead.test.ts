// A large server is computed in portions, with the same result as at once.
import { toServerEntries } from '@portico/catalog-core';
import { resolveConfig, type UpstreamDefinitions } from '@portico/contracts';
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { noStages, type Stages } from '../common/stage.js';
import { searchCatalog } from '../search/search-catalog.js';
import { tool } from '../testing/start-plane.js';
import { type DefinitionsRead, initialState, type PlaneState, reduce } from './plane-state.js';
import { createWorkAhead } from './work-ahead.js';

const definitions = (count: number): UpstreamDefinitions => ({
  tools: Array.from({ length: count }, (_, n) => tool(`t${n}`, { description: `Finds number ${n}.` })),
  resources: [],
  resourceTemplates: [],
  prompts: [],
});

const readOf = (server: string, count: number): DefinitionsRead => ({
  kind: 'definitions_read',
  server,
  definitions: definitions(count),
});

function setUp(stages: Stages = noStages) {
  const config = resolveConfig({ mcpServers: { large: { command: 'l' }, other: { command: 'o' } } });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  let state = initialState(config.value);
  const manual = createManualClock();
  let looks = 0;
  // Each look at the clock finds a millisecond gone, as if every step had taken one.
  const ahead = createWorkAhead({ ...manual, now: () => looks++ }, stages, () => state);
  const put = (next: PlaneState) => {
    state = next;
  };
  return { ahead, manual, state: () => state, put };
}

const summary = (state: PlaneState) => ({
  version: state.catalog.version,
  found: searchCatalog(state, { profile: null, role: null }, { query: 'number 7' }).capabilities,
});

describe('a large server', () => {
  it('lets other work run, with the same result as at once', async () => {
    const { ahead, manual, state } = setUp();
    const read = readOf('large', 150);
    let isReady = false;
    const prepared = ahead.prepare(read)?.then(() => {
      isReady = true;
    });
    while (manual.sleeping() === 0) await undefined; // until others have their turn
    expect(isReady).toBe(false);
    while (!isReady) await manual.advance(1);
    await prepared;
    expect(summary(ahead.reduce(state(), read))).toEqual(summary(reduce(state(), read)));
  });

  it('is worked out again where another change comes first', async () => {
    const { ahead, manual, state, put } = setUp();
    const read = readOf('large', 150);
    let isReady = false;
    const prepared = ahead.prepare(read)?.then(() => {
      isReady = true;
    });
    await manual.advance(1);
    put(reduce(state(), readOf('other', 2)));
    while (!isReady) await manual.advance(1);
    await prepared;
    expect([...ahead.reduce(state(), read).servers.keys()]).toEqual(['other', 'large']);
  });

  it('is named to the watchdog in each of its turns, and in no other', async () => {
    const named: string[] = [];
    let open = 0;
    const stages = {
      enter: (stage: string, server: string) => {
        named.push(`${stage} ${server}`);
        open += 1;
      },
      leave: () => {
        open -= 1;
      },
    };
    const { ahead, manual } = setUp(stages);
    let isReady = false;
    const prepared = ahead.prepare(readOf('large', 150))?.then(() => {
      isReady = true;
    });
    while (!isReady) {
      expect(open).toBe(0);
      await manual.advance(1);
    }
    await prepared;
    expect(named.length).toBeGreaterThan(10);
    expect(new Set(named)).toEqual(new Set(['reading the definitions large']));
  });

  it('that was not prepared from the snapshot in force is computed at once', async () => {
    const { ahead, state } = setUp();
    const read = readOf('large', 150);
    expect(summary(ahead.reduce(state(), read))).toEqual(summary(reduce(state(), read)));
  });
});

it('one large definition is worked out in turns of the loop as well', async () => {
  let shares = 0;
  const { ahead, manual, state } = setUp({
    enter: () => {
      shares += 1;
    },
    leave: () => {},
  });
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
  const large = { ...definitions(0), tools: [tool('t', { inputSchema: { type: 'object', properties } })] };
  const read: DefinitionsRead = { kind: 'definitions_read', server: 'large', definitions: large };
  let isReady = false;
  const prepared = ahead.prepare(read)?.then(() => {
    isReady = true;
  });
  while (!isReady) await manual.advance(1);
  await prepared;
  expect(shares).toBeGreaterThan(3);
  expect(ahead.reduce(state(), read).catalog.version).toBe(reduce(state(), read).catalog.version);
});

it('a small server is added at once', () => {
  expect(setUp().ahead.prepare(readOf('large', 100))).toBeUndefined();
});

it('the stored definitions of many small servers are read in turns of the loop, each server under its name', async () => {
  const named = new Set<string>();
  let open = 0;
  const { ahead, manual } = setUp({
    enter: (stage, server) => {
      named.add(`${stage} ${server}`);
      open += 1;
    },
    leave: () => {
      open -= 1;
    },
  });
  const stored = ['a', 'b', 'c', 'd'].map((id) => [id, definitions(2)] as const);
  let found: ReadonlyMap<string, unknown> | undefined;
  const recovered = ahead.recover(stored).then((servers) => {
    found = servers;
  });
  while (manual.sleeping() === 0) await undefined; // until others have their turn
  expect([found, named.size < stored.length, open]).toEqual([undefined, true, 0]);
  await manual.advance(0);
  await recovered;
  expect([...named]).toEqual(stored.map(([id]) => `reading the definitions that were kept ${id}`));
  expect(found).toEqual(new Map(stored.map(([id, kept]) => [id, toServerEntries(id, kept)])));
});
