// A lock over 10,000 definitions: compared a few at a time, and nothing of it is used before.
import { finish, type Steps } from '@portico/async';
import type { ServerEntries } from '@portico/catalog-core';
import { acceptInto, compareServer, emptyLock, type LockedServer, type ToolsLock } from '@portico/tools-lock';
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { noStages } from '../common/stage.js';
import { heldBy } from '../state/held-by.js';
import { listedServer } from '../state/lock-verdicts.js';
import { holdByLock, initialState, loadLockInSteps, type PlaneState, reduce } from '../state/plane-state.js';
import { createWorkAhead } from '../state/work-ahead.js';
import { configOf, tool } from '../testing/start-plane.js';

const many = 10_000;
const config = configOf({ mcpServers: { s: { command: 's' } }, lock: { mode: 'enforce' } });
const tools = Array.from({ length: many }, (_, at) => tool(`t${at}`));
const definitions = { tools, resources: [], resourceTemplates: [], prompts: [] };
const read = { kind: 'definitions_read', server: 's', definitions } as const;
const listed = reduce(initialState(config), read);
const entries = listed.servers.get('s') as ServerEntries;
const now = listedServer(config, 's', entries);
const accepted = { by: 'ann', at: '2026-11-25T12:00:00Z' };
const lock = acceptInto(emptyLock, finish(compareServer('s', undefined, now)), new Map([['s', now]]), accepted);

/** A lock that counts how often a definition of it is looked up. */
function counting(): { readonly lock: ToolsLock; readonly count: () => number } {
  let looked = 0;
  class Counting<V> extends Map<string, V> {
    override get(name: string): V | undefined {
      looked += 1;
      return super.get(name);
    }
  }
  const server = lock.get('s') as LockedServer;
  const lists = { ...server.lists, tool: new Counting(server.lists.tool) };
  return { lock: new Map([['s', { ...server, lists }]]), count: () => looked };
}

/** The most that is counted between two steps, and all of it. */
function mostInOneStep(steps: Steps<PlaneState>, count: () => number) {
  let [most, before] = [0, count()];
  for (;;) {
    const { done, value } = steps.next();
    most = Math.max(most, count() - before);
    before = count();
    if (done === true) return { most, all: count(), state: value };
  }
}

describe('10,000 locked definitions', () => {
  it('are compared at most 256 in one step, and once', () => {
    const { lock: counted, count } = counting();
    const { most, all, state } = mostInOneStep(loadLockInSteps(listed, { lock: counted }), count);
    expect([most <= 256, all, state.catalog.capabilities.length]).toEqual([true, many, many]);
    finish(loadLockInSteps(state, { lock: counted }));
    expect(count()).toBe(all);
    const other = configOf({ mcpServers: { s: { command: 's' } }, lock: { mode: 'enforce', newTools: 'allow' } });
    const replaced = reduce(state, { kind: 'config_replaced', config: other });
    expect([count(), replaced.catalog.capabilities.length]).toEqual([all, many]);
  });

  it('are classified one in a step where they differ', () => {
    let steps = 0;
    const counted = loadLockInSteps(listed, { lock: new Map() });
    while (counted.next().done !== true) steps += 1;
    expect(steps).toBeGreaterThan(many);
  });

  it('are all held until the last of them is compared, with other work in between', async () => {
    const manual = createManualClock();
    let [state, looks] = [listed, 0];
    let shares = 0;
    const enter = () => void shares++;
    const ahead = createWorkAhead({ ...manual, now: () => looks++ }, { ...noStages, enter }, () => state);
    const work = ahead.workOut(
      'comparing',
      's',
      (from) => loadLockInSteps(from, { lock }),
      (made) => {
        state = made(state);
      },
    );
    while (state === listed) {
      expect(heldBy(state.lock, state, 'tool', 's.t0')?.reason).toBe('definition_unapproved');
      expect(state.catalog.capabilities).toEqual([]);
      await manual.advance(0);
    }
    await work;
    expect([shares > 20, state.catalog.capabilities.length]).toEqual([true, many]);
  });

  it('are all held after a change of the configuration until they are compared again', () => {
    const env = configOf({ mcpServers: { s: { command: 's', env: { A: '1' } } }, lock: { mode: 'enforce' } });
    const { lock: counted, count } = counting();
    const before = finish(loadLockInSteps(listed, { lock: counted }));
    const all = count();
    const replaced = reduce(before, { kind: 'config_replaced', config: env });
    expect([count(), replaced.catalog.capabilities, replaced.lock.servers.get('s')?.isWhollyHeld]).toEqual([
      all,
      [],
      true,
    ]);
    expect(heldBy(replaced.lock, replaced, 'tool', 's.t0')?.because).toBe('it is not compared with the lock yet');
  });

  it('are all held at once, without a comparison, if the lock becomes unusable', () => {
    const { lock: counted, count } = counting();
    const before = finish(loadLockInSteps(listed, { lock: counted }));
    const all = count();
    const after = holdByLock(before, { lock: new Map(), isMissing: true, fault: 'it is gone' });
    expect([count(), after.catalog.capabilities]).toEqual([all, []]);
  });
});

describe('whether one of 10,000 definitions is held', () => {
  it('is looked up, and not searched for', () => {
    let asked = 0;
    const state = finish(loadLockInSteps(listed, { lock }));
    const watched = new Proxy(entries.capabilities as readonly object[], {
      get(target, name) {
        if (name === 'find' || name === 'filter' || name === 'some') asked += 1;
        return Reflect.get(target, name);
      },
    });
    const servers = new Map([['s', { ...entries, capabilities: watched as ServerEntries['capabilities'] }]]);
    for (let at = 0; at < 100; at += 1)
      expect(heldBy(state.lock, { servers, config }, 'tool', `s.t${at}`)).toBeUndefined();
    expect(asked).toBe(0);
  });
});
